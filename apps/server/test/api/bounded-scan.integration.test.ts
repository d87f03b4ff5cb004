/**
 * Searches with several conditions examine a bounded number of events per request: the pages together contain
 * everything that a full scan finds, and no page reads all events.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePool } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { queriesOver } from '../../src/platform/database/tables.ts';
import type { StoredFilter } from '../../src/api/events/event-filter.ts';
import { findEvents } from '../../src/api/events/event-query.ts';
import { migrations } from '../../src/migrations.ts';
import { makeEventRange } from '../support/event-range.ts';
import { freshDatabase } from '../support/postgres.ts';

const workspaceId = 'bank';
const events = 60_000;
const startMs = Date.UTC(2026, 0, 1);
const network = Buffer.alloc(16, 1);
const database = await freshDatabase();
// A single connection, so that the statistics count everything that is read.
const pool = makePool(database.config, 1);
const queries = queriesOver(pool);

interface Told {
  readonly kind: 'login' | 'logout' | 'operation';
  readonly subject: string;
  readonly policyVersion: number;
  readonly channel: number;
  readonly isOfNetwork: boolean;
}

/** Half of the events belong to one client, who logged out only in the beginning. */
function told(offset: number): Told {
  const isBig = offset % 2 === 0;
  return {
    kind: offset < 3_000 && offset % 100 === 0 ? 'logout' : offset % 5 === 1 ? 'login' : 'operation',
    subject: isBig ? 'big' : `client${offset % 5_000}`,
    policyVersion: offset < 500 ? 1 : 2,
    channel: offset % 7_001 === 0 ? 9 : 1,
    isOfNetwork: offset % 3 === 0,
  };
}

beforeAll(async () => {
  await migrate(database.config, migrations);
  await makeEventRange(pool, workspaceId);
  const rows = Array.from({ length: events }, (_, offset) => ({ offset, ...told(offset) }));
  const columns = [
    rows.map(({ offset }) => offset),
    rows.map(({ kind }) => kind),
    rows.map(({ subject }) => subject),
    rows.map(({ policyVersion }) => policyVersion),
    rows.map(({ isOfNetwork }) => isOfNetwork),
    rows.map(({ channel }) => channel),
  ];
  await pool.query(
    `insert into event (workspace_id, "offset", epoch, kind, subject, channel_id, logged_at, status, decided_at, policy_version, ip)
     select $1, e."offset", 1, e.kind, e.subject, e.channel, to_timestamp($2 / 1000.0) + e."offset" * interval '1 second',
            'decided', now(), e.version, case when e.named then $3::bytea end
       from unnest($4::bigint[], $5::text[], $6::text[], $7::integer[], $8::boolean[], $9::integer[])
         as e("offset", kind, subject, version, named, channel)`,
    [workspaceId, startMs, network, ...columns],
  );
  await pool.query('vacuum analyze event');
});
afterAll(() => pool.end());

const logouts = Array.from({ length: 30 }, (_, i) => i * 100).toReversed();
const about = { kind: 'ip', index: network } as const;

it.each<[string, Omit<StoredFilter, 'workspaceId'>, (offset: number) => boolean]>([
  ['a client, a rare kind', { subject: 'big', kind: 'logout' }, (offset) => logouts.includes(offset)],
  ['a client, a kind that never occurred', { subject: 'client77', kind: 'logout' }, () => false],
  ['an address, a rare kind', { about, kind: 'logout' }, (o) => logouts.includes(o) && o % 3 === 0],
  ['a client, another state', { subject: 'big', status: 'quarantined' }, () => false],
  ['an old version', { policyVersion: 1 }, (offset) => offset < 500],
  ['a version that never existed', { policyVersion: 7 }, () => false],
  ['a client, an old version', { subject: 'big', policyVersion: 1 }, (o) => o < 500 && o % 2 === 0],
  ['a rare channel, a client', { channel: 9, subject: 'big' }, (offset) => offset % 14_002 === 0],
  [
    'a client, a kind, in a time range',
    { subject: 'big', kind: 'logout', fromMs: startMs + 200_000, toMs: startMs + 1_000_000 },
    (offset) => logouts.includes(offset) && offset >= 200 && offset < 1_000,
  ],
])('finds %s: all of them, newest first, on pages that may be short', async (_, filter, isMeant) => {
  const found: number[] = [];
  let pages = 0;
  for (let before: number | undefined = events; before !== undefined; pages++) {
    const { rows, lookedTo } = await findEvents(queries, { workspaceId, ...filter }, { limit: 20, before });
    found.push(...rows.map(({ offset }) => offset));
    before = lookedTo ?? (rows.length < 20 ? undefined : rows.at(-1)!.offset);
  }
  const meant = Array.from({ length: events }, (__, i) => events - 1 - i).filter(isMeant);
  expect(found).toEqual(meant);
  expect(pages).toBeLessThan(60);
});

/** Rows of the tables that the query reads. */
async function rowsRead(ask: () => Promise<unknown>): Promise<number> {
  const read = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as count from pg_stat_xact_user_tables
        where relname like 'event%'`,
    );
    return rows[0]!.count;
  };
  await pool.query('begin; set local enable_seqscan = off');
  const before = await read();
  await ask();
  const after = await read();
  await pool.query('rollback');
  return after - before;
}

it.each([
  ['a client, a kind', { subject: 'big', kind: 'login' }],
  ['an address, a kind', { about, kind: 'logout' }],
] as const)('one page of %s that never occur together reads a few thousand events', async (_, filter) => {
  const ask = () => findEvents(queries, { workspaceId, ...filter }, { limit: 20 });
  expect(await rowsRead(ask)).toBeLessThan(20_000);
});

it.each([
  ['an address', { about }],
  ['a channel', { channel: 1 }],
  ['an address, in a time range', { about, toMs: startMs + 2_000_000 }],
] as const)('a page of %s far back reads its own events, and no newer ones', async (_, filter) => {
  const ask = () => findEvents(queries, { workspaceId, ...filter }, { limit: 20, before: 2_500 });
  const read = await rowsRead(async () => {
    // The query planner chooses this plan itself among millions of events.
    await pool.query('set local enable_nestloop = off');
    expect((await ask()).rows).toHaveLength(20);
  });
  expect(read).toBeLessThan(5_000);
});
