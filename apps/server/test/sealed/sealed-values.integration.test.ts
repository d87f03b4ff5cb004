/** Every kind of sealed value, from a filled installation: what was moved, exchanged, changed or cut is noticed by name. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayMs } from '@ringfence/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAccount } from '../../src/access/accounts/account-rows.ts';
import { beginSecondFactor } from '../../src/access/accounts/second-factor.ts';
import { sealTranscript } from '../../src/deliver/attempt-transcript.ts';
import { OutcomeMatcher } from '../../src/outcomes/outcome-matcher.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { open, SealError } from '../../src/platform/secrets/seal.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { installationColumns, workspaceColumns } from '../../src/sealed/sealed-columns.ts';
import { installationValues, type SealedValue, workspaceValues } from '../../src/sealed/sealed-values.ts';
import { verifySealed } from '../../src/sealed/verify-sealed.ts';
import { keyOf } from '../../src/tenancy/subjects/client-seal.ts';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from '../console/support/console-kit.ts';
import { patience } from '../../../../tools/testing/patience.ts';
import { ringfence } from '../support/terminal.ts';

const policy = `lists: { mules: { of: payee.id, live: true }, vips: { of: client.id, live: true } }
actions:
  7: { name: Hold the payment, hold: { release: 8, reject: 9, within: 30m, otherwise: keep } }
  8: { name: Release the payment, message: released }
  9: { name: Reject the payment, message: rejected }
rules:
  - { reason: 900, name: large, when: order.amount > 100, then: [{ action: 7 }, { action: 3, message: large }] }
  - { reason: 901, name: every, when: order.amount > 0, then: { action: 3, message: every } }
`;

let kit: ConsoleKit;
let folder: string;
let values: readonly SealedValue[];

/** What a bank and its people do in a day, in two workspaces. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-sealed-'));
  kit = await consoleKit();
  const other = await kit.addWorkspace();
  for (const { id } of [kit.workspace, other]) {
    const files = [{ path: 'rules.yaml', text: policy }];
    await applyPolicy(kit.deps, id, { files, author: 'test', comment: '', actor: 'api' });
  }
  await kit.deps.registry.refresh();
  const events: string[] = [];
  for (const client of ['ana', 'bob']) {
    for (const workspace of [kit.workspace, other]) {
      await kit.send('login', login(client), workspace);
      for (const amount of [150, 160]) {
        const id = await kit.send('operation', { ...payment(client), order: { amount, currency: 'MXN' } }, workspace);
        if (workspace === kit.workspace) events.push(id);
      }
      await kit.send('logout', { channelId: 1, user: client, session: `s-${client}` }, workspace);
    }
  }
  await kit.send('operation', { ...payment('ana'), account: {} });
  await kit.fed();
  await people(events);
  await kit.fed();
  await rest();
  values = await all();
}, patience.timeout * 4);
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});

async function done(method: string, path: string, body: object): Promise<void> {
  const response = await kit.at(method, path, { body });
  expect(response.statusCode, response.body).toBeLessThan(300);
}

async function people(events: readonly string[]): Promise<void> {
  const { items: listed } = await kit.get<{ items: readonly { clientRef: string }[] }>('events?client=ana');
  for (const text of ['one', 'two']) await done('POST', `clients/${listed[0]!.clientRef}/notes`, { text });
  const { items: alerts } = await kit.get<{ items: readonly { id: string }[] }>('alerts');
  for (const { id } of alerts) {
    for (const text of ['one', 'two']) await done('POST', `alerts/${id}/comments`, { text });
  }
  const { items: holds } = await kit.get<{ items: readonly { id: string }[] }>('holds');
  for (const { id } of holds) await done('POST', `holds/${id}/decision`, { decision: 'release', comment: `of ${id}` });
  const labels = events.map((event) => ({ event, label: 'fraud', note: `of ${event}` }));
  await done('POST', 'labels', { labels });
  for (const event of events) {
    await done('POST', 'outcomes', { channelId: 1, outcome: 'chargeback', event, loss: 1, note: `of ${event}` });
  }
  for (const client of ['ana', 'bob'])
    await done('POST', 'lists/vips/items', { put: [{ parts: [client] }], comment: 'x' });
  for (const payee of ['B1/1', 'B1/2']) {
    await done('POST', 'lists/mules/items', { put: [{ parts: [payee] }], comment: 'x' });
    const until = new Date(kit.deps.now() + dayMs).toISOString();
    await done('POST', 'suppressions', { reason: 901, payee, until, why: 'x' });
  }
}

/** What people do not make themselves, or only elsewhere. */
async function rest(): Promise<void> {
  const { pool, home, workspace } = kit;
  const { log, subjects } = kit;
  const onError = (error: unknown): never => expect.unreachable(String(error));
  const workspaces = () => kit.deps.registry.all();
  await new OutcomeMatcher({ ...kit.deps, notifications: home.log.notifications, workspaces, onError }).round();
  for (const email of ['eva@bank.example', 'fay@bank.example']) {
    const { id } = await inTransaction(pool, (client) => insertAccount(client, { email, name: email, roles: {} }));
    await beginSecondFactor(home, { id, email });
  }
  const { rows: actions } = await pool.query<{ id: string; subject: string }>(
    `select id, subject from action where workspace_id = $1 and subject is not null`,
    [workspace.id],
  );
  for (const { id: action, subject } of actions) {
    for (const number of [1, 2]) {
      const key = (await keyOf({ subjects }, workspace, subject))!;
      const detail = sealTranscript({ body: `answer ${number}` }, { workspace, subject, key, action, number });
      await pool.query(
        `insert into attempt (action_id, number, started_at, duration_ms, result, detail) values ($1, $2, now(), 1, 'failed', $3)`,
        [action, number, detail],
      );
    }
  }
  const mapping = `time: { column: at, format: epoch-seconds }
kind: operation
operation: { channelId: { value: 1 }, account.client: client, order.amount: amount, order.currency: { value: MXN } }
`;
  writeFileSync(join(folder, 'm.yaml'), mapping);
  mkdirSync(join(folder, 'policy'));
  writeFileSync(join(folder, 'policy', 'rules.yaml'), policy);
  for (const name of ['one', 'two']) {
    writeFileSync(
      join(folder, `${name}.csv`),
      'at,client,amount\n1600000100,ana,150\n1600000200,bob,160\n1600000300,ana,170\n',
    );
    await run(`import ${name}.csv -m m.yaml -w ${workspace.name} --name ${name}`);
  }
  await run(`backtest --policy policy --history one -w ${workspace.name}`);
  await kit.settled();
  await pool.query(
    `insert into log_base (workspace_id, next_offset, decided, digest, engine_version, state, erasure_id)
     select workspace_id, next_offset, decided, digest, engine_version, state, 0 from checkpoint`,
  );
  await log.head(workspace.id);
}

async function run(line: string): Promise<{ readonly code: number; readonly out: string }> {
  const said = await ringfence(line, { environment: { ...kit.home.environment, USER: 'mara' }, folder });
  expect(said.err).toBe('');
  return said;
}

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
      const name = `${table.replace(/^event_\d+_\d+$/, 'event')}.${column}`;
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

  /** The order of records is not part of their place: they are sealed before the log gives them an offset. */
  it('has a place of its own, except records of the log, earlier states of an entity, and copies of one value', () => {
    const shared = [...Map.groupBy(values, placeOf).values()].filter((some) => some.length > 1);
    const kinds = shared.flatMap((some) => {
      const distinct = new Set(some.map(({ sealed }) => Buffer.from(sealed).toString('hex')));
      return distinct.size === 1 ? [] : some.map(({ kind }) => kind);
    });
    expect(kinds.filter((kind) => !/^record |^directive\.payload$|^state_block/.test(kind))).toEqual([]);
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
    const said = await run('sealed verify');
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toMatch(/^\d+ sealed values, each opens at its place\.\n$/);
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
