/** Queries read only the rows that they return, even if many actions have expired or were sent long ago. */
import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { advanceSessions } from '../src/postgres/advance-sessions.ts';
import { PostgresOutbox } from '../src/postgres-outbox.ts';
import { deliverySteps } from '../src/schema.ts';
import { freshDatabase } from './support/postgres.ts';

let pool: Pool;
let outbox: PostgresOutbox;

beforeAll(async () => {
  const { config } = await freshDatabase();
  // One connection, so that it counts all reads. In a table this small the planner would prefer a sequential scan.
  pool = new Pool({ ...config, max: 1, options: '-c enable_seqscan=off -c enable_bitmapscan=off' });
  await pool.query(deliverySteps.join(''));
  // The server creates this index for its own counts.
  await pool.query('create index action_decided on action (workspace_id, decided_at, state)');
  outbox = new PostgresOutbox(pool);
  await pool.query(
    `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, channel_id, payload, format,
                         content_hash, state, decided_at, expires_at, lifetime, due_at)
     select 'act_' || i, 'bank', 1, i, case when i % 1000 = 0 then 7 when i % 4 = 0 then 2 else 1 end, 0, 2, true, 1, '', 'text', '', case when i % 2 = 0 then 'due' else 'executed' end,
            now() - (4000 - i) * interval '1 minute', now() - interval '1 s', '1 hour', now() - interval '1 hour' from generate_series(1, 4000) i`,
  );
  await pool.query('analyze action');
});
afterAll(() => pool.end());

/** Rows of the table that are read while `ask` runs. */
async function rowsRead(ask: () => Promise<unknown>): Promise<number> {
  const read = async (client: Pool | PoolClient): Promise<number> => {
    const { rows } = await client.query<{ count: number }>(
      `select (seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_user_tables where relname = 'action'`,
    );
    return rows[0]!.count;
  };
  await pool.query('begin');
  const before = await read(pool);
  await ask();
  const after = await read(pool);
  await pool.query('rollback');
  return after - before;
}

it('leases due actions without reading all the expired ones', async () => {
  const lease = () => outbox.lease([{ workspaceId: 'bank', urgent: 16, ordinary: 16 }], Date.now());
  expect(await rowsRead(lease)).toBeLessThan(100);
});

it.each([[['dead']], [['dead', 'expired']]] as const)(
  'lists %j actions without reading everything that was sent',
  async (states) => {
    const list = () => outbox.list({ workspaceId: 'bank', states }, 50);
    expect(await rowsRead(list)).toBeLessThan(100);
  },
);

it.each([7, 8])(
  'lists the actions of rule %i, which rarely or never fired, without reading those of other rules',
  async (reason) => {
    const list = () => outbox.list({ workspaceId: 'bank', reason }, 50);
    expect(await rowsRead(list)).toBeLessThan(100);
  },
);

it('lists the executed actions of a rule without reading its other ones', async () => {
  const list = () => outbox.list({ workspaceId: 'bank', reason: 2, states: ['executed'] }, 50);
  expect(await rowsRead(list)).toBeLessThan(100);
});

it.each([
  ['long ago', () => ({ toMs: Date.now() - 3_900 * 60_000 })],
  ['one hour', () => ({ fromMs: Date.now() - 2_000 * 60_000, toMs: Date.now() - 1_940 * 60_000 })],
  ['the last minutes', () => ({ fromMs: Date.now() - 5 * 60_000 })],
])('lists the actions of %s without reading newer or older ones', async (_, of) => {
  const list = () => outbox.list({ workspaceId: 'bank', ...of() }, 50);
  expect(await rowsRead(list)).toBeLessThan(120);
});

it("advances a session without reading other clients' sessions with the same id", async () => {
  const sessionIndex = Buffer.from('web');
  await pool.query(
    `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, channel_id, payload, format,
                         content_hash, state, decided_at, expires_at, lifetime, due_at, subject, session_index)
     select 'act_same_' || i, 'bank', 1, 10000 + i, 1, 0, 6, false, 1, '', 'text', '',
            case when i % 2 = 0 then 'due' else 'waiting' end, now(), now() + interval '1 hour', '1 hour', now(), 'client' || i / 2, $1
       from generate_series(2, 4001) i`,
    [sessionIndex],
  );
  await pool.query('analyze action');
  const session = { workspaceId: 'bank', sessionIndex, channelId: 1, subject: 'client1000' };
  const stateOf = async (id: string): Promise<unknown> =>
    (await pool.query(`select state from action where id = $1`, [id])).rows[0];
  const advance = async (): Promise<void> => {
    await advanceSessions(pool, [session]);
    expect(await stateOf('act_same_2001')).toEqual({ state: 'waiting' });
    await pool.query(`update action set attempts = 1 where id = 'act_same_2000'`);
    await advanceSessions(pool, [session]);
    expect(await stateOf('act_same_2001')).toEqual({ state: 'due' });
  };
  expect(await rowsRead(advance)).toBeLessThan(100);
});
