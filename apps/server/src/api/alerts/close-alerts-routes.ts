import { fraudTypes, hourMs, Problem } from '@ringfence/contract';
import type { OutcomeReport } from '@ringfence/engine';
import type { ClientBase } from 'pg';
import { Type } from 'typebox';
import { type AlertRow, offsetsOf, type Verdict } from '../../console/alerts/alert-rows.ts';
import { addComment } from '../../console/alerts/comments.ts';
import {
  addAlertSuppression,
  type AlertSuppression,
  endAlertSuppression,
  listAlertSuppressions,
} from '../../console/alerts/alert-suppressions.ts';
import {
  type Analyst,
  closableAlert,
  closeAlert,
  correctableAlert,
  correctAlert,
  type FraudDetails,
} from '../../console/alerts/work-on-alerts.ts';
import { openHoldsOf } from '../../holds/stored-holds.ts';
import { lastReportsBy } from '../../console/event-reports/stored-reports.ts';
import { lastLabels } from '../../console/labels/stored-labels.ts';
import { appendLabels, type ToldLabel, type ToldReport } from '../../console/labels/append-labels.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { clientNames } from '../clients/client-names.ts';
import { underAlertLock } from './alert-lock.ts';
import { forEachAlert } from './for-each-alert.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { printOneAlert } from './print-alerts.ts';
import {
  alertSchema,
  closeBody,
  closedAlertSchema,
  closedSchema,
  closeManyBody,
  inAlert,
  inSuppression,
  manySchema,
  printSuppression,
  suppressBody,
  suppressManyBody,
  suppressionSchema,
} from './alert-schema.ts';
import { inWorkspace, list } from '../server/members.ts';
import { showQuery } from '../server/show-member.ts';
import { decideMasking } from '../server/masking.ts';
import { analystOf, sealingKeyOf } from './alert-routes.ts';

interface Decision {
  readonly workspace: Workspace;
  readonly analyst: Analyst;
  readonly outcome: Verdict;
  readonly details?: FraudDetails;
  readonly comment: string | undefined;
}

/**
 * What a request says about a fraud.
 *
 * @throws Problem `request.invalid` for an unknown type, amounts without a currency, or details of another outcome
 */
function detailsOf({ settings }: Workspace, body: Type.Static<typeof closeBody>): FraudDetails | undefined {
  const { outcome, type, loss, recovered, currency } = body;
  const given = Object.entries({ type, loss, recovered, currency }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  const refuse = (member: string, detail: string, expected: string): never => {
    throw new Problem('request.invalid', detail, { errors: [{ pointer: `/${member}`, detail, expected }] });
  };
  if (outcome !== 'fraud') refuse(given[0]![0], 'Only a fraud has a type, a loss and a currency.', 'no such member');
  const known: readonly string[] = [...fraudTypes, ...(settings.outcomes?.fraudTypes ?? []).map(({ code }) => code)];
  if (type !== undefined && !known.includes(type))
    refuse('type', 'This workspace has no such type of fraud.', known.join(', '));
  if ((currency === undefined) !== (loss === undefined && recovered === undefined))
    refuse('currency', 'A loss needs its currency, and a currency its loss.', 'a currency, together with an amount');
  return { type, loss, recovered, currency };
}

/**
 * Closes an alert in three steps: first it checks everything that could refuse the request, before anything is written;
 * then it labels its events, which can take a while and holds no transaction; then it closes the alert. After a failure
 * in between, the request can be repeated. A lock keeps other people from deciding the same alert meanwhile: otherwise
 * events could keep the label of a decision that is refused.
 */
function close(deps: ManagementDeps, id: string, decision: Decision): Promise<AlertRow> {
  const { workspace, comment: _comment, ...of } = decision;
  return underAlertLock(deps.pool, { workspaceId: workspace.id, id }, async () => {
    const also = await tell(deps, decision, await closableAlert(deps.pool, workspace.id, { id, ...of }));
    return closeAlert(deps.pool, workspace.id, { id, ...of, also });
  });
}

/**
 * Labels the events of an alert that is about to be decided.
 *
 * @returns a function that stores the analyst's comment, in the transaction that decides the alert
 * @throws Problem `state.conflict` before anything is written, if a comment is to be stored about an erased client
 */
async function tell(
  deps: ManagementDeps,
  decision: Decision,
  alert: AlertRow,
): Promise<(client: ClientBase) => Promise<void>> {
  const { workspace, analyst, comment } = decision;
  const { id: alertId, subject } = alert;
  const key = comment === undefined ? undefined : await sealingKeyOf(deps, workspace, subject);
  await tellAlert(deps, decision, alert);
  return async (client) => {
    if (comment === undefined || key === undefined) return;
    const { name: author, nowMs } = analyst;
    await addComment(client, { workspace, alertId, key }, { text: comment, author, nowMs });
  };
}

/**
 * Labels the events of an alert: features, policies and backtests learn from them. What this analyst already said in an
 * earlier request that failed is not repeated.
 */
async function tellAlert(deps: ManagementDeps, decision: Decision, alert: AlertRow): Promise<void> {
  const { workspace, analyst, outcome } = decision;
  if (outcome === 'inconclusive') return takeBack(deps, decision, alert);
  const author = analyst.name;
  const offsets = await offsetsOf(deps.pool, workspace.id, alert.id);
  const [events, told, reported] = await Promise.all([
    deps.events.listAt(workspace, offsets),
    lastLabels(deps.pool, workspace.id, offsets),
    lastReportsBy(deps.pool, workspace.id, { offsets, author }),
  ]);
  // Only the newest events are labelled, and it may be an older one.
  const riskiest = events.some(({ offset }) => offset === alert.riskiest_offset)
    ? alert.riskiest_offset
    : events[0]?.offset;
  const labels = events.flatMap(({ offset, summary: { id } }): readonly (ToldLabel | ToldReport)[] => {
    const said = { event: id, author, note: `alert ${alert.id}` };
    const report = reportOf(decision, offset === riskiest);
    const isLabelled = told.get(offset)?.label === outcome && told.get(offset)?.author === author;
    if (report === undefined) return isLabelled ? [] : [{ ...said, label: outcome }];
    const isReported = isLabelled && isSameReport(reported.get(offset), report);
    return isReported ? [] : [{ ...said, report: { ...report, label: outcome } }];
  });
  await appendLabels(deps, workspace, labels);
}

/** What is reported of an event instead of a mere label; the loss counts once, for the riskiest one. */
function reportOf({ outcome, details }: Decision, isRiskiest: boolean): OutcomeReport | undefined {
  const { type, loss, recovered, currency } = details ?? {};
  const report = {
    ...(type === undefined ? {} : { type }),
    ...(loss === undefined || !isRiskiest ? {} : { loss }),
    ...(recovered === undefined || !isRiskiest ? {} : { recovered }),
    ...(currency === undefined || !isRiskiest ? {} : { currency }),
  };
  if (outcome !== 'fraud' || Object.keys(report).length === 0) return undefined;
  return { outcome, ...report };
}

function isSameReport(before: OutcomeReport | undefined, now: OutcomeReport): boolean {
  return (['outcome', 'type', 'loss', 'recovered', 'currency'] as const).every((name) => before?.[name] === now[name]);
}

/** Takes back the labels that an earlier decision of this alert gave its events; labels of others stay. */
async function takeBack(deps: ManagementDeps, { workspace, analyst }: Decision, alert: AlertRow): Promise<void> {
  if (alert.closed_by === null) return;
  const offsets = await offsetsOf(deps.pool, workspace.id, alert.id);
  const [events, told] = await Promise.all([
    deps.events.listAt(workspace, offsets),
    lastLabels(deps.pool, workspace.id, offsets),
  ]);
  const own = events.filter(({ offset }) => {
    const { label, author } = told.get(offset) ?? {};
    return label === alert.outcome && author === alert.closed_by;
  });
  const report: OutcomeReport = { outcome: 'retracted', label: 'none' };
  const said = { author: analyst.name, note: `alert ${alert.id}`, report };
  await appendLabels(
    deps,
    workspace,
    own.map(({ summary }) => ({ ...said, event: summary.id })),
  );
}

/** The open holds of the alerts' events. */
async function openHolds(
  { pool }: Pick<ManagementDeps, 'pool'>,
  { id: workspaceId }: Workspace,
  ids: readonly string[],
): Promise<readonly string[]> {
  const offsets = await Promise.all([...new Set(ids)].map((id) => offsetsOf(pool, workspaceId, id)));
  return openHoldsOf(pool, workspaceId, offsets.flat());
}

const closeRoute = route(
  {
    id: 'closeAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/close',
    tag: 'alerts',
    needs: 'work',
    summary: 'Decide an alert: fraud, legitimate or inconclusive',
    description:
      'Its newest 100 events get this label, which features and backtests learn from; none if it is inconclusive. Of a fraud, `type`, `loss`, `recovered` and `currency` are reported as outcomes of its events. Held payments stay held: decide about `openHolds`. The next decision about the client opens another alert.',
    params: inAlert,
    body: closeBody,
    example: {
      outcome: 'fraud',
      type: 'fraud.compromisedCredentials',
      loss: '12500.00',
      currency: 'MXN',
      comment: 'The client did not make these transfers.',
    },
    answer: { status: 200, description: 'The alert as it is now.', schema: closedAlertSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params }, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const analyst = analystOf(deps, exchange);
    const { outcome, comment } = body;
    const details = detailsOf(workspace, body);
    const row = await close(deps, id, { workspace, analyst, outcome, comment, ...(details && { details }) });
    exchange.note({ target: id, detail: { outcome, ...details } });
    return { ...(await printOneAlert(deps, workspace, row)), openHolds: await openHolds(deps, workspace, [id]) };
  },
);

const correctRoute = route(
  {
    id: 'correctAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/correct',
    tag: 'alerts',
    needs: 'work',
    summary: 'Change the decision of a closed alert',
    description:
      'For a decision that was a mistake, or that new facts contradict, or to add what a fraud cost. Its newest 100 events get the other label instead, or none if it is inconclusive. Actions of the bank are not undone: unblock the client if necessary.',
    params: inAlert,
    body: closeBody,
    example: { outcome: 'legitimate', comment: 'The client called back: it was her.' },
    answer: { status: 200, description: 'The alert as it is now.', schema: alertSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params }, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const analyst = analystOf(deps, exchange);
    const { outcome, comment } = body;
    const details = detailsOf(workspace, body);
    const decision = { id, analyst, outcome, ...(details && { details }) };
    const row = await underAlertLock(deps.pool, { workspaceId: workspace.id, id }, async () => {
      const alert = await correctableAlert(deps.pool, workspace.id, decision);
      const also = await tell(deps, { workspace, comment, ...decision }, alert);
      return correctAlert(deps.pool, workspace.id, { ...decision, also });
    });
    exchange.note({ target: id, detail: { outcome, ...details } });
    return printOneAlert(deps, workspace, row);
  },
);

const closeManyRoute = route(
  {
    id: 'closeAlerts',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/close',
    tag: 'alerts',
    needs: 'work',
    summary: 'Decide several alerts with the same outcome',
    params: inWorkspace,
    body: closeManyBody,
    example: { alerts: ['alr_abc234def567'], outcome: 'legitimate' },
    answer: { status: 200, description: 'The result of each.', schema: closedSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params, body: { alerts: ids, outcome, comment } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const decision = { workspace, analyst: analystOf(deps, exchange), outcome, comment };
    const { changed, refused } = await forEachAlert(ids, (id) => close(deps, id, decision));
    const closed = changed.map(({ id }) => id);
    exchange.note({ detail: { outcome, alerts: closed } });
    return { changed: closed.length, refused, openHolds: await openHolds(deps, workspace, closed) };
  },
);

interface Suppress {
  readonly workspace: Workspace;
  readonly analyst: Analyst;
  readonly body: Pick<Type.Static<typeof suppressBody>, 'hours' | 'reason' | 'why'>;
}

/** Closes an alert and suppresses further ones of its client. @throws Problem as `closeAlert` */
async function suppress(deps: ManagementDeps, id: string, of: Suppress): Promise<AlertSuppression> {
  const { workspace, analyst, body } = of;
  const { hours, reason, why } = body;
  let made: AlertSuppression | undefined;
  const also = async (client: ClientBase, { subject }: AlertRow): Promise<void> => {
    if (subject === null) {
      throw new Problem('state.conflict', 'The events of this alert name no client, so there is nothing to suppress.');
    }
    const times = { madeAtMs: analyst.nowMs, untilMs: analyst.nowMs + hours * hourMs };
    const suppression = { subject, reason, why, madeBy: analyst.name, ...times };
    made = await addAlertSuppression(client, workspace.id, suppression);
  };
  await underAlertLock(deps.pool, { workspaceId: workspace.id, id }, () =>
    closeAlert(deps.pool, workspace.id, { id, analyst, outcome: 'suppressed', also }),
  );
  return made!;
}

const suppressRoute = route(
  {
    id: 'suppressAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/suppress',
    tag: 'alerts',
    needs: 'work',
    summary: 'Close an alert, and open no more for its client for a limited time',
    description: 'For one rule, or for all. The rules still act, but no alerts are opened.',
    params: inAlert,
    body: suppressBody,
    example: { hours: 24, reason: 301, why: 'Payroll day, agreed with the branch.' },
    answer: { status: 201, description: 'The suppression.', schema: suppressionSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params }, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const made = printSuppression(await suppress(deps, id, { workspace, analyst: analystOf(deps, exchange), body }));
    exchange.note({ target: id, detail: { after: made } });
    return made;
  },
);

const suppressManyRoute = route(
  {
    id: 'suppressAlerts',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/suppress',
    tag: 'alerts',
    needs: 'work',
    summary: 'Close several alerts, and open no more for their clients for a limited time',
    params: inWorkspace,
    body: suppressManyBody,
    example: { alerts: ['alr_abc234def567'], hours: 24, why: 'Payroll day, agreed with the branch.' },
    answer: { status: 200, description: 'The result of each.', schema: manySchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params, body: { alerts: ids, ...body } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const of = { workspace, analyst: analystOf(deps, exchange), body };
    const { changed, refused } = await forEachAlert(ids, (id) => suppress(deps, id, of));
    exchange.note({ detail: { ...body, suppressions: changed.map(({ id }) => id) } });
    return { changed: changed.length, refused };
  },
);

const listSuppressionsRoute = route(
  {
    id: 'listAlertSuppressions',
    method: 'GET',
    path: '/workspaces/{workspace}/alert-suppressions',
    tag: 'alerts',
    needs: 'see',
    summary: 'Clients with suppressed alerts',
    params: inWorkspace,
    query: showQuery,
    answer: {
      status: 200,
      description: 'At most 500, those that end last first.',
      schema: Type.Object({ items: list(suppressionSchema) }),
    },
    problems: ['thing.unknown', 'right.missing'],
  },
  async (deps, { params, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: 'alert-suppressions' });
    const found = await listAlertSuppressions(deps.pool, workspace.id, deps.now());
    const names = await clientNames(
      deps,
      workspace,
      found.map(({ subject }) => subject),
    );
    return {
      items: found.map((one) => {
        const name = names.get(one.subject);
        return { ...printSuppression(one), ...(name === undefined ? {} : { client: name }) };
      }),
    };
  },
);

const endSuppressionRoute = route(
  {
    id: 'endAlertSuppression',
    method: 'DELETE',
    path: '/workspaces/{workspace}/alert-suppressions/{suppression}',
    tag: 'alerts',
    needs: 'work',
    summary: 'End the suppression of a client’s alerts',
    params: inSuppression,
    answer: { status: 204, description: 'Alerts are opened again from the next decision.' },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { suppression: id, ...params } }) =>
    endAlertSuppression(deps.pool, (await findWorkspace(deps, params)).id, { id, nowMs: deps.now() }),
);

/** Operations that close alerts, one or many per request. */
export const closeAlertRoutes: readonly Route[] = [
  closeRoute,
  correctRoute,
  closeManyRoute,
  suppressRoute,
  suppressManyRoute,
  listSuppressionsRoute,
  endSuppressionRoute,
];
