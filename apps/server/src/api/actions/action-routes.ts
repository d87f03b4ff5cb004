import { Problem } from '@ringfence/contract';
import type { Type } from 'typebox';
import { type ActionFilter, type ShownState, shownState, storedState } from '@ringfence/delivery';
import { nameOf } from '../../access/caller.ts';
import { type ActionChange, changeActions } from '../../policies/directives/change-actions.ts';
import { blindIndex } from '../../platform/secrets/blind-index.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import type { RequestContext } from '../server/request-context.ts';
import { pageOf, readCursor } from '../server/page.ts';
import { printAction, printActions, printAttempt } from './print-action.ts';
import {
  actionDetailSchema,
  actionQuery,
  actionSchema,
  againBody,
  changedSchema,
  cappedBody,
  inAction,
  redeliveryBody,
} from './action-schema.ts';
import { inWorkspace, pageSchema } from '../server/members.ts';
import { showQuery } from '../server/show-member.ts';
import { readInstant, readTimeRange } from '../server/time-range.ts';
import { decideMasking } from '../server/masking.ts';

const listRoute = route(
  {
    id: 'listActions',
    method: 'GET',
    path: '/workspaces/{workspace}/actions',
    tag: 'actions',
    needs: 'see',
    summary: 'Find actions',
    description: 'By client, session, state, rule and time.',
    params: inWorkspace,
    query: actionQuery,
    answer: { status: 200, description: 'One page.', schema: pageSchema(actionSchema) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query: { limit, cursor, show, ...wanted } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: 'actions' });
    const before = readCursor('action', cursor);
    const filter = await filterOf(deps, workspace, wanted);
    const found = filter === undefined ? [] : await deps.deliveries.list(filter, limit + 1, before);
    const page = pageOf('action', found, { limit, keyOf: ({ sequence }) => sequence });
    return { ...page, items: await printActions(deps, workspace, page.items) };
  },
);

const readRoute = route(
  {
    id: 'readAction',
    method: 'GET',
    path: '/workspaces/{workspace}/actions/{action}',
    tag: 'actions',
    needs: 'see',
    summary: 'One action with every attempt',
    params: inAction,
    query: showQuery,
    answer: { status: 200, description: 'The action.', schema: actionDetailSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: params.action });
    const action = await deps.deliveries.find(workspace.id, params.action);
    if (action === undefined) throw unknownAction(params.action);
    const attempts = await deps.deliveries.attempts(workspace.id, action.id);
    const history = await Promise.all(attempts.map((attempt) => printAttempt(deps, { workspace, action }, attempt)));
    return { ...(await printAction(deps, workspace, action)), history };
  },
);

const changes = {
  redeliver: {
    one: 'Send again',
    many: 'Send again all actions that match a filter',
    details:
      'Actions that expired, failed for good, were not executed or were only observed become due again, with the same webhook-id, so that a receiver that deduplicates executes each once. With `again`, executed ones do too. An action that waits for its retry is sent immediately.',
    body: redeliveryBody,
    example: { state: 'dead', from: '2026-11-21T00:00:00Z' },
  },
  release: {
    one: 'Release a capped action',
    many: 'Release all capped actions that match a filter',
    details: 'Capped actions (state `capped`) exceed the maxActions of their rule. They are sent as if decided now.',
    body: cappedBody,
    example: { reason: 301 },
  },
  drop: {
    one: 'Drop a capped action unsent',
    many: 'Drop all capped actions that match a filter, without sending them',
    details: 'They stay in the list, as `dropped`.',
    body: cappedBody,
    example: { reason: 301, client: 'ana' },
  },
} as const;

function changeOne(change: 'release' | 'drop'): Route {
  return route(operationOnOne(change), (deps, { params }, exchange) => changeNamed(deps, { change, params }, exchange));
}

const redeliverOne = route(
  { ...operationOnOne('redeliver'), body: againBody, example: { again: true } },
  (deps, { params, body: { again = false } }, exchange) => {
    if (again) exchange.note({ detail: { again } });
    return changeNamed(deps, { change: 'redeliver', params, again }, exchange);
  },
);

function operationOnOne(change: ActionChange) {
  const { one: summary, details: description } = changes[change];
  return {
    id: `${change}Action`,
    method: 'POST',
    path: `/workspaces/{workspace}/actions/{action}/${change}`,
    tag: 'actions',
    needs: 'work',
    summary,
    description,
    params: inAction,
    answer: { status: 200, description: 'It is done.', schema: changedSchema },
    problems: ['thing.unknown', 'state.conflict'],
  } as const;
}

async function changeNamed(
  deps: ManagementDeps,
  of: { readonly change: ActionChange; readonly params: Type.Static<typeof inAction>; readonly again?: boolean },
  { caller }: RequestContext,
): Promise<Type.Static<typeof changedSchema>> {
  const { change, params, again = false } = of;
  const workspace = await findWorkspace(deps, params);
  const { action: id } = params;
  const changed = await changeActions(deps, workspace, {
    change,
    of: { workspaceId: workspace.id, ids: [id] },
    again,
    author: nameOf(caller),
    nowMs: deps.logNow(),
  });
  if (changed > 0) return { changed };
  const found = await deps.deliveries.find(workspace.id, id);
  if (found === undefined) throw unknownAction(id);
  const hint = change === 'redeliver' && found.state === 'executed' ? ' without again: true' : '';
  throw new Problem(
    'state.conflict',
    `The action is ${shownState(found.state)}; it is not possible to ${change} it${hint}.`,
  );
}

function changeMany(change: ActionChange): Route {
  const { many: summary, details: description, body, example } = changes[change];
  return route(
    {
      id: `${change}Actions`,
      method: 'POST',
      path: `/workspaces/{workspace}/actions/${change}`,
      tag: 'actions',
      needs: 'work',
      summary,
      description,
      params: inWorkspace,
      body,
      example,
      answer: { status: 200, description: 'It is done.', schema: changedSchema },
      problems: ['thing.unknown'],
    },
    async (deps, { params, body: wanted }, exchange) => {
      const workspace = await findWorkspace(deps, params);
      const filter = await filterOf(deps, workspace, wanted);
      // The client stays out of the audit log, which is kept forever.
      const { client: _client, session: _session, ...said } = wanted as Wanted;
      const by = { ...said, ...(wanted.client === undefined ? {} : { client: filter?.subject ?? 'unknown' }) };
      exchange.note({ detail: { filter: by } });
      if (filter === undefined) return { changed: 0 };
      const author = nameOf(exchange.caller);
      const { again = false } = wanted as Wanted;
      const changed = await changeActions(deps, workspace, {
        change,
        of: { filter },
        again,
        author,
        nowMs: deps.logNow(),
      });
      exchange.note({ detail: { filter: by, changed } });
      return { changed };
    },
  );
}

function unknownAction(id: string): Problem {
  return new Problem('thing.unknown', `There is no action ${id}.`);
}

interface Wanted {
  readonly state?: ShownState;
  readonly client?: string;
  readonly session?: string;
  readonly reason?: number;
  readonly from?: string;
  readonly to?: string;
  readonly again?: boolean;
  readonly finishedFrom?: string;
  readonly finishedTo?: string;
}

/** `undefined` if the client is unknown: then nothing matches. */
async function filterOf(deps: ManagementDeps, workspace: Workspace, wanted: Wanted): Promise<ActionFilter | undefined> {
  const { state, client, session, reason, finishedFrom, finishedTo } = wanted;
  const range = readTimeRange(wanted);
  const subject = client === undefined ? undefined : await deps.subjects.find(workspace, client);
  if (client !== undefined && subject === undefined) return undefined;
  return {
    workspaceId: workspace.id,
    ...(state === undefined ? {} : { states: [storedState(state)] }),
    ...(subject === undefined ? {} : { subject }),
    ...(session === undefined ? {} : { sessionIndex: blindIndex(workspace.secrets.index, session, 'session') }),
    ...(reason === undefined ? {} : { reason }),
    ...range,
    ...(finishedFrom === undefined ? {} : { finishedFromMs: readInstant(finishedFrom, '/finishedFrom') }),
    ...(finishedTo === undefined ? {} : { finishedToMs: readInstant(finishedTo, '/finishedTo') }),
  };
}

/** Actions, their attempts, and what people can do about them. */
export const actionRoutes: readonly Route[] = [
  listRoute,
  readRoute,
  redeliverOne,
  changeMany('redeliver'),
  ...(['release', 'drop'] as const).flatMap((change) => [changeOne(change), changeMany(change)]),
];
