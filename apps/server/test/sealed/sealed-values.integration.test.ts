/** Every kind of sealed value, from a filled installation: what was moved, exchanged, changed or cut is noticed by name. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, SealError } from '../../src/platform/secrets/seal.ts';
import { installationColumns, workspaceColumns } from '../../src/sealed/sealed-columns.ts';
import { installationValues, type SealedValue, workspaceValues } from '../../src/sealed/sealed-values.ts';
import { verifySealed } from '../../src/sealed/verify-sealed.ts';
import { consoleKit, type ConsoleKit } from '../console/support/console-kit.ts';
import { patience } from '../../../../tools/testing/patience.ts';
import { fillInstallation, run } from './fill-installation.ts';

let kit: ConsoleKit;
let folder: string;
let values: readonly SealedValue[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-sealed-'));
  kit = await consoleKit();
  await fillInstallation(kit, folder);
  values = await all();
}, patience.timeout * 4);
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});

async function all(): Promise<readonly SealedValue[]> {
  const deps = { ...kit.deps };
  const found: SealedValue[] = [];
  for await (const value of installationValues(deps)) found.push(value);
  for (const workspace of kit.deps.registry.all()) {
    for await (const value of workspaceValues(deps, workspace)) found.push(value);
  }
  return found;
}

function opens(value: SealedValue, sealed: Uint8Array): boolean {
  try {
    open(value.key, sealed, value.place);
    return true;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

const nameOf = ({ kind, row }: SealedValue): string => `${kind}, ${row}`;
const placeOf = ({ place }: SealedValue): string => `${place.of}\n${place.row}`;

describe('the installation', () => {
  it('has values of every kind, and every one opens at its place', () => {
    const columns = [...installationColumns, ...workspaceColumns].map(({ name }) => name);
    const records = ['login', 'logout', 'operation', 'label', 'report', 'list', 'suppress', 'hold'];
    expect(new Set(values.map(({ kind }) => kind))).toEqual(
      new Set([
        ...columns,
        'state_block.bytes (checkpoint)',
        'state_block.bytes (base)',
        'history_block.content',
        ...records.map((kind) => `record ${kind}`),
      ]),
    );
    expect(values.filter((value) => !opens(value, value.sealed)).map(nameOf)).toEqual([]);
    expect(values.filter(({ sealed }) => sealed[0] !== 2)).toEqual([]);
  });

  it('has no sealed value in a column that is not described', async () => {
    const { rows: columns } = await kit.pool.query<{ table: string; column: string }>(
      `select c.table_name as table, c.column_name as column from information_schema.columns c
         join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'public' and c.data_type = 'bytea' and t.table_type = 'BASE TABLE'`,
    );
    const known = new Set([...installationColumns, ...workspaceColumns].map(({ name }) => name));
    const suspicious: string[] = [];
    for (const { table, column } of columns) {
      const name = `${table.replace(/^event_\d+_\d+_\d+$/, 'event')}.${column}`;
      if (known.has(name) || /^log_|^history_block|^state_/.test(name)) continue;
      const { rows } = await kit.pool.query<{ bytes: Buffer }>(
        `select "${column}" as bytes from "${table}" where length("${column}") > 33 and get_byte("${column}", 0) = 2 limit 3`,
      );
      if (rows.length > 0) suspicious.push(name);
    }
    expect(suspicious).toEqual([]);
  });
});

describe('a value', () => {
  it('does not open at the place of any other value, in whichever row, column and workspace', () => {
    const open = new Set<string>();
    for (const at of values) {
      for (const other of values) {
        if (at === other || placeOf(at) === placeOf(other)) continue;
        if (opens(at, other.sealed)) open.add(`${nameOf(other)} at ${nameOf(at)}`);
      }
    }
    expect([...open]).toEqual([]);
  });

  /**
   * The order of records is not part of their place: they are sealed before the log gives them an offset. The chain binds
   * it, and the seals of the stored states bind which state of an entity is the newest.
   */
  it('has a place of its own, except records of the log, states of an entity or as of one offset, and copies', () => {
    const shared = [...Map.groupBy(values, placeOf).values()].filter((some) => some.length > 1);
    const kinds = shared.flatMap((some) => {
      const distinct = new Set(some.map(({ sealed }) => Buffer.from(sealed).toString('hex')));
      return distinct.size === 1 ? [] : some.map(({ kind }) => kind);
    });
    expect(
      kinds.filter(
        (kind) => !/^record |^directive\.payload$|^state_block|^checkpoint\.state$|^log_base\.state$/.test(kind),
      ),
    ).toEqual([]);
  });

  it('does not open with any byte changed, or cut at any length', () => {
    const wrong: string[] = [];
    for (const value of new Map(values.map((one) => [one.kind, one])).values()) {
      for (let at = 0; at < value.sealed.length; at++) {
        const changed = Buffer.from(value.sealed);
        changed[at]! ^= 0x41;
        if (opens(value, changed)) wrong.push(`${nameOf(value)} changed at ${at}`);
        if (opens(value, value.sealed.subarray(0, at))) wrong.push(`${nameOf(value)} cut at ${at}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('ringfence sealed verify', () => {
  it('finds nothing in an installation that is whole', async () => {
    const said = await run(kit, folder, 'sealed verify');
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toMatch(
      /^\d+ sealed values, each opens at its place\.\n(.+: records 0 to \d+ are chained, up to [0-9a-f]{16}\.\n){2}$/,
    );
  });

  it.each([...installationColumns, ...workspaceColumns].map(({ name }) => name))(
    'names rows of %s that were exchanged, changed or cut',
    async (name) => {
      const [table, column] = name.split('.') as [string, string];
      const stored = await kit.pool.query<{ part: string; at: string; bytes: Buffer }>(
        `select tableoid::regclass::text as part, ctid::text as at, "${column}" as bytes from "${table}"
          where length("${column}") > 33 order by tableoid, ctid`,
      );
      const one = stored.rows[0];
      const part = one!.part;
      // Directives are in the order in which they were made: the last one is of another kind.
      const two = stored.rows.findLast((row) => row.part === part && row !== one);
      const exchange = (first: Buffer, second: Buffer): Promise<unknown> =>
        kit.pool.query(
          `update ${part} set "${column}" = case "${column}" when $1::bytea then $2::bytea else $1::bytea end
            where "${column}" in ($1, $2)`,
          [first, second],
        );
      const workspaces = kit.deps.registry.all();
      const wrong = async (): Promise<number> => {
        const verdict = await verifySealed(kit.deps, workspaces);
        return verdict.wrong.filter(({ kind }) => kind === name).length;
      };
      const changed = Buffer.from(one!.bytes);
      changed[changed.length - 1]! ^= 1;
      for (const instead of [changed, one!.bytes.subarray(0, -1), ...(two === undefined ? [] : [two.bytes])]) {
        await exchange(one!.bytes, instead);
        expect(await wrong()).toBe(instead === two?.bytes ? 2 : 1);
        await exchange(one!.bytes, instead);
      }
      expect(await wrong()).toBe(0);
    },
  );
});
