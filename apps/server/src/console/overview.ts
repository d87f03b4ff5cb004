import type { Pool } from 'pg';
import { queriesOver } from '../platform/database/tables.ts';
import { firstOffset } from '../records/first-offset.ts';

/** Most buckets of one response: a chart is not wider. */
const bucketsMax = 150;
/** Possible bucket lengths in seconds; all of them divide a day. */
const bucketSeconds = [60, 300, 900, 3_600, 21_600, 86_400, 604_800] as const;
/** Older periods are counted by hours, because their minutes are removed. */
const minutesKeptMs = 3 * 86_400_000;
/** Names in each list except that of rules, which is complete: an omitted rule would look as if it never fired. */
const topMax = 10;
/** A session without an event for this long counts as idle here, whatever its channel's setting is. */
const activeMs = 30 * 60_000;
/** The newest events, examined for the sessions. */
const activeEventsMax = 20_000;

export interface OverviewRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface OverviewBucket {
  readonly atMs: number;
  readonly counts: Readonly<Record<string, number>>;
}

export interface Overview {
  readonly bucketSeconds: number;
  readonly buckets: readonly OverviewBucket[];
  /** By name and key, the greatest first. */
  readonly tops: ReadonlyMap<string, readonly { readonly key: string; readonly count: number }[]>;
  readonly activeSessions: number;
}

/** The bucket length in seconds with which a range has at most 150 buckets. */
function bucketFor({ fromMs, toMs }: OverviewRange): number {
  const seconds = (toMs - fromMs) / 1_000;
  return bucketSeconds.find((one) => seconds / one <= bucketsMax) ?? bucketSeconds.at(-1)!;
}

/** Figures of a workspace over a period. Buckets begin at whole multiples of their length; empty ones are included. */
export async function readOverview(
  pool: Pool,
  workspaceId: string,
  of: OverviewRange & { readonly nowMs: number },
): Promise<Overview> {
  const { toMs, nowMs } = of;
  const seconds = bucketFor(of);
  const span = seconds < 3_600 && of.fromMs >= nowMs - minutesKeptMs ? 60 : 3_600;
  const bucket = Math.max(seconds, span);
  const fromMs = Math.floor(of.fromMs / (bucket * 1_000)) * bucket * 1_000;
  const range = [new Date(fromMs), new Date(toMs)] as const;
  const [counted, tops, activeSessions] = await Promise.all([
    pool.query<CountRow>({
      name: 'overview_counts',
      // Changes that the feed has not added yet are included: both are read in one snapshot, so that nothing counts
      // twice.
      text: `select floor(extract(epoch from at) / $5) * $5 as at_s, name || '.' || key as name, sum(count)::bigint as count
               from (select at, name, key, count from console_count
                      where workspace_id = $1 and span = $2 and at >= $3 and at < $4 and name in ('event', 'decision', 'action')
                     union all
                     select at, 'action', state, count from console_action where workspace_id = $1 and at >= $3 and at < $4) counted
              group by 1, 2`,
      values: [workspaceId, span, ...range, bucket],
    }),
    pool.query<{ name: string; key: string; count: number }>({
      name: 'overview_tops',
      text: `select name, key, count from (
               select name, key, sum(count)::bigint as count,
                      row_number() over (partition by name order by sum(count) desc, key) as place
                 from console_count
                where workspace_id = $1 and span = $2 and at >= $3 and at < $4 and name not in ('event', 'decision', 'action')
                group by name, key) ranked
              where place <= ${topMax} or name in ('rule', 'shadow') order by name, place`,
      values: [workspaceId, span, ...range],
    }),
    countActiveSessions(pool, workspaceId, nowMs),
  ]);
  return {
    bucketSeconds: bucket,
    buckets: bucketsOf({ fromMs, toMs, bucketMs: bucket * 1_000 }, counted.rows),
    tops: Map.groupBy(tops.rows, ({ name }) => name),
    activeSessions,
  };
}

async function countActiveSessions(pool: Pool, workspaceId: string, nowMs: number): Promise<number> {
  const first = await firstOffset(queriesOver(pool), workspaceId, new Date(nowMs - activeMs));
  const found = await pool.query<{ count: number }>({
    name: 'overview_sessions',
    // Counted after grouping: a distinct count would sort all of them.
    text: `select count(*) as count from (
             select distinct session_index from (
               select session_index from event where workspace_id = $1 and "offset" >= $2
                order by "offset" desc limit ${activeEventsMax}) recent
              where session_index is not null) sessions`,
    values: [workspaceId, first],
  });
  return found.rows[0]!.count;
}

interface CountRow {
  readonly at_s: number | string;
  readonly name: string;
  readonly count: number;
}

function bucketsOf(
  of: { readonly fromMs: number; readonly toMs: number; readonly bucketMs: number },
  rows: readonly CountRow[],
): readonly OverviewBucket[] {
  const byTime = Map.groupBy(rows, ({ at_s: seconds }) => Number(seconds) * 1_000);
  const buckets: OverviewBucket[] = [];
  for (let atMs = of.fromMs; atMs < of.toMs; atMs += of.bucketMs) {
    const counts = (byTime.get(atMs) ?? []).map(({ name, count }) => [name, count] as const);
    buckets.push({ atMs, counts: Object.fromEntries(counts) });
  }
  return buckets;
}
