import { Problem } from '@ringfence/contract';
import { listAlerts, offsetsOf, readAlert, readAlertNumbers } from '../../console/alerts/alert-rows.ts';
import { factsOf } from '../../console/alerts/alert-facts.ts';
import { addComment, listComments, refuseFurtherComment } from '../../console/alerts/comments.ts';
import { type Analyst, changeClaim, claimNext } from '../../console/alerts/work-on-alerts.ts';
import { Type } from 'typebox';
import { findAccount, listAccounts } from '../../access/accounts/account-rows.ts';
import type { Account } from '../../access/accounts/account.ts';
import { nameOf } from '../../access/caller.ts';
import { rightsIn } from '../../access/accounts/roles.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { RequestContext } from '../server/request-context.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { keyOf } from '../../tenancy/subjects/client-seal.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { pageOf, printCursor, readCursor } from '../server/page.ts';
import { printAlerts, printOneAlert } from './print-alerts.ts';
import { knownFactsSchema, printFacts } from './alert-facts-schema.ts';
import {
  alertDetailSchema,
  alertNumbersSchema,
  alertQuery,
  alertSchema,
  analystSchema,
  commentBody,
  handOverBody,
  inAlert,
  nextAlertSchema,
  printNumbers,
} from './alert-schema.ts';
import { inWorkspace, list, pageSchema } from '../server/members.ts';
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
      'Decisions on which a live rule fired, grouped by client. The queue is ordered by risk, amount and age: an hour of waiting counts as much as a point of risk.',
    params: inWorkspace,
    query: alertQuery,
    answer: { status: 200, description: 'One page.', schema: pageSchema(alertSchema) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { limit, cursor, show, mine, client, clientRef, ...filter } = query;
    await decideMasking(deps, exchange, { workspace, show, what: 'alerts' });
    const subject = await subjectOf(deps, workspace, { client, clientRef });
    if (subject === null) return { items: [] };
    const list = filter.state === 'open' ? 'queue' : 'alert';
    const claimedBy = mine === undefined ? undefined : analystOf(deps, exchange).accountId;
    const { rows, lookedTo } = await listAlerts(deps.pool, workspace.id, {
      filter: { ...filter, subject, claimedBy },
      page: { limit: limit + 1, before: readCursor(list, cursor), nowMs: deps.now() },
    });
    const page = pageOf(list, rows, { limit, keyOf: ({ rank, seq }) => (list === 'queue' ? rank : seq) });
    const items = await printAlerts(deps, workspace, page.items);
    return { ...page, items, ...(lookedTo === undefined ? {} : { next: printCursor(list, lookedTo) }) };
  },
);

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
  async (deps, { params }) =>
    printNumbers(await readAlertNumbers(deps.pool, (await findWorkspace(deps, params)).id, deps.now())),
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
    if (analyst.accountId === undefined)
      throw new Problem('state.conflict', 'A program has no account for which it could claim an alert.');
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

const analystsRoute = route(
  {
    id: 'listAnalysts',
    method: 'GET',
    path: '/workspaces/{workspace}/analysts',
    tag: 'alerts',
    needs: 'work',
    summary: 'Who may work on alerts',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'All accounts to which an alert can be assigned, by e-mail address.',
      schema: Type.Object({ items: list(analystSchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const workspace = await findWorkspace(deps, params);
    const accounts = await listAccounts(deps.pool);
    return {
      items: accounts.filter((one) => mayWork(one, workspace)).map(({ email, name }) => ({ email, name })),
    };
  },
);

function mayWork({ disabledAtMs, roles }: Account, { id }: Workspace): boolean {
  return disabledAtMs === undefined && rightsIn(roles, id).includes('work');
}

const handOverRoute = route(
  {
    id: 'handOverAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/hand-over',
    tag: 'alerts',
    needs: 'work',
    summary: 'Assign an alert to another person',
    params: inAlert,
    body: handOverBody,
    example: { to: 'mara@bank.example' },
    answer: { status: 200, description: 'The alert as it is now.', schema: alertSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params }, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const to = await findAccount(deps.pool, body.to);
    if (to === undefined || !mayWork(to, workspace)) {
      throw new Problem('thing.unknown', `There is no account ${body.to} that may work on alerts here.`);
    }
    const change = { handTo: to.id };
    const row = await changeClaim(deps.pool, workspace.id, { id, analyst: analystOf(deps, exchange), change });
    exchange.note({ target: id, detail: { to: to.email } });
    return printOneAlert(deps, workspace, row);
  },
);

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
  analystsRoute,
  handOverRoute,
  commentRoute,
];
