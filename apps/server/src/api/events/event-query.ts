import { type ExpressionBuilder, type Kysely, sql, type SqlBool, type Expression } from 'kysely';
import type { EntityRef } from '../../console/entity-ref.ts';
import { ruleSpans, type Span } from '../../console/rule-spans.ts';
import { firstOffset, offsetAt } from '../../records/first-offset.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { EventPage, EventRow, StoredFilter } from './event-filter.ts';
import { type FoundEvents, isManifold, scanBack } from '../server/bounded-scan.ts';

type Builder = ExpressionBuilder<Tables, 'event'>;

/**
 * Finds events. Every list reads an index from its newest end and stops when the page is full. `logged_at` never
 * decreases with the offset, so times are converted to offsets first: otherwise a range that ended long ago would
 * require reading everything that came after it. Measured: docs/internals/console-queries.md.
 */

export async function findEvents(
  database: Kysely<Tables>,
  filter: StoredFilter,
  page: EventPage,
): Promise<FoundEvents> {
  const { reason, status = 'decided' } = filter;
  // With few exceptions, only decided events fired a rule.
  if (reason === undefined || status !== 'decided') return findPage(database, filter, page);
  if (await isOfFew(database, filter)) return { rows: await pageOf(database, filter, page).execute() };
  return findFired(database, { ...filter, reason }, page);
}

/** With a single condition, its index leads from event to event; with several, the scan is bounded. */
async function findPage(database: Kysely<Tables>, filter: StoredFilter, page: EventPage): Promise<FoundEvents> {
  if (!isManifold(filter)) return { rows: await pageOf(database, filter, page).execute() };
  const { fromMs: _from, toMs: _to, ...rest } = filter;
  return scanBack(database, filter, {
    ...page,
    before: page.before,
    find: ({ low, high, limit }) =>
      pageOf(database, rest, { limit, before: high }).where('event.offset', '>=', low).execute(),
  });
}

/** Up to this many events are examined one by one; an address shared by a whole network has more. */
const fewMax = 500;

/** Whether a client, a session or an entity has few events, so that the other conditions do not matter. */
async function isOfFew(database: Kysely<Tables>, filter: StoredFilter): Promise<boolean> {
  const { workspaceId, subject, sessionIndex, about } = filter;
  if ([subject, sessionIndex, about].every((one) => one === undefined)) return false;
  const named = await pageOf(
    database,
    { workspaceId, subject, sessionIndex, ...(about && { about }) },
    { limit: fewMax },
  )
    .clearSelect()
    .select('event.offset')
    .execute();
  return named.length < fewMax;
}

/** Whether other conditions narrow the events of a rule, which has its own index. */
function isNarrowedBeside(filter: StoredFilter): boolean {
  const { subject, sessionIndex, about, kind, channel, currency, amountMin, amountMax } = filter;
  const { payees, payeeBank, country } = filter;
  const narrowing = [subject, sessionIndex, about, kind, channel, currency, amountMin, amountMax, payees];
  return [...narrowing, payeeBank, country].some((one) => one !== undefined);
}

/**
 * Steps over hours, some thousand events. After these, the rule is assumed to fire often and the other conditions to be
 * the rare ones.
 */
const stepsMax = 3;

/**
 * Finds events on which a rule fired. Rules may fire rarely: only hours in which this rule was counted are examined. If
 * the rule fires often, the other conditions may be the rare ones: after some steps without a full page, the scan
 * follows those instead.
 */
async function findFired(
  database: Kysely<Tables>,
  filter: StoredFilter & { readonly reason: number },
  { limit, before = Number.MAX_SAFE_INTEGER }: EventPage,
): Promise<FoundEvents> {
  const { workspaceId, reason, fromMs, toMs, ...rest } = filter;
  const offsetOf = (ms: number): Promise<number> => firstOffset(database, workspaceId, new Date(ms));
  const low = fromMs === undefined ? 0 : await offsetOf(fromMs);
  let high = toMs === undefined ? before : Math.min(before, await offsetOf(toMs));
  const found: EventRow[] = [];
  let steps = 0;
  for await (const spans of ruleSpans(database, { workspaceId, reason, within: { low, high }, fill: limit })) {
    found.push(
      ...(await findInSpans(database, { ...rest, workspaceId, reason }, { spans, limit: limit - found.length })),
    );
    if (found.length >= limit) return { rows: found };
    steps += 1;
    high = spans.at(-1)!.low;
    if (steps === stepsMax && isNarrowedBeside(filter)) {
      const left = { ...rest, workspaceId, reason, ...(fromMs === undefined ? {} : { fromMs }) };
      const { rows, ...looked } = await findPage(database, left, { limit: limit - found.length, before: high });
      return { rows: [...found, ...rows], ...looked };
    }
  }
  return { rows: found };
}

/** Newest first, like the spans. */
function findInSpans(
  database: Kysely<Tables>,
  filter: StoredFilter,
  { spans, limit }: { readonly spans: readonly Span[]; readonly limit: number },
): Promise<readonly EventRow[]> {
  const inSpan = pageOf(database, filter, { limit })
    .where(sql<SqlBool>`event."offset" >= span.low and event."offset" < span.high`)
    .as('row');
  return database
    .selectFrom(spanTable(spans))
    .innerJoinLateral(inSpan, (join) => join.onTrue())
    .selectAll('row')
    .orderBy('row.offset', 'desc')
    .limit(limit)
    .execute();
}

function spanTable(spans: readonly Span[]) {
  const [lows, highs] = [spans.map(({ low }) => low), spans.map(({ high }) => high)];
  return sql<Span>`unnest(${lows}::bigint[], ${highs}::bigint[])`.as<'span'>(sql`span(low, high)`);
}

function pageOf(database: Kysely<Tables>, filter: StoredFilter, { limit, before }: EventPage) {
  return selectRows(database)
    .where((builder) => builder.and(conditionsOf(builder, filter, before)))
    .orderBy('event.offset', 'desc')
    .limit(limit);
}

/** Newest first. */
export async function findEventsAt(
  database: Kysely<Tables>,
  workspaceId: string,
  offsets: readonly number[],
): Promise<readonly EventRow[]> {
  if (offsets.length === 0) return [];
  return selectRows(database)
    .where('event.workspace_id', '=', workspaceId)
    .where('event.offset', 'in', offsets)
    .orderBy('event.offset', 'desc')
    .execute();
}

export async function findEvent(
  database: Kysely<Tables>,
  at: { readonly workspaceId: string; readonly offset: number; readonly epoch: number },
): Promise<EventRow | undefined> {
  return selectRows(database)
    .where('event.workspace_id', '=', at.workspaceId)
    .where('event.offset', '=', at.offset)
    .where('event.epoch', '=', at.epoch)
    .executeTakeFirst();
}

/** Events from one offset to before another, in the order of the log. */
export function findEventsFrom(
  database: Kysely<Tables>,
  workspaceId: string,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<readonly EventRow[]> {
  return selectRows(database)
    .where('event.workspace_id', '=', workspaceId)
    .where('event.offset', '>=', from)
    .where('event.offset', '<', to)
    .orderBy('event.offset')
    .limit(limit)
    .execute();
}

function selectRows(database: Kysely<Tables>) {
  return database
    .selectFrom('event')
    .selectAll('event')
    .select((builder) =>
      builder
        .selectFrom('event as first')
        .select('first.epoch')
        .whereRef('first.workspace_id', '=', 'event.workspace_id')
        .whereRef('first.offset', '=', 'event.repeat_of')
        .as('repeat_epoch'),
    );
}

function conditionsOf(builder: Builder, filter: StoredFilter, before: number | undefined): Expression<SqlBool>[] {
  const { workspaceId, subject, sessionIndex, kind, status, reason, policyVersion, fromMs, toMs, channel, about } =
    filter;
  const { currency, amountMin, amountMax, payees, payeeBank, country } = filter;
  const conditions: (Expression<SqlBool> | undefined)[] = [
    builder('event.workspace_id', '=', workspaceId),
    before === undefined ? undefined : builder('event.offset', '<', before),
    subject === undefined ? undefined : builder('event.subject', '=', subject),
    sessionIndex === undefined ? undefined : builder('event.session_index', '=', sessionIndex),
    kind === undefined ? undefined : builder('event.kind', '=', kind),
    status === undefined ? undefined : builder('event.status', '=', status),
    fromMs === undefined
      ? undefined
      : sql<SqlBool>`event."offset" >= ${offsetAt(workspaceId, sql`${new Date(fromMs)}`)}`,
    toMs === undefined ? undefined : sql<SqlBool>`event."offset" < ${offsetAt(workspaceId, sql`${new Date(toMs)}`)}`,
    channel === undefined ? undefined : builder('event.channel_id', '=', channel),
    about === undefined ? undefined : aboutCondition(builder, about),
    currency === undefined ? undefined : builder('event.currency', '=', currency),
    amountMin === undefined ? undefined : sql<SqlBool>`event.amount >= ${amountMin}::numeric`,
    amountMax === undefined ? undefined : sql<SqlBool>`event.amount <= ${amountMax}::numeric`,
    payees === undefined ? undefined : sql<SqlBool>`event.payee = any (${payees}::bytea[])`,
    payeeBank === undefined ? undefined : builder('event.payee_bank', '=', payeeBank),
    country === undefined ? undefined : builder('event.country', '=', country),
    policyVersion === undefined ? undefined : sql<SqlBool>`event.policy_version = ${policyVersion}`,
    filter.fired === true || reason !== undefined ? anyRule : undefined,
    reason === undefined
      ? undefined
      : sql<SqlBool>`(${reason}::integer = any (event.fired) or ${reason}::integer = any (event.shadow))`,
  ];
  return conditions.filter((condition) => condition !== undefined);
}

function aboutCondition(builder: Builder, about: EntityRef): Expression<SqlBool> {
  switch (about.kind) {
    case 'client':
      return builder('event.subject', '=', about.subject);
    case 'session':
      return builder('event.session_index', '=', about.index);
    default:
      return builder(`event.${about.kind}`, '=', about.index);
  }
}

/** Matches the condition of the partial index `event_fired`. */
const anyRule = sql<SqlBool>`(event.fired <> '{}' or event.shadow <> '{}')`;
