import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleFeed } from '../../src/console/feed/console-feed.ts';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit, feedOf } from './support/console-kit.ts';

/** Enough to distinguish a table scan from index look-ups. */
const many = 20_000;

let kit: ConsoleKit;
/** One connection, so that its reads are counted immediately. */
let single: Pool;
let feed: ConsoleFeed;

beforeAll(async () => {
  kit = await consoleKit();
  await kit.send('login', login('ana'));
  for (let i = 0; i < 7; i++) await kit.send('operation', payment('ana'));
  await kit.fed();
  single = new Pool({ ...kit.pool.options, max: 1 });
  feed = feedOf(kit, single);
  // Room before the first record.
  await single.query(`select event_make_range(partition, number, -range_records, 0) from log_partition`);
});

afterAll(async () => {
  await single.end();
  await kit.close();
});

/** Rows of events and actions read by the feed's connection so far. */
async function rowsRead(): Promise<number> {
  await single.query('select pg_stat_force_next_flush()');
  const { rows } = await single.query<{ rows: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as rows
       from pg_stat_user_tables where relname like 'event%' or relname = 'action'`,
  );
  return rows[0]!.rows;
}

/** Adds copies of an event and of an action before the existing ones, which the console has already processed. */
async function fill(state: string, finished: string): Promise<void> {
  await single.query('delete from action');
  await single.query(
    `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, channel_id, payload, format,
                         content_hash, state, decided_at, expires_at, lifetime, due_at, finished_at)
     select 'act_' || n, workspace_id, epoch, "offset" - n, 101, 0, 3, false, 1, '', 'text', '', $1, now(), now(), '1 minute',
            now(), ${finished}
       from event cross join generate_series(1, $2::integer) n where "offset" = (select max("offset") from event)`,
    [state, many],
  );
  await single.query('analyze event, action');
}

it.each([
  ['observed', 'null'],
  ['executed', `now() - interval '1 hour'`],
])('reads neither all events nor all actions when nothing is new (%s)', async (state, finished) => {
  await single.query(
    `insert into event (workspace_id, "offset", epoch, kind, channel_id, logged_at, status)
     select workspace_id, "offset" - n, epoch, kind, channel_id, logged_at, 'decided'
       from event cross join generate_series(1, $1::integer) n where "offset" = (select max("offset") from event)
         on conflict do nothing`,
    [many],
  );
  await fill(state, finished);
  await feed.round();
  const before = await rowsRead();
  await feed.round();
  expect((await rowsRead()) - before).toBeLessThan(100);
});

it('does not read all actions when one has ended', async () => {
  await fill('executed', `now() - interval '1 hour'`);
  await feed.round();
  await single.query(`update action set finished_at = now() where id = 'act_1'`);
  const before = await rowsRead();
  await feed.round();
  expect((await rowsRead()) - before).toBeLessThan(100);
  const told = await single.query(`select 1 from console_live where kind = 'action' and ref like 'act_1 %'`);
  expect(told.rowCount).toBe(1);
});
