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

/** The condition of events that share one property, read from newest to oldest by an index. */
type Trail = RawBuilder<unknown>;

/** Events examined for one page: each step is longer than the one before, 13,000 events in total. */
const steps = [1_000, 3_000, 9_000] as const;
/** Without a trail the events are read in log order, about this many per page of the table, so the reach is larger. */
const neighbours = 8;

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
  const reach = trails.length === 0 ? events * neighbours : events;
  let low = high;
  for (const trail of trails.length === 0 ? [sql`true`] : trails) {
    const { rows } = await sql<{ offset: number }>`
      select e."offset" from event e
       where e.workspace_id = ${workspaceId} and ${trail} and e."offset" < ${high}
       order by e."offset" desc offset ${sql.lit(reach - 1)} limit 1`.execute(database);
    if (rows[0] === undefined) return 0;
    low = Math.min(low, rows[0].offset);
  }
  return low;
}

/** Conditions in the form of the indexes, including the conditions of partial indexes. */
function trailsOf(filter: StoredFilter): readonly Trail[] {
  const { subject, sessionIndex, about, kind, status, channel, currency, fired, reason, payees } = filter;
  const trails: (Trail | undefined)[] = [
    subject === undefined ? undefined : sql`e.subject = ${subject}`,
    sessionIndex === undefined ? undefined : sql`e.session_index = ${sessionIndex}`,
    about === undefined ? undefined : trailOf(about),
    payees === undefined ? undefined : sql`e.payee = any (${payees}::bytea[])`,
    kind === undefined || kind === 'operation' ? undefined : sql`e.kind = ${kind}`,
    status === undefined || status === 'decided' ? undefined : sql`e.status = ${status}`,
    channel === undefined ? undefined : sql`e.channel_id = ${channel}`,
    currency === undefined ? undefined : sql`e.currency = ${currency}`,
    fired === true || reason !== undefined ? sql`(e.fired <> '{}' or e.shadow <> '{}')` : undefined,
  ];
  return trails.filter((trail) => trail !== undefined);
}

function trailOf(about: NonNullable<StoredFilter['about']>): Trail {
  switch (about.kind) {
    case 'client':
      return sql`e.subject = ${about.subject}`;
    case 'session':
      return sql`e.session_index = ${about.index}`;
    default:
      return sql`e.${sql.ref(about.kind)} = ${about.index}`;
  }
}

/**
 * Whether a single index could lead to many events that the other conditions reject. The index on amounts has no offset
 * order, but few events match it, and the query planner takes that into account.
 */
export function isManifold(filter: StoredFilter): boolean {
  const { subject, sessionIndex, about, kind, status, channel, currency, fired, reason, payees } = filter;
  const unindexed = [filter.policyVersion, filter.payeeBank, filter.country];
  if (filter.amountMin !== undefined || filter.amountMax !== undefined) return false;
  const narrowing = [subject, sessionIndex, about, kind, status, channel, currency, reason ?? (fired || undefined)];
  const isOf = [...narrowing, payees].filter((one) => one !== undefined).length;
  return isOf > 1 || unindexed.some((one) => one !== undefined);
}
