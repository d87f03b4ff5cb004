import { Problem } from '@ringfence/contract';
import type { ClientBase } from 'pg';
import { Type } from 'typebox';
import { type AlertRow, offsetsOf } from '../../alerts/alert-rows.ts';
import { addComment } from '../../alerts/comments.ts';
import { addAlertSuppression, endAlertSuppression, listAlertSuppressions } from '../../alerts/alert-suppressions.ts';
import { type Analyst, closeAlerts, correctAlert } from '../../alerts/work-on-alerts.ts';
import { tellLabels } from '../../labels/tell-labels.ts';
import type { Workspace } from '../../workspaces/workspace.ts';
import type { Exchange } from '../exchange.ts';
import { clientNames } from '../client-names.ts';
import { findWorkspace } from '../find-workspace.ts';
import type { ManagementDeps } from '../management-deps.ts';
import { type Route, route } from '../operation.ts';
import { printOneAlert } from '../print-alerts.ts';
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
} from '../schemas/alert-schema.ts';
import { inWorkspace, list } from '../schemas/members.ts';
import { showQuery } from '../show-member.ts';
import { viewEntity, viewOf } from '../view.ts';
import { analystOf, sealingKeyOf } from './alerts.ts';

const masked = { isMasked: true };
const hourMs = 3_600_000;

interface Closing {
  readonly ids: readonly string[];
  readonly outcome: 'fraud' | 'legitimate';
  readonly comment: string | undefined;
}

function close(
  deps: ManagementDeps,
  exchange: Exchange,
  of: Closing & { readonly workspace: Workspace },
): Promise<readonly AlertRow[]> {
  const analyst = analystOf(deps, exchange);
  const { workspace, ids, outcome } = of;
  return closeAlerts(deps.pool, workspace.id, { ids, analyst, outcome, also: telling(deps, analyst, of) });
}

/** Labels the events of decided alerts, and keeps what the analyst said of them. */
function telling(
  deps: ManagementDeps,
  analyst: Analyst,
  { workspace, outcome, comment }: Omit<Closing, 'ids'> & { readonly workspace: Workspace },
): (client: ClientBase, alerts: readonly AlertRow[]) => Promise<void> {
  const { name: author, nowMs } = analyst;
  return async (client, alerts) => {
    // In the log before it is closed: told again after a failure it changes nothing.
    for (const { id } of alerts) await tellAlert(deps, workspace, { id, label: outcome, author });
    if (comment === undefined) return;
    for (const { id: alertId, subject } of alerts) {
      const key = await sealingKeyOf(deps, workspace, subject);
      await addComment(client, { workspace, alertId, key }, { text: comment, author, nowMs });
    }
  };
}

/** Tells the engine what the events of an alert turned out to be: features, policies and backtests learn from it. */
async function tellAlert(
  deps: ManagementDeps,
  workspace: Workspace,
  of: { readonly id: string; readonly label: Closing['outcome']; readonly author: string },
): Promise<void> {
  const { id, label, author } = of;
  const events = await deps.events.listAt(workspace, await offsetsOf(deps.pool, workspace.id, id));
  await tellLabels(
    deps,
    workspace,
    events.map(({ summary }) => ({ event: summary.id, label, author, note: `alert ${id}` })),
  );
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
    const [row] = await close(deps, exchange, { workspace, ids: [id], outcome, comment });
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
    const also = telling(deps, analyst, { workspace, outcome, comment });
    const row = await correctAlert(deps.pool, workspace.id, { id, analyst, outcome, also });
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
    const rows = await close(deps, exchange, { workspace, ids, outcome, comment });
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
    await closeAlerts(deps.pool, workspace.id, {
      ids: [id],
      analyst,
      outcome: 'suppressed',
      also: async (client, [alert]) => {
        const subject = alert?.subject;
        if (typeof subject !== 'string') {
          throw new Problem('state.conflict', 'Its events named no client: there is nothing to suppress.');
        }
        const times = { madeAtMs: analyst.nowMs, untilMs: analyst.nowMs + hours * hourMs };
        const suppression = { subject, reason, why, madeBy: analyst.name, ...times };
        made = printSuppression(await addAlertSuppression(client, workspace.id, suppression));
      },
    });
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
