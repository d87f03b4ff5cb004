import { type Kysely, sql } from 'kysely';
import type { Tables } from '../platform/database/tables.ts';
import { firstOffset, offsetAt } from '../records/first-offset.ts';

/** Offsets from `low` to before `high`. */
export interface Span {
  readonly low: number;
  readonly high: number;
}

export interface RuleSpans {
  readonly workspaceId: string;
  readonly reason: number;
  /** The range to search. */
  readonly within: Span;
  /** The number of wanted events: a step has no more hours than they need, if the rule is the only filter. */
  readonly fill: number;
}

/** Hours of one step: enough to fill a page, and converted to offsets in some milliseconds. */
const hoursMax = 200;
/** Hours are counted for 400 days and may be removed after that. Older events are all searched. */
const hoursTrusted = '399 days';
/** If a step was not enough, the next is this many times longer. */
const growth = 4;

/**
 * Ranges in which a rule may have fired, newest first and without overlap, several at a time: the hours in which the
 * console counted it. A rule that fired five times in a year is found in five hours of it.
 *
 * Uncounted events are in the first and the last step: those that the feed has not reached, and those before the hours
 * that are kept.
 */
export async function* ruleSpans(database: Kysely<Tables>, of: RuleSpans): AsyncGenerator<readonly Span[], void> {
  const { workspaceId, within } = of;
  const { end, since } = await countedRange(database, workspaceId);
  const top = Math.min(within.high, end);
  if (top < within.high) yield [{ low: Math.max(within.low, end), high: within.high }];

  const last = await timeBefore(database, workspaceId, top);
  if (last === undefined || top <= within.low) return;
  let before = new Date(last.getTime() + 1);
  for (let fill = of.fill; ; fill *= growth) {
    const hours = await countedHours(database, { ...of, fill, since, before });
    if (hours.length === 0) break;
    yield hours.map(({ low, high }) => ({ low: Math.max(low, within.low), high: Math.min(high, top) }));
    const oldest = hours.at(-1)!;
    if (oldest.low <= within.low) return;
    before = oldest.at;
  }
  const uncounted = Math.min(top, await firstOffset(database, workspaceId, since));
  if (within.low < uncounted) yield [{ low: within.low, high: uncounted }];
}

/**
 * The offset before which every event is counted, and the hour since which there are both counts and events: retention
 * may have removed the events of most counted hours.
 */
async function countedRange(
  database: Kysely<Tables>,
  workspaceId: string,
): Promise<{ readonly end: number; readonly since: Date }> {
  const { rows } = await sql<{ end: number; since: Date }>`
    select least(p.next_offset, (select min(w."offset") from console_waiting w where w.workspace_id = p.workspace_id))::bigint as "end",
           greatest((select min(c.at) from console_count c where c.workspace_id = p.workspace_id and c.span = 3600),
                    date_bin('1 hour', now() - ${sql.lit(hoursTrusted)}::interval, 'epoch'),
                    (select date_bin('1 hour', e.logged_at, 'epoch') from event e where e.workspace_id = p.workspace_id
                      order by e."offset" limit 1)) as since
      from console_position p where p.workspace_id = ${workspaceId}`.execute(database);
  return rows[0] ?? { end: 0, since: new Date(0) };
}

/** The time at which the last event before an offset was stored. */
async function timeBefore(database: Kysely<Tables>, workspaceId: string, offset: number): Promise<Date | undefined> {
  const found = await database
    .selectFrom('event')
    .select('logged_at')
    .where('workspace_id', '=', workspaceId)
    .where('offset', '<', offset)
    .orderBy('offset', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.logged_at;
}

/** Hours that began before an instant and in which the rule fired, newest first, as offsets of their events. */
async function countedHours(
  database: Kysely<Tables>,
  of: Omit<RuleSpans, 'within'> & { readonly since: Date; readonly before: Date },
): Promise<readonly (Span & { readonly at: Date })[]> {
  const { workspaceId, reason, fill, since, before } = of;
  // An hour ends where the next one begins, if that is one of them: each conversion takes some twenty look-ups.
  const { rows } = await sql<Span & { at: Date }>`
    with hours as materialized (
      select at, ${offsetAt(workspaceId, sql`at`)} as low
        from (select at, sum(count) over (order by at desc) - count as newer
                from (select at, sum(count) as count from console_count
                       where workspace_id = ${workspaceId} and span = 3600 and name in ('rule', 'shadow')
                         and key = ${String(reason)} and at < ${before} and at >= ${since}
                       group by at order by at desc limit ${sql.lit(hoursMax)}) counted) enough
       where newer < ${fill})
    select at, low,
           case when lag(at) over newest = at + interval '1 hour' then lag(low) over newest
                else ${offsetAt(workspaceId, sql`at + interval '1 hour'`)} end as high
      from hours window newest as (order by at desc) order by at desc`.execute(database);
  return rows;
}
