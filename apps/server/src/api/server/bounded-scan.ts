import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { firstOffset } from '../../records/first-offset.ts';
import type { EventRow, StoredFilter } from '../events/event-filter.ts';

/** Rows of a page, newest first, and how far back the scan went. */
export interface FoundEvents {
  readonly rows: readonly EventRow[];
  /**
   * Offset where the scan stopped early: earlier events were not examined. `undefined` if everything was examined or
   * the page is full.
   */
  readonly lookedTo?: number;
}

/** Events that share one property, read from newest to oldest by an index. */
interface Trail {
  readonly table: 'event' | 'event_entity';
  readonly condition: RawBuilder<unknown>;
}

/** Events examined for one page: each step is longer than the one before, 13,000 events in total. */
const steps = [1_000, 3_000, 9_000] as const;
/** Without a trail the events are read in log order, about this many per page of the table, so the reach is larger. */
const neighbours = 8;
/**
 * Entities are in their own table. Looking up each of their events costs some five page reads more, so the reach is
 * smaller.
 */
const besideShare = 4;

/**
 * Reads a page of events that match several conditions, some of which may be rare, or never occur together. Each step
 * follows the trail that reaches back furthest for its number of events; after 13,000 events without a full page the
 * page ends early and reports how far the scan came. So no request reads all events of a client who has a hundred
 * thousand.
 *
 * @param find reads the matching events with offsets from `low`, before `high`
 */
export async function scanBack(
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

/** The smallest offset that any trail reaches after `events` events; 0 if a trail has fewer events left. */
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

/** Conditions in the form of the indexes, including the conditions of partial indexes. */
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
 * Whether a single index could lead to many events that the other conditions reject. The index on amounts has no offset
 * order, but few events match it, and the query planner takes that into account.
 */
export function isManifold(filter: StoredFilter): boolean {
  const { subject, sessionIndex, about, kind, status, channel, currency, fired, reason, policyVersion } = filter;
  if (filter.amountMin !== undefined || filter.amountMax !== undefined) return false;
  const narrowing = [subject, sessionIndex, about, kind, status, channel, currency, reason ?? (fired || undefined)];
  const isOf = narrowing.filter((one) => one !== undefined).length;
  return isOf > 1 || policyVersion !== undefined;
}
