/** A filled workspace moved between two databases of one installation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochMs } from '@ringfence/contract';
import { PartitionClosedError, PostgresLog } from '@ringfence/log';
import { Client, type Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDatabase } from '../../../../../tools/testing/postgres.ts';
import { patience } from '../../../../../tools/testing/patience.ts';
import { verifyLog } from '../../../src/backtest/replay/verify-log.ts';
import { makePool } from '../../../src/platform/database/database.ts';
import { verifyMasterKeys } from '../../../src/platform/secrets/sealing-key.ts';
import { PolicyCache } from '../../../src/policies/policy-cache.ts';
import { verifySealed } from '../../../src/sealed/verify-sealed.ts';
import { movedTables } from '../../../src/tenancy/move/moved-tables.ts';
import {
  abortMove,
  finishMove,
  type MoveOptions,
  type MoveStep,
  moveWorkspace,
} from '../../../src/tenancy/move/move-workspace.ts';
import { readShapes, rowsOf } from '../../../src/tenancy/move/table-shape.ts';
import { PostgresSubjectKeys } from '../../../src/tenancy/subjects/postgres-subject-keys.ts';
import { PostgresWorkspaceRegistry } from '../../../src/tenancy/workspaces/postgres-registry.ts';
import { consoleKit } from '../../console/support/console-kit.ts';
import { fillInstallation } from '../../sealed/fill-installation.ts';
import { makeInstallation } from '../../support/installation.ts';
import { freshDatabase, migratedDatabase, type TestDatabase } from '../../support/postgres.ts';

let filled: TestDatabase;
let master: Awaited<ReturnType<typeof makeInstallation>>['master'];
let moved: { readonly id: string; readonly name: string; readonly environment: string };
let other: string;
let folder: string;
const open: { end(): Promise<unknown> }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-move-'));
  filled = await freshDatabase(migratedDatabase);
  const home = await makeInstallation(filled);
  ({ master } = home);
  const kit = await consoleKit(home);
  await fillInstallation(kit, folder);
  moved = kit.workspace;
  other = kit.deps.registry.all().find(({ id }) => id !== moved.id)!.id;
  await kit.close();
}, patience.timeout * 4);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const one of open.splice(0)) await one.end();
});

interface Pair {
  readonly options: MoveOptions;
  readonly home: Pool;
  readonly north: Pool;
}

let made = 0;

/** The filled database as the home database, and an empty one named north. */
async function pair(): Promise<Pair> {
  const name = `${filled.config.database}_${String(++made)}`;
  await createDatabase(inject('postgres'), { name, template: filled.config.database });
  const north = await freshDatabase(migratedDatabase);
  const configs = [{ ...filled.config, database: name }, north.config] as const;
  const pools = configs.map((config) => makePool(config, 4));
  open.push(...pools);
  await verifyMasterKeys(pools[1]!, master);
  for (const [number, pool] of pools.entries()) {
    await pool.query(`insert into cell (installation, name, number) values (gen_random_uuid(), $1, $2)`, [
      ['home', 'north'][number],
      number,
    ]);
  }
  const home = { name: 'home', connection: configs[0] };
  const to = { name: 'north', connection: configs[1] };
  return { options: { workspace: moved, home, from: home, to }, home: pools[0]!, north: pools[1]! };
}

/** Every row of the workspace as a text, by table; and every record of its log. */
async function contentOf(pool: Pool, workspaceId = moved.id): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = new Client(pool.options);
  await client.connect();
  try {
    await client.query(`set timezone = 'UTC'`);
    const content = new Map<string, readonly string[]>();
    for (const shape of await readShapes(client, workspaceId)) {
      const { rows } = await client.query<{ row: string }>(
        `select to_jsonb(t)::text as row ${rowsOf(shape)} order by 1`,
      );
      content.set(
        shape.table.name,
        rows.map(({ row }) => row),
      );
    }
    const log = new PostgresLog({ connection: pool.options, pool, clock: () => Date.now() as EpochMs });
    const { start, end } = await log.head(workspaceId);
    const records: string[] = [];
    for (let at = start; at < end;) {
      const some = await log.read(workspaceId, at, 1_000);
      records.push(...some.map((record) => JSON.stringify({ ...record, payload: [...record.payload] })));
      at += some.length;
    }
    await log.close();
    return content.set('records', records);
  } finally {
    await client.end();
  }
}

async function placements(...pools: readonly Pool[]): Promise<readonly (string | undefined)[]> {
  return Promise.all(
    pools.map(async (pool) => {
      const { rows } = await pool.query<{ placement: string }>(`select placement from workspace where id = $1`, [
        moved.id,
      ]);
      return rows[0]?.placement;
    }),
  );
}

/** Nothing of a move is left in either database. */
async function expectNoTraces(...pools: readonly Pool[]): Promise<void> {
  for (const pool of pools) {
    for (const table of ['workspace_move', 'workspace_leaving', 'move_change', 'move_copied']) {
      expect((await pool.query(`select * from ${table}`)).rows, table).toEqual([]);
    }
    expect((await pool.query(`select proname from pg_proc where proname like 'moving%'`)).rows).toEqual([]);
  }
}

/** Ends the command at a call of its progress, as a kill would. */
function killedAt(options: MoveOptions, when: (step: MoveStep, call: number) => boolean): Promise<unknown> {
  let call = 0;
  return moveWorkspace({
    ...options,
    onProgress: ({ step }) => {
      call += 1;
      if (when(step, call)) throw new Error('killed');
    },
  });
}

/** A record that means nothing. */
const tick = { kind: 'tick', payload: new Uint8Array([1]) } as const;

const long = { timeout: patience.timeout };

const steps: readonly MoveStep[] = [
  'preparing',
  'copying',
  'catching up',
  'comparing',
  'letting go',
  'closed',
  'copied',
  'switched',
  'registered',
  'left',
  'removing',
  'done',
];

async function replayed(pool: Pool, connection: TestDatabase['config']) {
  const log = new PostgresLog({ connection, pool, clock: () => Date.now() as EpochMs });
  const onError = (error: unknown): never => expect.unreachable(String(error));
  const registry = new PostgresWorkspaceRegistry({ pool, master, now: () => Date.now(), onError });
  await registry.refresh();
  const workspaces = registry.all().filter(({ id }) => id === moved.id);
  const sealed = await verifySealed({ pool, log, master }, workspaces);
  const subjects = new PostgresSubjectKeys({ pool, log, onError });
  const deps = { pool, log, subjects, policies: new PolicyCache(pool) };
  const replay = await verifyLog(deps, workspaces[0]!, () => {});
  await log.close();
  return { sealed, replay };
}

describe('a move', () => {
  it('copies every row and record, sealed and replayed as before, and leaves none', long, async () => {
    const { options, home, north } = await pair();
    const before = await contentOf(home);
    const othersBefore = await contentOf(home, other);
    const known = await replayed(home, options.from.connection as TestDatabase['config']);
    expect([...before].filter(([, rows]) => rows.length > 0).length).toBeGreaterThan(40);
    const result = await moveWorkspace(options);
    expect(await contentOf(north)).toEqual(before);
    expect(result.pauseMs).toBeLessThan(5_000);
    const after = await contentOf(home);
    expect([...after].filter(([, rows]) => rows.length > 0)).toEqual([]);
    expect(await contentOf(home, other)).toEqual(othersBefore);
    expect(await placements(home, north)).toEqual([undefined, 'here']);
    expect((await home.query(`select database, moving_to from workspace_database`)).rows).toEqual([
      { database: 'north', moving_to: null },
    ]);
    await expectNoTraces(home, north);
    const there = await replayed(north, options.to.connection as TestDatabase['config']);
    expect(there.sealed).toMatchObject({ wrong: [], unchained: [], chains: known.sealed.chains });
    expect(there.sealed.values).toBeGreaterThan(50);
    expect(there.replay).toEqual(known.replay);
    expect(there.replay.decisions.recorded).toBeGreaterThan(4);
    await expect(moveWorkspace(options)).rejects.toThrow(/is in north already/);
  });

  it('goes there and back, with new rows behind the moved ones', long, async () => {
    const { options, home, north } = await pair();
    const before = await contentOf(home);
    await moveWorkspace(options);
    const log = new PostgresLog({ connection: options.to.connection, pool: north, clock: () => Date.now() as EpochMs });
    const { end, epoch } = await log.head(moved.id);
    const appended = await log.append(moved.id, tick);
    await log.close();
    expect(appended).toMatchObject({ offset: end, epoch });
    const { rows } = await north.query<{ seq: number; highest: number }>(
      `insert into alert_comment (workspace_id, alert_id, at, author, sealed)
       select workspace_id, id, now(), 'test', '' from alert where workspace_id = $1 limit 1
       returning seq, (select max(seq) from alert_comment) as highest`,
      [moved.id],
    );
    expect(rows[0]!.seq).toBeGreaterThan(rows[0]!.highest);
    await moveWorkspace({ ...options, from: options.to, to: options.from });
    const after = await contentOf(home);
    expect(after.get('records')).toHaveLength(before.get('records')!.length + 1);
    expect(after.get('action')).toEqual(before.get('action'));
    expect(after.get('alert_comment')).toHaveLength(before.get('alert_comment')!.length + 1);
    expect(await placements(home, north)).toEqual(['here', undefined]);
    expect((await home.query(`select * from workspace_database`)).rows).toEqual([]);
    await expectNoTraces(home, north);
  });

  it('killed at each step in turn, and started again, ends right', long, async () => {
    const { options, home, north } = await pair();
    const before = await contentOf(home);
    for (const step of steps.slice(0, -1)) {
      await expect(
        killedAt(options, (at) => at === step),
        step,
      ).rejects.toThrow('killed');
    }
    await moveWorkspace(options);
    expect(await contentOf(north)).toEqual(before);
    expect(await placements(home, north)).toEqual([undefined, 'here']);
    await expectNoTraces(home, north);
  });

  /** The long form: RINGFENCE_MOVE_KILLS=1. */
  describe.runIf(process.env.RINGFENCE_MOVE_KILLS !== undefined)('killed once', () => {
    const calls = Array.from({ length: 24 }, (_, i) => 3 + i * 5);

    it.each(calls)('at call %i of its progress ends right', long, async (at) => {
      const { options, home, north } = await pair();
      const before = await contentOf(home);
      await killedAt(options, (_, call) => call === at).catch(() => undefined);
      await moveWorkspace(options).catch(() => undefined);
      expect(await contentOf(north)).toEqual(before);
      await expectNoTraces(home, north);
    });
  });
});

/** What people and processes do to the rows at a moment of the move. */
async function change(pool: Pool, note: string): Promise<void> {
  const id = [moved.id];
  await pool.query(`update workspace set changed_at = now() where id = $1`, id);
  await pool.query(`update event set warnings = array['${note}'] where workspace_id = $1 and kind = 'login'`, id);
  await pool.query(`update action set attempts = attempts + 1 where workspace_id = $1`, id);
  await pool.query(
    `insert into attempt (action_id, number, started_at, duration_ms, result, detail)
     select id, 100 + attempts, now(), 1, 'failed', '' from action where workspace_id = $1 order by seq limit 2`,
    id,
  );
  await pool.query(
    `insert into console_count (workspace_id, span, at, name, key, count)
     values ($1, 60, now(), 'event', $2, 1)`,
    [moved.id, note],
  );
  await pool.query(
    `delete from client_note where (workspace_id, subject, seq) in
       (select workspace_id, subject, seq from client_note where workspace_id = $1 limit 1)`,
    id,
  );
  await pool.query(
    `delete from action where id = (select id from action where workspace_id = $1 order by seq limit 1)`,
    id,
  );
}

describe('what changes meanwhile', () => {
  it('is in the target, whenever it changed', long, async () => {
    const { options, home, north } = await pair();
    const log = new PostgresLog({
      connection: options.from.connection,
      pool: home,
      clock: () => Date.now() as EpochMs,
    });
    const appended: number[] = [];
    const refused: unknown[] = [];
    let sweptRows: number | null = null;
    const seen = new Set<string>();
    let rowsBefore: ReadonlyMap<string, readonly string[]> | undefined;
    await moveWorkspace({
      ...options,
      keep: true,
      onProgress: async ({ step }) => {
        if (seen.has(step)) return;
        seen.add(step);
        if (['copying', 'catching up', 'comparing', 'letting go'].includes(step)) {
          await change(home, step);
          const { offset } = (await log.append(moved.id, tick)) as {
            offset: number;
          };
          appended.push(offset);
        }
        if (step === 'closed') {
          refused.push(await change(home, 'late').catch((error: unknown) => error));
          refused.push(await log.append(moved.id, tick).catch((error: unknown) => error));
          const swept = await home.query(`update action set state = 'expired' where workspace_id = $1`, [moved.id]);
          sweptRows = swept.rowCount;
          rowsBefore = await contentOf(home);
        }
      },
    });
    await log.close();
    expect(appended).toHaveLength(4);
    expect(refused).toMatchObject([{ code: '55R01' }, { name: PartitionClosedError.name }]);
    expect(sweptRows).toBe(0);
    expect(await contentOf(north)).toEqual(rowsBefore);
    expect(await placements(home, north)).toEqual(['left', 'here']);
    expect(await contentOf(home)).toEqual(rowsBefore);
    await finishMove(options);
    expect([...(await contentOf(home))].filter(([, rows]) => rows.length > 0)).toEqual([]);
    expect(await contentOf(north)).toEqual(rowsBefore);
    await expectNoTraces(home, north);
  });

  it('is not lost when a writer commits after the workspace was closed', long, async () => {
    const { options, north } = await pair();
    const writer = new Client(options.from.connection);
    await writer.connect();
    open.push(writer);
    let committed: Promise<unknown> | undefined;
    await moveWorkspace({
      ...options,
      onProgress: async ({ step }) => {
        if (step !== 'letting go' || committed !== undefined) return;
        await writer.query('begin');
        await writer.query(`update alert set risk = 77 where workspace_id = $1`, [moved.id]);
        committed = new Promise((resolve) => setTimeout(resolve, 700)).then(() => writer.query('commit'));
      },
    });
    await committed;
    const { rows } = await north.query(`select distinct risk from alert where workspace_id = $1`, [moved.id]);
    expect(rows).toEqual([{ risk: 77 }]);
  });

  it('does not touch rows that are arriving: statements over all workspaces skip them', async () => {
    const { options, north } = await pair();
    await expect(killedAt(options, (step) => step === 'letting go')).rejects.toThrow('killed');
    expect((await north.query(`update action set state = 'expired'`)).rowCount).toBe(0);
    expect((await north.query(`delete from notification_source`)).rowCount).toBe(0);
  });
});

describe('a move that is given up', () => {
  it.each(steps.slice(5, 6))('at "%s" leaves everything as it was', long, async (step) => {
    const { options, home, north } = await pair();
    const before = await contentOf(home);
    await expect(killedAt(options, (at) => at === step)).rejects.toThrow('killed');
    await abortMove(options);
    expect(await contentOf(home)).toEqual(before);
    expect(await placements(home, north)).toEqual(['here', undefined]);
    await home.query(`update alert set risk = risk where workspace_id = $1`, [moved.id]);
    const log = new PostgresLog({
      connection: options.from.connection,
      pool: home,
      clock: () => Date.now() as EpochMs,
    });
    expect(await log.append(moved.id, tick)).toMatchObject({
      kind: 'appended',
    });
    await log.close();
    for (const { name } of movedTables) {
      expect((await north.query(`select 1 from ${name} limit 1`)).rows, name).toEqual([]);
    }
    await expectNoTraces(home, north);
    await moveWorkspace(options);
    expect(await placements(home, north)).toEqual([undefined, 'here']);
  });

  it('cannot be given up once it has switched', long, async () => {
    const { options } = await pair();
    await expect(killedAt(options, (step) => step === 'switched')).rejects.toThrow('killed');
    await expect(abortMove(options)).rejects.toThrow(/is in north already/);
  });
});

describe('a move is refused', () => {
  it('when the target has another workspace of that name', async () => {
    const { options, north } = await pair();
    await north.query(
      `insert into workspace (id, name, environment, settings_owner, keys_owner, policy_owner, settings)
       values ($3, $1, $2, 'api', 'api', 'api', '{}')`,
      [moved.name, moved.environment, `${moved.id.slice(0, -4)}zzzz`],
    );
    await expect(moveWorkspace(options)).rejects.toThrow(/another workspace/);
  });

  it('when the target cannot be reached', async () => {
    const { options } = await pair();
    const connection = { ...options.to.connection, database: 'missing_database' };
    await expect(moveWorkspace({ ...options, to: { name: 'north', connection } })).rejects.toThrow(
      'The database north cannot be reached',
    );
  });
});
