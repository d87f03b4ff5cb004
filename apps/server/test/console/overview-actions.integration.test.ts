/** The overview shows the same counts as the table of actions, without reading it. */
import { dayMs, hourMs } from '@ringfence/contract';
import { PostgresOutbox } from '@ringfence/delivery';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addActions } from '../../src/console/feed/console-feed.ts';
import { readOverview } from '../../src/console/overview.ts';
import { makePool } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { migrations } from '../../src/migrations.ts';
import { freshDatabase } from '../support/postgres.ts';

const workspaceId = 'acme';
const nowMs = Date.now();
const before = migrations.findIndex(({ name }) => name.endsWith('console-actions'));
const states = ['waiting', 'due', 'held', 'executed', 'notExecuted', 'dead', 'observed'] as const;

const database = await freshDatabase();
const pool = makePool(database.config, 4);
const outbox = new PostgresOutbox(pool);

/** Some actions of each state, decided from 90 days ago until now. */
const putActions = (name: string, perState: number): Promise<unknown> =>
  pool.query(
    `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, channel_id, payload, format,
                         content_hash, state, decided_at, expires_at, lifetime, due_at)
     select $1 || w.id || s.state || n, w.id, 1, n, 101, 0, 3, false, 1, '', 'text', '', s.state, d.at, d.at + interval '1 year',
            interval '1 year', d.at
       from unnest(array['acme', 'other']) w(id), unnest($2::text[]) s(state), generate_series(1, $3::integer) n,
            lateral (select now() - make_interval(mins => (90 * 1440 * (n - 1) / $3::integer)) as at) d
      where w.id = 'acme' or n = 1
         on conflict do nothing`,
    [name, states, perState],
  );

/** The counts of the overview, and of the table. */
async function counted(days: number): Promise<Readonly<Record<'told' | 'there', object>>> {
  const overview = await readOverview(pool, workspaceId, { fromMs: nowMs - days * dayMs, toMs: nowMs + hourMs, nowMs });
  const told: Record<string, number> = {};
  for (const { counts } of overview.buckets) {
    for (const [name, count] of Object.entries(counts)) if (count !== 0) told[name] = (told[name] ?? 0) + count;
  }
  const found = await pool.query<{ state: string; count: number }>(
    `select 'action.' || case when state in ('waiting', 'due', 'leased') then 'open' else state end as state, count(*)::integer
       from action where workspace_id = $1 and decided_at >= $2 group by 1`,
    [workspaceId, new Date(overview.buckets[0]!.atMs)],
  );
  return { told, there: Object.fromEntries(found.rows.map(({ state, count }) => [state, count])) };
}

async function expectExact(): Promise<void> {
  for (const days of [1, 90]) {
    const { told, there } = await counted(days);
    expect(told).toEqual(there);
  }
}

beforeAll(async () => {
  await migrate(database.config, migrations.slice(0, before));
  await putActions('before', 500);
  await migrate(database.config, migrations);
});
afterAll(() => pool.end());

it('counts those that existed before', expectExact);

it('counts new actions and every change of them, before and after the feed has added it', async () => {
  const all = { filter: { workspaceId } };
  const changes: readonly (() => Promise<unknown>)[] = [
    () => putActions('more', 200),
    () => putActions('more', 200), // already there
    () => outbox.lease([{ workspaceId, urgent: 0, ordinary: 50 }], nowMs),
    () => outbox.release({ filter: { workspaceId, toMs: nowMs - 60 * dayMs } }, nowMs),
    () => outbox.drop(all, nowMs),
    () => outbox.redeliver(all, nowMs, ['dead']),
    () => outbox.tidy(nowMs + 400 * dayMs),
    () => pool.query(`update action set outcome = null, outcome_claimed = null where outcome is not null`),
  ];
  for (const change of changes) {
    await change();
    await expectExact();
    await Promise.all([addActions(pool), addActions(pool), addActions(pool)]);
    await expectExact();
  }
  expect((await pool.query('select 1 from console_action')).rowCount).toBe(0);
  const other = await readOverview(pool, 'other', { fromMs: nowMs - dayMs, toMs: nowMs + hourMs, nowMs });
  expect(other.buckets.some(({ counts }) => Object.keys(counts).length > 0)).toBe(true);
});

it('counts once what the feed adds concurrently', async () => {
  for (let turn = 0; turn < 10; turn++) {
    await putActions(`turn${turn}`, 20);
    const { there } = await counted(90);
    const [seen] = await Promise.all([counted(90), addActions(pool)]);
    expect(seen.told).toEqual(there);
  }
});

it('includes actions that were removed because of their age, as it does for events', async () => {
  const { told } = await counted(90);
  expect(await outbox.removeFinished({ workspaceId, beforeMs: nowMs - 30 * dayMs, limit: 100 })).toBe(100);
  expect((await counted(90)).told).toEqual(told);
});

it('reads no action, however many there are', async () => {
  const single = new Pool({ ...pool.options, max: 1 });
  const actionsRead = async (): Promise<number> => {
    await single.query('select pg_stat_force_next_flush()');
    const { rows } = await single.query<{ read: number }>(
      `select (t.seq_tup_read + i.read)::integer as read from pg_stat_user_tables t,
              lateral (select sum(idx_tup_read) as read from pg_stat_user_indexes where relid = t.relid) i where relname = 'action'`,
    );
    return rows[0]!.read;
  };
  try {
    const read = await actionsRead();
    await readOverview(single, workspaceId, { fromMs: nowMs - 90 * dayMs, toMs: nowMs, nowMs });
    expect((await actionsRead()) - read).toBe(0);
  } finally {
    await single.end();
  }
});
