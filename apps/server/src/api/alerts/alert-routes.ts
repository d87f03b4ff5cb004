import { homeOf } from '../../platform/database/cell.ts';
import { minuteMs, Problem } from '@ringfence/contract';
import { factsOf } from '../../console/alerts/alert-facts.ts';
import type { AlertSort } from '../../console/alerts/alert-orders.ts';
import {
  type AlertFilter,
  listAlerts,
  offsetsOf,
  orderOf,
  readAlert,
  readAlertNumbers,
} from '../../console/alerts/alert-rows.ts';
import { addComment, listComments, refuseFurtherComment } from '../../console/alerts/comments.ts';
import { overdueSinceMs } from '../../console/alerts/due-time.ts';
import { type Analyst, changeClaim, claimNext } from '../../console/alerts/work-on-alerts.ts';
import type { Type } from 'typebox';
import { findAccount } from '../../access/accounts/account-rows.ts';
import { nameOf } from '../../access/caller.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { RequestContext } from '../server/request-context.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { keyOf } from '../../tenancy/subjects/client-seal.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { type ListName, pageOf, printCursor, readKey } from '../server/page.ts';
import { forEachAlert } from './for-each-alert.ts';
import { printAlerts, printOneAlert } from './print-alerts.ts';
import { knownFactsSchema, printFacts } from './alert-facts-schema.ts';
import {
  alertDetailSchema,
  alertNumbersSchema,
  alertQuery,
  alertSchema,
  commentBody,
  inAlert,
  manyBody,
  manySchema,
  nextAlertSchema,
  printNumbers,
} from './alert-schema.ts';
import { inWorkspace, pageSchema } from '../server/members.ts';
import { showQuery } from '../server/show-member.ts';
import { decideMasking } from '../server/masking.ts';

const listRoute = route(
  {
    id: 'listAlerts',
    method: 'GET',
    path: '/workspaces/{workspace}/alerts',
    tag: 'alerts',
    needs: 'see',
    summary: 'The queue, or decided alerts',
    description:
      'Decisions on which a live rule fired, grouped by client. The queue is ordered by risk, amount and age: an hour of waiting counts as much as a point of risk. Other orders: `sort`.',
    params: inWorkspace,
    query: alertQuery,
    answer: { status: 200, description: 'One page.', schema: pageSchema(alertSchema) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { limit, cursor, show, client, clientRef, ...wanted } = query;
    await decideMasking(deps, exchange, { workspace, show, what: 'alerts' });
    const subject = await subjectOf(deps, workspace, { client, clientRef });
    const filter = await filterOf(deps, { workspace, wanted }, exchange);
    if (subject === null || filter === undefined) return { items: [] };
    const list = listNames[filter.state === 'open' ? filter.sort : 'closed'];
    const shapes = orderOf(filter).key.map(({ shape }) => shape);
    const { rows, lookedTo } = await listAlerts(deps.pool, workspace.id, {
      filter: { ...filter, subject },
      page: { limit: limit + 1, after: readKey(list, cursor, shapes), nowMs: deps.now() },
    });
    const page = pageOf(list, rows, { limit, keyOf: ({ key }) => key });
    const items = await printAlerts(deps, workspace, page.items);
    return { ...page, items, ...(lookedTo === undefined ? {} : { next: printCursor(list, ...lookedTo) }) };
  },
);

const listNames: Readonly<Record<AlertSort | 'closed', ListName>> = {
  queue: 'queue',
  risk: 'alert-risk',
  money: 'alert-money',
  oldest: 'alert-oldest',
  newest: 'alert-newest',
  closed: 'alert',
};

type WantedAlerts = Omit<Type.Static<typeof alertQuery>, 'limit' | 'cursor' | 'show' | 'client' | 'clientRef'>;

/** `undefined` if no alert can match: an unknown person, a program that asks for its own, or no due times. */
async function filterOf(
  deps: ManagementDeps,
  { workspace, wanted }: { readonly workspace: Workspace; readonly wanted: WantedAlerts },
  exchange: RequestContext,
): Promise<Omit<AlertFilter, 'subject'> | undefined> {
  const { assigned, olderThan, due, ...same } = wanted;
  const nowMs = deps.now();
  const ages = [
    ...(olderThan === undefined ? [] : [nowMs - olderThan * minuteMs]),
    ...(due === undefined ? [] : [overdueSinceMs(workspace.settings, nowMs)]),
  ];
  const untilMs = ages.map((age) => age ?? Number.NaN);
  if (untilMs.some(Number.isNaN)) return undefined;
  const filter = { ...same, ...(untilMs.length === 0 ? {} : { openedUntilMs: Math.min(...untilMs) }) };
  if (assigned === undefined) return filter;
  if (assigned === 'none' || assigned === 'any') return { ...filter, isClaimed: assigned === 'any' };
  const claimedBy =
    assigned === 'me' ? analystOf(deps, exchange).accountId : (await findAccount(homeOf(deps), assigned))?.id;
  return claimedBy === undefined ? undefined : { ...filter, claimedBy };
}

/** The client that a list is about; `undefined` for all, null if there is none of these names. */
async function subjectOf(
  { subjects }: ManagementDeps,
  workspace: Workspace,
  { client, clientRef }: { readonly client: string | undefined; readonly clientRef: string | undefined },
): Promise<string | undefined | null> {
  if (client === undefined) return clientRef;
  const subject = (await subjects.find(workspace, client)) ?? null;
  return clientRef === undefined || clientRef === subject ? subject : null;
}

const numbersRoute = route(
  {
    id: 'readAlertNumbers',
    method: 'GET',
    path: '/workspaces/{workspace}/alerts/numbers',
    tag: 'alerts',
    needs: 'see',
    summary: 'Size of the queue, and how long decisions take',
    params: inWorkspace,
    answer: { status: 200, description: 'The numbers.', schema: alertNumbersSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params }, exchange) => {
    const { id, settings } = await findWorkspace(deps, params);
    const { accountId, nowMs } = analystOf(deps, exchange);
    const overdueMs = overdueSinceMs(settings, nowMs);
    return printNumbers(await readAlertNumbers(deps.pool, id, { nowMs, accountId, overdueSinceMs: overdueMs }));
  },
);

const readRoute = route(
  {
    id: 'readAlert',
    method: 'GET',
    path: '/workspaces/{workspace}/alerts/{alert}',
    tag: 'alerts',
    needs: 'see',
    summary: 'One alert with its events and comments',
    params: inAlert,
    query: showQuery,
    answer: { status: 200, description: 'The alert.', schema: alertDetailSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { alert: id, ...params }, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: id });
    const row = await readAlert(deps.pool, workspace.id, { id, nowMs: deps.now() });
    const offsets = await offsetsOf(deps.pool, workspace.id, id);
    const key = await keyOf(deps, workspace, row.subject ?? undefined);
    const [events, comments, printed] = await Promise.all([
      deps.events.listAt(workspace, offsets),
      listComments(deps.pool, { workspace, alertId: id, key }),
      printOneAlert(deps, workspace, row),
    ]);
    return {
      ...printed,
      events: events.map(({ summary }) => summary),
      comments: comments.map(({ atMs, author, text }) => ({
        at: new Date(atMs).toISOString(),
        author,
        ...(text === undefined ? {} : { text }),
      })),
    };
  },
);

const factsRoute = route(
  {
    id: 'readAlertFacts',
    method: 'GET',
    path: '/workspaces/{workspace}/alerts/{alert}/facts',
    tag: 'alerts',
    needs: 'see',
    summary: 'What an alert is decided by',
    description:
      'Its riskiest event with payee, device, address and channel; what is normal for the client; linked clients, earlier alerts, and what the bank was asked and reported. Empty once the events were removed because of their age.',
    params: inAlert,
    query: showQuery,
    answer: { status: 200, description: 'The facts.', schema: knownFactsSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { alert: id, ...params }, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: id });
    const facts = await factsOf(deps, workspace, await readAlert(deps.pool, workspace.id, { id, nowMs: deps.now() }));
    return facts === undefined ? {} : { facts: printFacts(workspace, facts) };
  },
);

const nextRoute = route(
  {
    id: 'claimNextAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/next',
    tag: 'alerts',
    needs: 'work',
    summary: 'Take the first unclaimed alert of the queue',
    description: 'It is claimed for 30 minutes. Two simultaneous callers get two different alerts.',
    params: inWorkspace,
    answer: { status: 200, description: 'The alert; none if the queue is empty.', schema: nextAlertSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const analyst = analystOf(deps, exchange);
    if (analyst.accountId === undefined) throw noAccount();
    const row = await claimNext(deps.pool, workspace.id, analyst);
    if (row === undefined) return {};
    exchange.note({ target: row.id });
    return { alert: await printOneAlert(deps, workspace, row) };
  },
);

function claimRoute(change: 'claim' | 'release', summary: string): Route {
  return route(
    {
      id: `${change}Alert`,
      method: 'POST',
      path: `/workspaces/{workspace}/alerts/{alert}/${change}`,
      tag: 'alerts',
      needs: 'work',
      summary,
      params: inAlert,
      answer: { status: 200, description: 'The alert as it is now.', schema: alertSchema },
      problems: ['thing.unknown', 'state.conflict'],
    },
    async (deps, { params: { alert: id, ...params } }, exchange) => {
      const workspace = await findWorkspace(deps, params);
      const row = await changeClaim(deps.pool, workspace.id, { id, analyst: analystOf(deps, exchange), change });
      return printOneAlert(deps, workspace, row);
    },
  );
}

const claimManyRoute = route(
  {
    id: 'claimAlerts',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/claim',
    tag: 'alerts',
    needs: 'work',
    summary: 'Claim several alerts',
    params: inWorkspace,
    body: manyBody,
    example: { alerts: ['alr_abc234def567'] },
    answer: { status: 200, description: 'The result of each.', schema: manySchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params, body: { alerts: ids } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const analyst = analystOf(deps, exchange);
    if (analyst.accountId === undefined) throw noAccount();
    const { changed, refused } = await forEachAlert(ids, (id) =>
      changeClaim(deps.pool, workspace.id, { id, analyst, change: 'claim' }),
    );
    exchange.note({ detail: { alerts: changed.map(({ id }) => id) } });
    return { changed: changed.length, refused };
  },
);

function noAccount(): Problem {
  return new Problem('state.conflict', 'A program has no account for which it could claim an alert.');
}

const commentRoute = route(
  {
    id: 'commentAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/comments',
    tag: 'alerts',
    needs: 'work',
    summary: 'Add a comment to an alert',
    params: inAlert,
    body: commentBody,
    example: { text: 'Called the client: it was her.' },
    answer: { status: 204, description: 'It is stored with the alert.' },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params }, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { nowMs, name } = analystOf(deps, exchange);
    const row = await readAlert(deps.pool, workspace.id, { id, nowMs });
    const key = await sealingKeyOf(deps, workspace, row.subject);
    await refuseFurtherComment(deps.pool, workspace.id, id);
    await addComment(deps.pool, { workspace, alertId: id, key }, { text: body.text, author: name, nowMs });
  },
);

/** @throws Problem `state.conflict` if the client was erased: no new data about it may be stored */
export async function sealingKeyOf(
  deps: ManagementDeps,
  workspace: Workspace,
  subject: string | null,
): Promise<Buffer> {
  const key = await keyOf(deps, workspace, subject ?? undefined);
  if (key === undefined)
    throw new Problem('state.conflict', 'The client of this alert was erased: nothing more can be stored about it.');
  return key;
}

/** The analyst who acts: a person, or a program without an account. */
export function analystOf({ now }: Pick<ManagementDeps, 'now'>, { caller }: RequestContext): Analyst {
  const accountId = caller.kind === 'person' ? caller.session.account.id : undefined;
  return { accountId, name: nameOf(caller), nowMs: now() };
}

/** The alert queue: claims and comments of analysts. */
export const alertRoutes: readonly Route[] = [
  listRoute,
  numbersRoute,
  readRoute,
  factsRoute,
  nextRoute,
  claimRoute('claim', 'Claim an alert: no other analyst gets it for 30 minutes'),
  claimRoute('release', 'Return an alert to the queue'),
  claimManyRoute,
  commentRoute,
];
