import { homeOf } from '../../platform/database/cell.ts';
import { Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import { findAccount, listAccounts } from '../../access/accounts/account-rows.ts';
import type { Account } from '../../access/accounts/account.ts';
import { rightsIn } from '../../access/accounts/roles.ts';
import { type AlertRow, readAlert } from '../../console/alerts/alert-rows.ts';
import { handedNotePlace, handOver, takeBack } from '../../console/alerts/work-on-alerts.ts';
import { seal } from '../../platform/secrets/seal.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { inWorkspace, list } from '../server/members.ts';
import { type Route, route } from '../server/operation.ts';
import type { RequestContext } from '../server/request-context.ts';
import { analystOf, sealingKeyOf } from './alert-routes.ts';
import { alertSchema, analystSchema, handOverBody, handOverManyBody, inAlert, manySchema } from './alert-schema.ts';
import { forEachAlert } from './for-each-alert.ts';
import { printOneAlert } from './print-alerts.ts';

const analystsRoute = route(
  {
    id: 'listAnalysts',
    method: 'GET',
    path: '/workspaces/{workspace}/analysts',
    tag: 'alerts',
    needs: 'see',
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
    const accounts = await listAccounts(homeOf(deps));
    return {
      items: accounts.filter((one) => mayWork(one, workspace)).map(({ email, name }) => ({ email, name })),
    };
  },
);

/** Whether an account can log in, and may work on alerts of the workspace. */
function mayWork({ disabledAtMs, hasPassword, issuer, roles }: Account, { id }: Workspace): boolean {
  const canLogIn = disabledAtMs === undefined && (hasPassword || issuer !== undefined);
  return canLogIn && rightsIn(roles, id).includes('work');
}

interface HandOver {
  readonly to: string;
  readonly note?: string;
}

/** @throws Problem `thing.unknown` if the person may not work on alerts here; as `handOver` for each alert */
async function handOverTo(
  deps: ManagementDeps,
  { workspace, body: { to, note } }: { readonly workspace: Workspace; readonly body: HandOver },
  exchange: RequestContext,
): Promise<{ readonly email: string; readonly give: (id: string) => Promise<AlertRow> }> {
  const account = await findAccount(homeOf(deps), to);
  if (account === undefined || !mayWork(account, workspace)) {
    throw new Problem('thing.unknown', `There is no account ${to} that may work on alerts here.`);
  }
  const analyst = analystOf(deps, exchange);
  if (account.id === analyst.accountId)
    throw new Problem('state.conflict', 'An alert is handed over to another person.');
  const give = async (id: string): Promise<AlertRow> => {
    const sealed = note === undefined ? undefined : await sealedNote(id, note);
    return handOver(deps.pool, workspace.id, { id, analyst, to: account, note: sealed });
  };
  const sealedNote = async (alertId: string, text: string): Promise<Buffer> => {
    const { subject } = await readAlert(deps.pool, workspace.id, { id: alertId, nowMs: analyst.nowMs });
    const place = handedNotePlace({ workspaceId: workspace.id, alertId }, { giver: analyst.name, atMs: analyst.nowMs });
    return seal(await sealingKeyOf(deps, workspace, subject), Buffer.from(text), place);
  };
  return { email: account.email, give };
}

const handOverRoute = route(
  {
    id: 'handOverAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/hand-over',
    tag: 'alerts',
    needs: 'work',
    summary: 'Assign an alert to another person',
    description: 'They have it for a day. The giver can take it back meanwhile.',
    params: inAlert,
    body: handOverBody,
    example: { to: 'mara@bank.example', note: 'She asked to be called after five.' },
    answer: { status: 200, description: 'The alert as it is now.', schema: alertSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params }, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { email, give } = await handOverTo(deps, { workspace, body }, exchange);
    const row = await give(id);
    exchange.note({ target: id, detail: { to: email } });
    return printOneAlert(deps, workspace, row);
  },
);

const handOverManyRoute = route(
  {
    id: 'handOverAlerts',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/hand-over',
    tag: 'alerts',
    needs: 'work',
    summary: 'Assign several alerts to another person',
    params: inWorkspace,
    body: handOverManyBody,
    example: { alerts: ['alr_abc234def567'], to: 'mara@bank.example' },
    answer: { status: 200, description: 'The result of each.', schema: manySchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params, body: { alerts: ids, ...body } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { email, give } = await handOverTo(deps, { workspace, body }, exchange);
    const { changed, refused } = await forEachAlert(ids, give);
    exchange.note({ detail: { to: email, alerts: changed.map(({ id }) => id) } });
    return { changed: changed.length, refused };
  },
);

const takeBackRoute = route(
  {
    id: 'takeBackAlert',
    method: 'POST',
    path: '/workspaces/{workspace}/alerts/{alert}/take-back',
    tag: 'alerts',
    needs: 'work',
    summary: 'Take back an alert that you handed over',
    description: 'While the other person has it. It is then claimed by the caller.',
    params: inAlert,
    answer: { status: 200, description: 'The alert as it is now.', schema: alertSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { alert: id, ...params } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const row = await takeBack(deps.pool, workspace.id, { id, analyst: analystOf(deps, exchange) });
    exchange.note({ target: id });
    return printOneAlert(deps, workspace, row);
  },
);

/** Who may work on alerts, and how one person gives alerts to another. */
export const handOverRoutes: readonly Route[] = [analystsRoute, handOverRoute, handOverManyRoute, takeBackRoute];
