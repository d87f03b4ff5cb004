/**
 * Events of a rule are searched in the hours in which it was counted. Whatever was counted or not, the list contains
 * the same events as a scan of all of them.
 */
import { dayMs } from '@ringfence/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putCounts } from '../../src/console/feed/put-counts.ts';
import { ruleSpans } from '../../src/console/rule-spans.ts';
import { makePool } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { migrations } from '../../src/migrations.ts';
import { queriesOver } from '../../src/platform/database/tables.ts';
import type { StoredFilter } from '../../src/api/events/event-filter.ts';
import { findEvents } from '../../src/api/events/event-query.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { makeEventRange } from '../support/event-range.ts';
import { freshDatabase } from '../support/postgres.ts';

const workspaceId = 'acme';
const events = 6_000;
/** Half an hour between events, so that the first are older than the kept hours. */
const daysAgo = (offset: number): number => ((events - offset) * 410) / events;
/** The position of the feed, which one waiting event has not passed. */
const fedTo = 5_900;
const waitingAt = 5_850;
const often = 1;
const seldom = 2;
const never = 3;
/** Fired where its counts are gone, where nothing was counted yet, and once between. */
const atTheEdges = 4;

const database = await freshDatabase();
const pool = makePool(database.config, 3);
const queries = queriesOver(pool);
const edges = [3, 60, 150, 2_000, waitingAt, waitingAt + 1, fedTo, events - 1];
const nowMs = Date.now();
const everybody = Buffer.alloc(16);

function firedOn(offset: number): readonly number[] {
  return [
    ...(offset % 2 === 0 ? [often] : []),
    ...(offset % 1_111 === 10 ? [seldom] : []),
    ...(edges.includes(offset) ? [atTheEdges] : []),
  ];
}

beforeAll(async () => {
  await migrate(database.config, migrations);
  await makeEventRange(pool, workspaceId);
  const offsets = Array.from({ length: events }, (_, offset) => offset);
  await pool.query(
    `insert into event (workspace_id, "offset", epoch, kind, channel_id, logged_at, status, decided_at, fired, shadow)
     select $1, e."offset", 1, 'operation', 1, to_timestamp(e.at_ms / 1000.0), 'decided', now(),
            case when e."offset" % 3 = 0 then '{}' else e.fired::integer[] end,
            case when e."offset" % 3 = 0 then e.fired::integer[] else '{}' end
       from unnest($2::bigint[], $3::float8[], $4::text[]) as e("offset", at_ms, fired)`,
    [
      workspaceId,
      offsets,
      offsets.map((offset) => Math.round(nowMs - daysAgo(offset) * dayMs)),
      offsets.map((offset) => `{${firedOn(offset).join(',')}}`),
    ],
  );
  await inTransaction(pool, async (client) => {
    for (const [from, to] of [
      [0, waitingAt],
      [waitingAt + 1, fedTo],
    ] as const) {
      await putCounts(client, { workspaceId, from, to, late: [], channels: [1] });
    }
  });
  await pool.query('insert into console_position values ($1, $2)', [workspaceId, fedTo]);
  await pool.query('insert into console_waiting values ($1, $2)', [workspaceId, waitingAt]);
  await pool.query(`delete from console_count where at < now() - interval '400 days'`);
  // A network that all events share, and a rare currency.
  await pool.query(`update event set ip = $1, currency = case when "offset" % 500 = 0 then 'USD' else 'MXN' end`, [
    everybody,
  ]);
  await pool.query('vacuum analyze event, console_count');
});
afterAll(() => pool.end());

async function pagesOf(filter: Omit<StoredFilter, 'workspaceId'>, limit: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let before: number | undefined; ;) {
    const { rows: page } = await findEvents(queries, { workspaceId, ...filter }, { limit, before });
    found.push(...page.map(({ offset }) => offset));
    if (page.length < limit) return found;
    before = page.at(-1)!.offset;
  }
}

const byHand = (reason: number, isMeant: (offset: number) => boolean = () => true): readonly number[] =>
  Array.from({ length: events }, (_, i) => events - 1 - i).filter((at) => firedOn(at).includes(reason) && isMeant(at));

it.each([often, seldom, never, atTheEdges])(
  'finds every event of rule %i once, in pages of any size',
  async (reason) => {
    const limits = reason === often ? [7, 500] : [2, 7, 500]; // 3,000 events are too many for pages of two
    for (const limit of limits) expect(await pagesOf({ reason }, limit)).toEqual(byHand(reason));
  },
);

it('can be restricted to a period, and to rare events of a rule that fires often', async () => {
  const [fromMs, toMs] = [nowMs - 300.2 * dayMs, nowMs - 20.3 * dayMs];
  const isThen = (offset: number): boolean => daysAgo(offset) <= 300.2 && daysAgo(offset) > 20.3;
  for (const reason of [often, atTheEdges]) {
    expect(await pagesOf({ reason, fromMs, toMs }, 50)).toEqual(byHand(reason, isThen));
  }
  await pool.query(`update event set kind = 'login' where "offset" in (100, 3000, 5998)`);
  expect(await pagesOf({ reason: often, kind: 'login' }, 2)).toEqual([5998, 3000, 100]);
});

it('reads few events for a rule that rarely fired', async () => {
  const within = { low: 0, high: events };
  let looked = 0;
  for await (const spans of ruleSpans(queries, { workspaceId, reason: seldom, within, fill: 50 })) {
    for (const { low, high } of spans) looked += Math.max(0, high - low);
  }
  // Besides its hours: events that are not counted yet, and those before the kept hours.
  expect(looked).toBeLessThan(events / 15);
});

describe('with an additional filter', () => {
  const about = { kind: 'ip', index: everybody } as const;

  it.each([
    ['a seldom currency', { reason: often, currency: 'USD' }, (at: number) => at % 500 === 0],
    ['a value in all events', { reason: often, about }, () => true],
    ['a rare rule and a value in all events', { reason: seldom, about }, () => true],
  ])('finds every event once: %s', async (_name, filter, isMeant) => {
    for (const limit of [2, 50]) expect(await pagesOf(filter, limit)).toEqual(byHand(filter.reason, isMeant));
  });

  it.each([
    ['no matches among many events', { reason: often, currency: 'EUR' }],
    ['no matches with a value in all events', { reason: never, about }],
    ['few matches with a value in all events', { reason: seldom, about }],
  ])('reads few events for %s', async (_name, filter) => {
    const single = makePool(database.config, 1);
    // Rows, and index look-ups.
    const read = async (): Promise<number> => {
      await single.query('select pg_stat_force_next_flush()');
      const { rows } = await single.query<{ rows: number }>(
        `select sum(seq_tup_read + idx_scan + idx_tup_fetch)::integer as rows from pg_stat_user_tables where relname like 'event%'`,
      );
      return rows[0]!.rows;
    };
    const before = await read();
    await findEvents(queriesOver(single), { workspaceId, ...filter }, { limit: 5 });
    expect((await read()) - before).toBeLessThan(events / 4);
    await single.end();
  });
});

it('finds them when no feed ever ran', async () => {
  await pool.query('delete from console_position');
  expect(await pagesOf({ reason: seldom }, 2)).toEqual(byHand(seldom));
});

it('searches no hours whose events were removed', async () => {
  const kept = 5_800;
  await pool.query('insert into console_position values ($1, $2) on conflict do nothing', [workspaceId, fedTo]);
  await pool.query(`delete from event where "offset" < $1`, [kept]);
  let hours = 0;
  const within = { low: 0, high: events };
  for await (const spans of ruleSpans(queries, { workspaceId, reason: often, within, fill: events })) {
    hours += spans.length;
  }
  // Two events an hour, and the spans that are not counted.
  expect(hours).toBeLessThan((events - kept) / 1.5);
  expect(await pagesOf({ reason: often }, 50)).toEqual(byHand(often, (offset) => offset >= kept));
});
