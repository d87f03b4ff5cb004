import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { firstOffset } from '../../records/first-offset.ts';
import type { EventRow, StoredFilter } from '../events/event-filter.ts';

/** Rows of a page, newest first, and how far back events were looked at. */
export interface FoundEvents {
  readonly rows: readonly EventRow[];
  /** Nothing before this offset was looked at, although there may be more; `undefined`: all was, or the page is full. */
  readonly lookedTo?: number;
}

/** Events with one thing in common, which an index leads to from the newest back. */
interface Trail {
  readonly table: 'event' | 'event_entity';
  readonly condition: RawBuilder<unknown>;
}

/** Of one page: events are looked at in steps, each longer than the one before, 13,000 of them in all. */
const steps = [1_000, 3_000, 9_000] as const;
/** Where there is no trail the events are neighbours: so many lie together on a page of the table. */
const neighbours = 8;
/** What an event names has its own table, from which each event is looked up by itself: some five pages more for each. */
const besideShare = 4;

/**
 * A page of events with several things in common, of which some may be seldom, or never be found together. The trail that
 * reaches back the furthest with so many events is followed; after some thousand that are not what is asked for the page ends as
 * it is, and says how far it came. So no request reads all events of a client who has a hundred thousand.
 *
 * @param find what is asked for from `low` on, before `high`
 */
export async function walkBack(
  database: Kysely<Tables>,
  filter: StoredFilter,
  of: {
    readonly limit: number;
    readonly before: number | undefined;
    readonly find: (span: {
      readonly low: number;
      readonly high: number;
      readonly limit: number;
    }) => Promise<readonly EventRow[]>;
  },
): Promise<FoundEvents> {
  const { workspaceId, fromMs, toMs } = filter;
  const { limit, before = Number.MAX_SAFE_INTEGER, find } = of;
  const offsetOf = (ms: number): Promise<number> => firstOffset(database, workspaceId, new Date(ms));
  const floor = fromMs === undefined ? 0 : await offsetOf(fromMs);
  let high = toMs === undefined ? before : Math.min(before, await offsetOf(toMs));
  const trails = trailsOf(filter);
  const rows: EventRow[] = [];
  for (const events of steps) {
    if (high <= floor) break;
    const low = Math.max(floor, await furthest(database, { workspaceId, trails, high, events }));
    rows.push(...(await find({ low, high, limit: limit - rows.length })));
    if (rows.length >= limit) return { rows };
    high = low;
  }
  return high <= floor ? { rows } : { rows, lookedTo: high };
}

/** Where the furthest of the trails is after so many events; 0 when one of them has no more. */
async function furthest(
  database: Kysely<Tables>,
  of: {
    readonly workspaceId: string;
    readonly trails: readonly Trail[];
    readonly high: number;
    readonly events: number;
  },
): Promise<number> {
  const { workspaceId, trails, high, events } = of;
  const followed: readonly (Trail & { readonly reach: number })[] =
    trails.length === 0
      ? [{ table: 'event', condition: sql`true`, reach: events * neighbours }]
      : trails.map((trail) => ({ ...trail, reach: trail.table === 'event' ? events : events / besideShare }));
  let low = high;
  for (const { table, condition, reach } of followed) {
    const { rows } = await sql<{ offset: number }>`
      select e."offset" from ${sql.table(table)} e
       where e.workspace_id = ${workspaceId} and ${condition} and e."offset" < ${high}
       order by e."offset" desc offset ${sql.lit(reach - 1)} limit 1`.execute(database);
    if (rows[0] === undefined) return 0;
    low = Math.min(low, rows[0].offset);
  }
  return low;
}

/** As their indexes have them, partial ones with their condition. */
function trailsOf(filter: StoredFilter): readonly Trail[] {
  const { subject, sessionIndex, about, kind, status, channel, currency, fired, reason } = filter;
  const trails: (Trail | undefined)[] = [
    subject === undefined ? undefined : onEvent(sql`e.subject = ${subject}`),
    sessionIndex === undefined ? undefined : onEvent(sql`e.session_index = ${sessionIndex}`),
    about === undefined ? undefined : trailOf(about),
    kind === undefined || kind === 'operation' ? undefined : onEvent(sql`e.kind = ${kind}`),
    status === undefined || status === 'decided' ? undefined : onEvent(sql`e.status = ${status}`),
    channel === undefined ? undefined : onNames(sql`e.channel = ${channel}`),
    currency === undefined ? undefined : onNames(sql`e.currency = ${currency}`),
    fired === true || reason !== undefined ? onEvent(sql`(e.fired <> '{}' or e.shadow <> '{}')`) : undefined,
  ];
  return trails.filter((trail) => trail !== undefined);
}

function trailOf(about: NonNullable<StoredFilter['about']>): Trail {
  switch (about.kind) {
    case 'client':
      return onEvent(sql`e.subject = ${about.subject}`);
    case 'session':
      return onEvent(sql`e.session_index = ${about.index}`);
    default:
      return onNames(sql`e.${sql.ref(about.kind)} = ${about.index}`);
  }
}

function onEvent(condition: RawBuilder<unknown>): Trail {
  return { table: 'event', condition };
}

function onNames(condition: RawBuilder<unknown>): Trail {
  return { table: 'event_entity', condition };
}

/**
 * Whether an index alone may lead to events that are not asked for, many of them. Amounts have an index that knows no order:
 * what they leave is few, and the database weighs it.
 */
export function isManifold(filter: StoredFilter): boolean {
  const { subject, sessionIndex, about, kind, status, channel, currency, fired, reason, policyVersion } = filter;
  if (filter.amountMin !== undefined || filter.amountMax !== undefined) return false;
  const narrowing = [subject, sessionIndex, about, kind, status, channel, currency, reason ?? (fired || undefined)];
  const isOf = narrowing.filter((one) => one !== undefined).length;
  return isOf > 1 || policyVersion !== undefined;
}
