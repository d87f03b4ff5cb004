import { PostgresLog } from '@ringfence/log';
import type { EpochMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEvents } from '../../src/api/events/event-query.ts';
import { migrations } from '../../src/migrations.ts';
import { makePool } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { queriesOver } from '../../src/platform/database/tables.ts';
import { carryEventsOver, eventsLeft } from '../../src/records/event-ranges/carry-over.ts';
import { dropEventRanges, EventRanges } from '../../src/records/event-ranges/event-ranges.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

const workspaceId = 'acme';
const rangeRecords = 1_000;
const network = Buffer.alloc(16, 7);
const before = migrations.findIndex(({ name }) => name === '0059-event-ranges');

let database: TestDatabase;
let pool: Pool;
let log: PostgresLog;

beforeEach(async () => {
  database = await freshDatabase();
  pool = makePool(database.config, 3);
  log = new PostgresLog({ connection: { ...database.config }, pool, clock: () => 0 as EpochMs, rangeRecords });
});
afterEach(async () => {
  await log.close();
  await pool.end();
});

async function rangesOf(): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relname ~ '^event_\\d+_\\d+_\\d+$' order by length(relname), relname`,
  );
  return rows.map(({ name }) => name);
}

async function insert(table: string, from: number, to: number): Promise<void> {
  await pool.query(
    `insert into ${table} (workspace_id, "offset", epoch, kind, logged_at, status)
     select $1, o, 1, 'operation', now(), 'decided' from generate_series($2::bigint, $3) o`,
    [workspaceId, from, to],
  );
}

describe('ranges of events', () => {
  beforeEach(async () => {
    await migrate(database.config, migrations);
    await log.createPartition(workspaceId);
  });

  it('are made for the offsets of a batch, and the next one before it is needed', async () => {
    const ranges = new EventRanges(workspaceId);
    expect(await ranges.make(pool, [])).toBe('event');
    expect(await rangesOf()).toEqual([]);
    await ranges.make(pool, [10, 20]);
    expect(await rangesOf()).toEqual(['event_1_0_1000']);
    await ranges.make(pool, [800, 880]);
    expect(await rangesOf()).toEqual(['event_1_0_1000', 'event_1_1000_2000']);
    await ranges.make(pool, [990, 2_010]);
    expect(await rangesOf()).toEqual(['event_1_0_1000', 'event_1_1000_2000', 'event_1_2000_3000']);
    await insert('event', 990, 2_010);
    // Another process makes the same ones.
    const others = [new EventRanges(workspaceId), new EventRanges(workspaceId)];
    await Promise.all(others.map((other) => other.make(pool, [2_500, 5_000])));
    expect(await rangesOf()).toHaveLength(6);
  });

  it('are dropped whole, without deleting a row, and not while a query reads them', async () => {
    const ranges = new EventRanges(workspaceId);
    await ranges.make(pool, [0, 2_999]);
    await insert('event', 500, 2_600);
    const reader = await pool.connect();
    await reader.query('begin');
    await reader.query('select count(*) from event where workspace_id = $1 and "offset" < 1000', [workspaceId]);
    expect(await dropEventRanges(pool, workspaceId, 2_500)).toBe(0);
    await reader.query('commit');
    reader.release();
    expect(await dropEventRanges(pool, workspaceId, 2_500)).toBe(1_500);
    expect(await rangesOf()).toEqual(['event_1_2000_3000', 'event_1_3000_4000']);
    const { rows } = await pool.query(`select min("offset") as first, count(*) as count from event`);
    expect(rows).toEqual([{ first: 2_000, count: 601 }]);
    await pool.query('select pg_stat_force_next_flush()');
    const deleted = await pool.query(
      `select coalesce(sum(n_tup_del), 0)::integer as rows from pg_stat_user_tables where relname like 'event%'`,
    );
    expect(deleted.rows).toEqual([{ rows: 0 }]);
  });

  it('are wider where more is kept, and never more than some dozens', async () => {
    await pool.query(`update log_partition set end_offset = 32000`);
    const ranges = new EventRanges(workspaceId);
    await ranges.make(pool, [31_000]);
    expect(await rangesOf()).toEqual(['event_1_30000_32000']);
    // Earlier ones end where the next one begins; the next ones are made as they are needed.
    await ranges.make(pool, [29_000, 31_500]);
    await pool.query(`update log_partition set end_offset = 64000`);
    await new EventRanges(workspaceId).make(pool, [33_000]);
    expect(await rangesOf()).toEqual(['event_1_28000_30000', 'event_1_30000_32000', 'event_1_32000_36000']);
    const grown = new EventRanges(workspaceId);
    for (let offset = 36_000; offset < 2_000_000; offset += 1_000) await grown.make(pool, [offset]);
    // Sixteen for each time that the events have doubled.
    expect((await rangesOf()).length).toBeLessThan(16 * 8);
    await pool.query(`update log_partition set start_offset = 1000000`);
    await dropEventRanges(pool, workspaceId, 1_000_000);
    expect((await rangesOf()).length).toBeLessThan(36);
  });

  it('read only what the offsets need', async () => {
    await new EventRanges(workspaceId).make(pool, [0, 3_999]);
    await insert('event', 0, 3_999);
    await pool.query('analyze event');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `explain select * from event where workspace_id = '${workspaceId}' and "offset" >= 3100 order by "offset" desc limit 9`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('event_1_3000_4000');
    expect(plan).not.toMatch(/event_1_[012]_|event_1_[012]000|Sort/);
  });
});

describe('events of an earlier release', () => {
  const said: string[] = [];
  const logger = {
    info: (_: object, message: string) => said.push(message),
    warn: (_: object, message: string) => said.push(message),
  };

  beforeEach(async () => {
    said.length = 0;
    await migrate(database.config, migrations.slice(0, before));
    await log.createPartition(workspaceId);
    await insert('event', 0, 5_999);
    await pool.query(`update event set status = 'waiting' where "offset" = 1234`);
    await pool.query(
      `insert into event_entity (workspace_id, "offset", ip, amount, channel)
       select workspace_id, "offset", case when "offset" % 100 = 0 then $1::bytea end, "offset", 1
         from event where "offset" % 3 <> 1`,
      [network],
    );
    await migrate(database.config, migrations);
  });

  const ofNetwork = async (): Promise<readonly number[]> => {
    const filter = { workspaceId, about: { kind: 'ip', index: network } } as const;
    const { rows } = await findEvents(queriesOver(pool), filter, { limit: 100, before: undefined });
    return rows.map(({ offset }) => offset);
  };
  const expected = Array.from({ length: 60 }, (_, place) => 5_900 - place * 100).filter((offset) => offset % 3 !== 1);
  const sums = async (): Promise<unknown> => {
    const { rows } = await pool.query(
      `select count(*) as events, sum("offset")::bigint as offsets, count(amount) as named, sum(amount)::bigint as amounts from event`,
    );
    return rows[0];
  };
  const all = { events: 6_000, offsets: 17_997_000, named: 4_000, amounts: 11_998_000 };

  it('are found while they are moved, and afterwards', async () => {
    expect(await sums()).toEqual(all);
    expect(await ofNetwork()).toEqual(expected);
    expect(await eventsLeft(pool)).toBeDefined();
    // The engine changes it when its login comes.
    const { rows } = await pool.query(`select "offset" from event_ranges`);
    expect(rows).toEqual([{ offset: 1_234 }]);

    const ranges = new EventRanges(workspaceId);
    const table = await ranges.make(pool, [6_000]);
    expect(table).toBe('event_ranges');
    await insert(table, 6_000, 6_000);
    expect(await sums()).toMatchObject({ events: 6_001 });
    await pool.query(`delete from event_ranges where "offset" = 6000`);

    // Stopped after the first piece.
    const stop = new AbortController();
    const stopping = { ...logger, info: () => setTimeout(() => stop.abort(), 1) };
    await carryEventsOver({ pool, logger: stopping, stop: stop.signal });
    expect(await sums()).toEqual(all);
    expect(await ofNetwork()).toEqual(expected);

    await carryEventsOver({ pool, logger, stop: new AbortController().signal });
    expect(said).toEqual([
      'moving stored events into ranges while the service runs',
      'all stored events are in ranges',
    ]);
    expect(await eventsLeft(pool)).toBeUndefined();
    expect(await sums()).toEqual(all);
    expect(await ofNetwork()).toEqual(expected);
    expect(await rangesOf()).toHaveLength(7);
    ranges.forget();
    expect(await ranges.make(pool, [6_001])).toBe('event');
    await carryEventsOver({ pool, logger, stop: new AbortController().signal });
    expect(said).toHaveLength(2);
  });
});
