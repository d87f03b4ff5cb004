import { Problem } from '@ringfence/contract';
import { parseRef, printRef } from '../../console/entity-ref.ts';
import { neighboursOf } from '../../console/entity-graph.ts';
import { search, searchMasked } from '../../console/search.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { eventId, parseEventId } from '../../records/event-id.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { inWorkspace } from '../server/members.ts';
import { entitySchema, inEntity, searchBody, searchSchema } from './search-schema.ts';
import { showQuery } from '../server/show-member.ts';
import type { FoundEvent } from '../events/stored-events.ts';
import { decideMasking } from '../server/masking.ts';

const searchRoute = route(
  {
    id: 'search',
    method: 'POST',
    path: '/workspaces/{workspace}/search',
    tag: 'console',
    needs: 'see',
    isRead: true,
    summary: 'Find what a text names',
    description: 'Looked up by keyed hashes. The text is sent in the body because URLs end up in the logs of proxies.',
    params: inWorkspace,
    body: searchBody,
    example: { text: 'ana' },
    answer: { status: 200, description: 'What was found.', schema: searchSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params, body }) => {
    const workspace = await findWorkspace(deps, params);
    const text = body.text.trim();
    if (text.startsWith('evt_')) {
      const found = await findEvent(deps, workspace, text);
      if (found !== undefined) {
        return { items: [{ kind: 'event' as const, ref: text, events: 1, lastAt: found.summary.loggedAt }] };
      }
    }
    if (text.startsWith('act_')) {
      const action = await deps.deliveries.find(workspace.id, text);
      if (action !== undefined) {
        const lastAt = new Date(action.decidedAtMs).toISOString();
        return { items: [{ kind: 'action' as const, ref: text, events: 1, lastAt }] };
      }
    }
    const [hits, masked] = await Promise.all([search(deps, workspace, text), searchMasked(deps.pool, workspace, text)]);
    return {
      items: [
        ...hits.map(({ ref, events, lastAtMs }) => ({
          kind: ref.kind,
          ref: printRef(ref),
          events,
          lastAt: new Date(lastAtMs).toISOString(),
        })),
        ...masked.map(({ loggedAtMs, ...event }) => ({
          kind: 'event' as const,
          ref: eventId(event, workspace),
          events: 1,
          lastAt: new Date(loggedAtMs).toISOString(),
        })),
      ],
    };
  },
);

const entityRoute = route(
  {
    id: 'readEntity',
    method: 'GET',
    path: '/workspaces/{workspace}/entities/{kind}/{ref}',
    tag: 'console',
    needs: 'see',
    summary: 'A client, session, device, address, account, payee or reference with its related entities',
    description: 'The events with `about=KIND:REF` are its timeline.',
    params: inEntity,
    query: showQuery,
    answer: { status: 200, description: 'The entity.', schema: entitySchema },
    problems: ['thing.unknown', 'right.missing'],
  },
  async (deps, { params: { kind, ref: name, ...params }, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: `${kind}:${name}` });
    const entity = parseRef(kind, name);
    const [found, live] = await Promise.all([
      neighboursOf(deps, workspace, entity),
      entity.kind === 'client' ? askLive(deps, workspace, entity.subject) : undefined,
    ]);
    if (found === undefined) throw new Problem('thing.unknown', `No event names this ${kind}.`);
    const { value, firstAtMs, lastAtMs, links, events } = found;
    return {
      kind,
      ref: name,
      ...(value === undefined ? {} : { value }),
      events,
      firstAt: new Date(firstAtMs).toISOString(),
      lastAt: new Date(lastAtMs).toISOString(),
      ...(live?.blockedUntilMs === undefined ? {} : { blockedUntil: new Date(live.blockedUntilMs).toISOString() }),
      links: links.map((link) => ({
        kind: link.ref.kind,
        ref: printRef(link.ref),
        ...(link.value === undefined ? {} : { value: link.value }),
        events: link.events,
        fired: link.fired,
        firstAt: new Date(link.firstAtMs).toISOString(),
        lastAt: new Date(link.lastAtMs).toISOString(),
      })),
    };
  },
);

function askLive(
  { liveStatus }: ManagementDeps,
  workspace: Workspace,
  subject: string,
): ReturnType<ManagementDeps['liveStatus']['ask']> {
  return liveStatus.ask(workspace.id, { subject, session: '', channelId: undefined });
}

/** Also `undefined` for a text that only looks like an id: it is searched for like any other text. */
async function findEvent(deps: ManagementDeps, workspace: Workspace, text: string): Promise<FoundEvent | undefined> {
  try {
    return await deps.events.find(workspace, parseEventId(text, workspace));
  } catch (error) {
    if (error instanceof Problem && error.code === 'thing.unknown') return undefined;
    throw error;
  }
}

/** Search by exact text, and the entities that it finds. */
export const searchRoutes: readonly Route[] = [searchRoute, entityRoute];
