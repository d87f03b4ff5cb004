import { hourMs, Problem } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';
import type { ClientBase } from 'pg';
import { Type } from 'typebox';
import { type AlertRow, offsetsOf } from '../../console/alerts/alert-rows.ts';
import { addComment } from '../../console/alerts/comments.ts';
import {
  addAlertSuppression,
  endAlertSuppression,
  listAlertSuppressions,
} from '../../console/alerts/alert-suppressions.ts';
import {
  type Analyst,
  closableAlerts,
  closeAlerts,
  correctableAlert,
  correctAlert,
} from '../../console/alerts/work-on-alerts.ts';
import { lastLabels } from '../../console/labels/stored-labels.ts';
import { tellLabels } from '../../console/labels/append-labels.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { clientNames } from '../clients/client-names.ts';
import { parseEventId } from '../../records/event-id.ts';
import { decideAlone } from './decide-alone.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { printOneAlert } from './print-alerts.ts';
import {
  alertSchema,
  closeBody,
  closedSchema,
  closeManyBody,
  inAlert,
  inSuppression,
  printSuppression,
  suppressBody,
  suppressionSchema,
} from './alert-schema.ts';
import { inWorkspace, list } from '../server/members.ts';
import { showQuery } from '../server/show-member.ts';
import { viewEntity, viewOf } from '../server/masking.ts';
import { analystOf, sealingKeyOf } from './alert-routes.ts';

const masked = { isMasked: true };

/** Alerts whose events are labelled side by side: their records share commits. */
const toldTogether = 8;

interface Decision {
  readonly workspace: Workspace;
  readonly analyst: Analyst;
  readonly outcome: Label;
  readonly comment: string | undefined;
}

/**
 * Closes alerts in three steps: what would refuse it is looked for before anything is written; their events are labelled,
 * which can take a while and holds no transaction; then they are closed together. What fails between is asked again. Nobody
 * else decides them meanwhile: events would keep the label of whoever came too late.
 */
function close(deps: ManagementDeps, ids: readonly string[], decision: Decision): Promise<readonly AlertRow[]> {
  const { workspace, analyst, outcome } = decision;
  return decideAlone(deps.pool, { workspaceId: workspace.id, ids }, async () => {
    const also = await tell(deps, decision, await closableAlerts(deps.pool, workspace.id, { ids, analyst }));
    return closeAlerts(deps.pool, workspace.id, { ids, analyst, outcome, also });
  });
}

/**
 * Labels the events of alerts that are about to be decided.
 *
 * @returns keeps what the analyst says of them, in the transaction that decides them
 * @throws Problem `state.conflict` before anything is written, when a client was erased of whom something is to be kept
 */
async function tell(
  deps: ManagementDeps,
  decision: Decision,
  alerts: readonly AlertRow[],
): Promise<(client: ClientBase) => Promise<void>> {
  const { workspace, analyst, comment: text } = decision;
  const comments: { readonly alertId: string; readonly key: Buffer; readonly text: string }[] = [];
  for (const { id: alertId, subject } of text === undefined ? [] : alerts) {
    comments.push({ alertId, key: await sealingKeyOf(deps, workspace, subject), text: text! });
  }
  for (let at = 0; at < alerts.length; at += toldTogether) {
    await Promise.all(alerts.slice(at, at + toldTogether).map(({ id }) => tellAlert(deps, decision, id)));
  }
  return async (client) => {
    for (const { text: said, ...about } of comments) {
      await addComment(client, { workspace, ...about }, { text: said, author: analyst.name, nowMs: analyst.nowMs });
    }
  };
}

/**
 * Tells the engine what the events of an alert turned out to be: features, policies and backtests learn from it. What
 * this analyst has told already, in a request that failed later, is not told again.
 */
async function tellAlert(deps: ManagementDeps, decision: Decision, id: string): Promise<void> {
  const { workspace, analyst, outcome: label } = decision;
  const offsets = await offsetsOf(deps.pool, workspace.id, id);
  const [events, told] = await Promise.all([
    deps.events.listAt(workspace, offsets),
    lastLabels(deps.pool, workspace.id, offsets),
  ]);
  const isTold = (offset: number): boolean =>
    told.get(offset)?.label === label && told.get(offset)?.author === analyst.name;
  const labels = events
    .filter(({ summary }) => !isTold(parseEventId(summary.id).offset))
    .map(({ summary }) => ({ event: summary.id, label, author: analyst.name, note: `alert ${id}` }));
  await tellLabels(deps, workspace, labels);
}

const closeRoute = route(
  {
    id: 'closeAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/close',
    tag: 'alerts',
    needs: 'work',
    summary: 'Decide an alert: fraud or legitimate',
    description:
      'Its newest 100 events are labelled so, which features and backtests learn from. The next decision about the client opens another alert.',
    params: inAlert,
    body: closeBody,
    example: { outcome: 'fraud', comment: 'The client did not make these transfers.' },
    answer: { status: 200, description: 'The alert as it is now.', schema: alertSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params }, body: { outcome, comment } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const analyst = analystOf(deps, exchange);
    const [row] = await close(deps, [id], { workspace, analyst, outcome, comment });
    exchange.note({ target: id, detail: { outcome } });
    return printOneAlert(deps, { workspace, view: masked }, row!);
  },
);

const correctRoute = route(
  {
    id: 'correctAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/correct',
    tag: 'alerts',
    needs: 'work',
    summary: 'Decide a closed alert otherwise',
    description:
      'For a decision that was a mistake, or that new facts overturn. Its newest 100 events get the other label in place of the first. What the bank was told to do is not taken back: unblock the client where that is needed.',
    params: inAlert,
    body: closeBody,
    example: { outcome: 'legitimate', comment: 'The client called back: it was her.' },
    answer: { status: 200, description: 'The alert as it is now.', schema: alertSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params }, body: { outcome, comment } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const analyst = analystOf(deps, exchange);
    const row = await decideAlone(deps.pool, { workspaceId: workspace.id, ids: [id] }, async () => {
      const alert = await correctableAlert(deps.pool, workspace.id, { id, analyst, outcome });
      const also = await tell(deps, { workspace, analyst, outcome, comment }, [alert]);
      return correctAlert(deps.pool, workspace.id, { id, analyst, outcome, also });
    });
    exchange.note({ target: id, detail: { outcome } });
    return printOneAlert(deps, { workspace, view: masked }, row);
  },
);

const closeManyRoute = route(
  {
    id: 'closeAlerts',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/close',
    tag: 'alerts',
    needs: 'work',
    summary: 'Decide several alerts in the same way: all of them, or none',
    params: inWorkspace,
    body: closeManyBody,
    example: { alerts: ['alr_abc234def567'], outcome: 'legitimate' },
    answer: { status: 200, description: 'They are closed.', schema: closedSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params, body: { alerts: ids, outcome, comment } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const rows = await close(deps, ids, { workspace, analyst: analystOf(deps, exchange), outcome, comment });
    exchange.note({ detail: { outcome, alerts: rows.map(({ id }) => id) } });
    return { closed: rows.length };
  },
);

const suppressRoute = route(
  {
    id: 'suppressAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/suppress',
    tag: 'alerts',
    needs: 'work',
    summary: 'Close an alert, and open none of its client for a while',
    description: 'Of one rule, or of all. The rules go on acting; only nobody is asked to look.',
    params: inAlert,
    body: suppressBody,
    example: { hours: 24, reason: 301, why: 'Payroll day, agreed with the branch.' },
    answer: { status: 201, description: 'The suppression.', schema: suppressionSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params }, body: { hours, reason, why } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const analyst = analystOf(deps, exchange);
    let made: Type.Static<typeof suppressionSchema> | undefined;
    const also = async (client: ClientBase, [alert]: readonly AlertRow[]): Promise<void> => {
      const subject = alert?.subject;
      if (typeof subject !== 'string') {
        throw new Problem('state.conflict', 'Its events named no client: there is nothing to suppress.');
      }
      const times = { madeAtMs: analyst.nowMs, untilMs: analyst.nowMs + hours * hourMs };
      const suppression = { subject, reason, why, madeBy: analyst.name, ...times };
      made = printSuppression(await addAlertSuppression(client, workspace.id, suppression));
    };
    await decideAlone(deps.pool, { workspaceId: workspace.id, ids: [id] }, () =>
      closeAlerts(deps.pool, workspace.id, { ids: [id], analyst, outcome: 'suppressed', also }),
    );
    exchange.note({ target: id, detail: { after: made } });
    return made!;
  },
);

const listSuppressionsRoute = route(
  {
    id: 'listAlertSuppressions',
    method: 'GET',
    path: '/workspaces/{workspace}/alert-suppressions',
    tag: 'alerts',
    needs: 'see',
    summary: 'Clients of whom no alerts are opened just now',
    params: inWorkspace,
    query: showQuery,
    answer: {
      status: 200,
      description: 'At most 500, the ones that end last first.',
      schema: Type.Object({ items: list(suppressionSchema) }),
    },
    problems: ['thing.unknown', 'right.missing'],
  },
  async (deps, { params, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const view = await viewOf(deps, exchange, { workspace, show, what: 'alert-suppressions' });
    const found = await listAlertSuppressions(deps.pool, workspace.id, deps.now());
    const names = await clientNames(
      deps,
      workspace,
      found.map(({ subject }) => subject),
    );
    return {
      items: found.map((one) => {
        const name = names.get(one.subject);
        return {
          ...printSuppression(one),
          ...(name === undefined ? {} : { client: viewEntity(view, 'client', name) }),
        };
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
    summary: 'Open alerts of a client again',
    params: inSuppression,
    answer: { status: 204, description: 'From the next decision on.' },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { suppression: id, ...params } }) =>
    endAlertSuppression(deps.pool, (await findWorkspace(deps, params)).id, { id, nowMs: deps.now() }),
);

/** How alerts come to their end, one by one or many at once. */
export const closeAlertRoutes: readonly Route[] = [
  closeRoute,
  correctRoute,
  closeManyRoute,
  suppressRoute,
  listSuppressionsRoute,
  endSuppressionRoute,
];
