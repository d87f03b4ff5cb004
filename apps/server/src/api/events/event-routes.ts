import { Problem } from '@ringfence/contract';
import type { Type } from 'typebox';
import { parseAbout } from '../../console/entity-ref.ts';
import { outcomesOf } from '../../console/event-outcomes.ts';
import { reportsOf } from '../../console/event-reports/stored-reports.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { parseEventId } from '../../records/event-id.ts';
import { exactJson } from '../../records/exact-json.ts';
import type { RequestContext } from '../server/request-context.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { type Page, pageOf, printCursor, readCursor } from '../server/page.ts';
import { printActions } from '../actions/print-action.ts';
import { printReport } from './reported-outcome-schema.ts';
import { eventDetailSchema, eventQuery, eventSummarySchema, type EventSummary, inEvent } from './event-schema.ts';
import { inWorkspace, pageSchema } from '../server/members.ts';
import type { EventFilter } from './event-filter.ts';
import { showQuery } from '../server/show-member.ts';
import { readTimeRange } from '../server/time-range.ts';
import { decideMasking } from '../server/masking.ts';

/** Limit on the actions of one event; the policy bounds what its rules trigger. */
const actionsMax = 200;

const listRoute = route(
  {
    id: 'listEvents',
    method: 'GET',
    path: '/workspaces/{workspace}/events',
    tag: 'events',
    needs: 'see',
    summary: 'Find events',
    description:
      'By client, session, kind, status, rule and time. `status=accepted` finds events that are stored but not decided yet.',
    params: inWorkspace,
    query: eventQuery,
    answer: { status: 200, description: 'One page.', schema: pageSchema(eventSummarySchema) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }, exchange) =>
    listEvents(deps, await findWorkspace(deps, params), { query, fired: false, exchange }),
);

const decisionsRoute = route(
  {
    id: 'listDecisions',
    method: 'GET',
    path: '/workspaces/{workspace}/decisions',
    tag: 'events',
    needs: 'see',
    summary: 'Find events on which a rule fired, live or in shadow',
    params: inWorkspace,
    query: eventQuery,
    answer: { status: 200, description: 'One page.', schema: pageSchema(eventSummarySchema) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }, exchange) =>
    listEvents(deps, await findWorkspace(deps, params), { query, fired: true, exchange }),
);

const readRoute = route(
  {
    id: 'readEvent',
    method: 'GET',
    path: '/workspaces/{workspace}/events/{event}',
    tag: 'events',
    needs: 'see',
    summary: 'One event: what was received, derived and decided, and its actions',
    description: 'By the id that was returned when it was sent; available immediately.',
    params: inEvent,
    query: showQuery,
    answer: { status: 200, description: 'The event.', schema: eventDetailSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: params.event });
    const identity = parseEventId(params.event, workspace);
    const found = await deps.events.find(workspace, identity);
    if (found === undefined) {
      throw new Problem('thing.unknown', `There is no event ${params.event} in workspace ${workspace.name}.`);
    }
    const { summary, opened, decision } = found;
    const filter = { workspaceId: workspace.id, offset: identity.offset };
    const [actions, reports] = await Promise.all([
      deps.deliveries.list(filter, actionsMax),
      reportsOf(deps, workspace, identity),
    ]);
    return {
      ...summary,
      ...(opened === undefined ? {} : { received: exactJson(opened.bodyText), derived: opened.facts }),
      rules: decision?.fired ?? [],
      missing: decision?.missing ?? [],
      score: decision?.score ?? 0,
      actions: await printActions(deps, workspace, actions),
      outcomes: reports.map(printReport),
    };
  },
);

interface Asked {
  readonly query: Type.Static<typeof eventQuery>;
  readonly fired: boolean;
  readonly exchange: RequestContext;
}

async function listEvents(deps: ManagementDeps, workspace: Workspace, asked: Asked): Promise<Page<EventSummary>> {
  const { limit, cursor, from, to, show, about, ...rest } = asked.query;
  const range = readTimeRange({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
  const ref = about === undefined ? {} : { about: parseAbout(about) };
  const filter: EventFilter = { ...rest, ...range, ...ref, fired: asked.fired };
  const before = readCursor('event', cursor);
  await decideMasking(deps, asked.exchange, { workspace, show, what: about ?? 'events' });
  return pageOfEvents(deps, workspace, { filter, limit, before });
}

interface WantedPage {
  readonly filter: EventFilter;
  readonly limit: number;
  readonly before: number | undefined;
}

async function pageOfEvents(
  deps: ManagementDeps,
  workspace: Workspace,
  wanted: WantedPage,
): Promise<Page<EventSummary>> {
  const { filter, limit, before } = wanted;
  if (filter.status === 'accepted') return listAccepted(deps, workspace, wanted);
  const { events, lookedTo } = await deps.events.list(workspace, filter, { limit: limit + 1, before });
  const full = pageOf('event', events, { limit, keyOf: ({ offset }) => offset });
  const page = lookedTo === undefined ? full : { ...full, next: printCursor('event', lookedTo) };
  if (filter.about === undefined) return { ...page, items: page.items.map(({ summary }) => summary) };
  const outcomes = await outcomesOf(
    deps.pool,
    workspace.id,
    page.items.map(({ offset }) => offset),
  );
  const items = page.items.map(({ offset, summary }): EventSummary => {
    const { actions = [], label } = outcomes.get(offset) ?? {};
    return { ...summary, actions, ...(label === undefined ? {} : { label }) };
  });
  return { ...page, items };
}

/** Filters on data that exists only once an event is decided: accepted events never match them. */
const knownLater = [
  'reason',
  'policyVersion',
  'about',
  'channel',
  'currency',
  'amountMin',
  'amountMax',
  'payee',
  'payeeBank',
  'country',
] as const;

async function listAccepted(
  deps: ManagementDeps,
  workspace: Workspace,
  { filter, limit, before }: WantedPage,
): Promise<Page<EventSummary>> {
  if (filter.fired === true || knownLater.some((name) => filter[name] !== undefined)) return { items: [] };
  const page = await deps.events.listAccepted(workspace, filter, { limit, before });
  const items = page.events.map(({ summary }) => summary);
  return page.before === undefined ? { items } : { items, next: printCursor('event', page.before) };
}

/** Events with their decisions. */
export const eventRoutes: readonly Route[] = [listRoute, decisionsRoute, readRoute];
