import { Problem } from '@ringfence/contract';
import type { Type } from 'typebox';
import type { Workspace } from '../../workspaces/workspace.ts';
import { parseEventId } from '../event-id.ts';
import { findWorkspace } from '../find-workspace.ts';
import type { ManagementDeps } from '../management-deps.ts';
import { type Route, route } from '../operation.ts';
import { type Page, pageOf, printCursor, readCursor } from '../page.ts';
import { printActions } from '../print-action.ts';
import {
  eventDetailSchema,
  eventQuery,
  eventSummarySchema,
  type EventSummary,
  inEvent,
} from '../schemas/event-schema.ts';
import { inWorkspace, pageSchema } from '../schemas/members.ts';
import type { EventFilter } from '../stored-events.ts';
import { readTimeRange } from '../time-range.ts';

/** Actions of one event: what its rules ask for is bounded by the policy. */
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
      'By client, session, kind, status, rule and time. Events that are stored and not decided yet are found with `status=accepted`.',
    params: inWorkspace,
    query: eventQuery,
    answer: { status: 200, description: 'One page.', schema: pageSchema(eventSummarySchema) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }) => listEvents(deps, await findWorkspace(deps, params), { query, fired: false }),
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
  async (deps, { params, query }) => listEvents(deps, await findWorkspace(deps, params), { query, fired: true }),
);

const readRoute = route(
  {
    id: 'readEvent',
    method: 'GET',
    path: '/workspaces/{workspace}/events/{event}',
    tag: 'events',
    needs: 'see',
    summary: 'One event: what was received, derived and decided, and its actions',
    description: 'By the id that was answered when it was sent, from that moment on.',
    params: inEvent,
    answer: { status: 200, description: 'The event.', schema: eventDetailSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const workspace = await findWorkspace(deps, params);
    const identity = parseEventId(params.event);
    const found = await deps.events.find(workspace, identity);
    if (found === undefined) {
      throw new Problem('thing.unknown', `There is no event ${params.event} in workspace ${workspace.name}.`);
    }
    const { summary, opened, decision } = found;
    const filter = { workspaceId: workspace.id, offset: identity.offset };
    const actions = await deps.deliveries.list(filter, actionsMax);
    return {
      ...summary,
      ...(opened === undefined ? {} : { received: opened.received, derived: opened.facts }),
      rules: decision?.fired ?? [],
      missing: decision?.missing ?? [],
      score: decision?.score ?? 0,
      actions: await printActions(deps, workspace, actions),
    };
  },
);

async function listEvents(
  deps: ManagementDeps,
  workspace: Workspace,
  wanted: { readonly query: Type.Static<typeof eventQuery>; readonly fired: boolean },
): Promise<Page<EventSummary>> {
  const { limit, cursor, from, to, ...rest } = wanted.query;
  const range = readTimeRange({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
  const filter: EventFilter = { ...rest, ...range, fired: wanted.fired };
  const before = readCursor('event', cursor);
  if (filter.status === 'accepted') return listAccepted(deps, workspace, { filter, limit, before });
  const rows = await deps.events.list(workspace, filter, { limit: limit + 1, before });
  const page = pageOf('event', rows, { limit, keyOf: ({ offset }) => offset });
  return { ...page, items: page.items.map(({ summary }) => summary) };
}

async function listAccepted(
  deps: ManagementDeps,
  workspace: Workspace,
  wanted: { readonly filter: EventFilter; readonly limit: number; readonly before: number | undefined },
): Promise<Page<EventSummary>> {
  const { filter, limit, before } = wanted;
  // No rule has seen them.
  if (filter.fired === true || filter.reason !== undefined) return { items: [] };
  const page = await deps.events.listAccepted(workspace, filter, { limit, before });
  const items = page.events.map(({ summary }) => summary);
  return page.before === undefined ? { items } : { items, next: printCursor('event', page.before) };
}

/** Events with their decisions. */
export const eventRoutes: readonly Route[] = [listRoute, decisionsRoute, readRoute];
