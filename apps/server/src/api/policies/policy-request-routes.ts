import { homeOf } from '../../platform/database/cell.ts';
import { dayMs, Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import { type Caller, nameOf } from '../../access/caller.ts';
import { readAccountProvenance } from '../../access/audit/account-provenance.ts';
import { activateInEmergency, confirmEmergency, reasonLengthMin, takeBackEmergency } from '../../policies/emergency.ts';
import {
  answerPolicyRequest,
  askForPolicy,
  listPolicyRequests,
  noteRequestBacktest,
  openPolicyRequest,
  type PolicyAnswer,
  type PolicyRequest,
  readPolicyRequest,
} from '../../policies/policy-requests.ts';
import { activatePolicy, keepPolicy, readPolicyFiles } from '../../policies/policy-store.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { planBackfill } from '../../decide/feature-backfill/plan-backfill.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { inWorkspace, list } from '../server/members.ts';
import type { PolicyWork } from '../../policies/policy-work.ts';
import { policyWorkOf } from './policy-work-of.ts';
import { inVersion, readWarmFrom } from './policy-schema.ts';
import {
  emergencyBody,
  inPolicyRequest,
  newPolicyRequestBody,
  policyAnswerBody,
  policyApprovalBody,
  policyRequestSchema,
  printPolicyRequest,
} from './policy-request-schema.ts';

const listRoute = route(
  {
    id: 'listPolicyRequests',
    method: 'GET',
    path: '/workspaces/{workspace}/policies/requests',
    tag: 'policies',
    needs: 'see',
    summary: 'List requests for policy changes and their outcomes',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'The newest 100, newest first.',
      schema: Type.Object({ items: list(policyRequestSchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const requests = await listPolicyRequests(deps.pool, (await findWorkspace(deps, params)).id);
    return { items: await withMakers(deps, requests) };
  },
);

const askRoute = route(
  {
    id: 'requestPolicy',
    method: 'POST',
    path: '/workspaces/{workspace}/policies/requests',
    tag: 'policies',
    needs: 'write',
    summary: 'Check and store a policy, and request its activation',
    description:
      'It is activated when another person approves it. Required in workspaces with `fourEyes`, and for a control share that is new, larger, or has a looser cap; optional in all others.',
    params: inWorkspace,
    body: newPolicyRequestBody,
    example: { version: 3, comment: 'back to before' },
    answer: { status: 201, description: 'The request.', schema: policyRequestSchema },
    problems: ['thing.unknown', 'policy.invalid', 'owner.config', 'state.conflict'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { id } = workspace;
    const by = nameOf(exchange.caller);
    const { files, comment, warmFrom } = body;
    // An invalid source of history is reported now, not to the approver.
    await planBackfill(deps, workspace, readWarmFrom(warmFrom));
    if (files === undefined) await readPolicyFiles(deps.pool, id, body.version!);
    const version =
      files === undefined
        ? body.version!
        : await keepPolicy(deps, id, { files, author: by, comment, actor: 'api', work: policyWorkOf(deps, exchange) });
    const asked = await askForPolicy(deps.pool, id, { version, comment, warmFrom, by, nowMs: deps.now() });
    exchange.note({ target: asked.id, detail: { version } });
    return (await withMakers(deps, [asked]))[0]!;
  },
);

const emergencyRoute = route(
  {
    id: 'activatePolicyInEmergency',
    method: 'POST',
    path: '/workspaces/{workspace}/policies/{version}/emergency',
    tag: 'policies',
    needs: 'approve',
    scope: 'none',
    summary: 'Activate a stored version alone, in an emergency',
    description:
      'For workspaces with `fourEyes`. It decides at once, for 24 hours; then the version before comes back, unless a second person has approved the change meanwhile. A further emergency does not prolong the first. The request of the version, if there is one, is answered by it. New features begin without history.',
    params: inVersion,
    body: emergencyBody,
    example: { reason: 'mules drain accounts through channel 2' },
    answer: {
      status: 201,
      description: 'The request that waits for its second person.',
      schema: policyRequestSchema,
    },
    problems: ['thing.unknown', 'policy.invalid', 'owner.config', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params: { version, ...params }, body: { reason, ifVersion } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { caller } = exchange;
    refusePrograms(caller);
    if (workspace.settings.fourEyes !== true)
      throw new Problem(
        'state.conflict',
        `Workspace ${workspace.name} requires no second person: activate the version.`,
      );
    const written = reason.trim();
    if (written.length < reasonLengthMin)
      throw new Problem('request.invalid', `The reason has fewer than ${reasonLengthMin} characters.`);
    const by = nameOf(caller);
    const work = policyWorkOf(deps, exchange);
    const wanted = { version, reason: written, by, ifVersion, work, nowMs: deps.now() };
    const made = await activateInEmergency(deps, workspace.id, wanted);
    await deps.registry.refresh();
    const printed = (await withMakers(deps, [made]))[0]!;
    const { emergency, accounts } = printed;
    exchange.note({
      target: made.id,
      detail: {
        before: workspace.policyVersion ?? null,
        after: version,
        reason: written,
        until: emergency?.expiresAt,
        accounts,
      },
    });
    return printed;
  },
);

/** Enough for each weekday, and minutes of work on a busy log. */
const backtestMs = 7 * dayMs;

const backtestRoute = route(
  {
    id: 'backtestPolicyRequest',
    method: 'POST',
    path: '/workspaces/{workspace}/policies/requests/{request}/backtest',
    tag: 'policies',
    needs: 'approve',
    summary: 'Backtest a requested version against the live one, on the last seven days',
    description:
      'For the person who approves. `readBacktest` has its progress and its result. In an emergency the requested version is live already, and the version before is the one that is tried.',
    params: inPolicyRequest,
    answer: { status: 202, description: 'The request, with the number of the backtest.', schema: policyRequestSchema },
    problems: ['thing.unknown', 'policy.invalid', 'state.conflict'],
  },
  async (deps, { params: { request: id, ...params } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const request = await readPolicyRequest(deps.pool, workspace.id, id);
    const { version, emergency } = request;
    const backtest = await deps.backtests.start(workspace, {
      candidate: {
        version: emergency !== undefined && version === workspace.policyVersion ? emergency.before : version,
      },
      against: 'live',
      fromMs: deps.now() - backtestMs,
      author: nameOf(exchange.caller),
      work: policyWorkOf(deps, exchange),
    });
    await noteRequestBacktest(deps.pool, workspace.id, { id, backtest });
    exchange.note({ target: id, detail: { version, backtest } });
    return (await withMakers(deps, [{ ...request, backtest }]))[0]!;
  },
);

function refusePrograms(caller: Caller): void {
  if (caller.kind === 'person') return;
  throw new Problem('right.missing', 'A person has to approve it: the admin token may belong to the person who asked.');
}

const answers = {
  approve: {
    state: 'approved',
    needs: 'approve',
    scope: 'none',
    summary: 'Approve a version that another person requested',
    taken: policyApprovalBody,
  },
  refuse: {
    state: 'refused',
    needs: 'approve',
    scope: 'none',
    summary: 'Refuse a requested version',
    taken: policyAnswerBody,
  },
  withdraw: {
    state: 'withdrawn',
    needs: 'write',
    scope: 'policies:write',
    summary: 'Withdraw one’s own request',
    taken: policyAnswerBody,
  },
} as const;

function answerRoute(change: keyof typeof answers): Route {
  const { state, needs, scope, summary, taken } = answers[change];
  return route(
    {
      id: `${change}PolicyRequest`,
      method: 'POST',
      path: `/workspaces/{workspace}/policies/requests/{request}/${change}`,
      tag: 'policies',
      needs,
      scope,
      summary,
      params: inPolicyRequest,
      body: taken,
      example: { comment: 'looks right' },
      answer: { status: 200, description: 'The request as it is now.', schema: policyRequestSchema },
      problems: ['thing.unknown', 'policy.invalid', 'owner.config', 'state.conflict', 'log.unavailable'],
    },
    async (deps, { params: { request: id, ...params }, body }, exchange) => {
      const workspace = await findWorkspace(deps, params);
      const { caller } = exchange;
      if (change === 'approve') refusePrograms(caller);
      const by = { by: nameOf(caller), nowMs: deps.now(), home: homeOf(deps) };
      const answer = { id, state, answer: body.comment, ...by };
      const ifVersion = 'ifVersion' in body ? body.ifVersion : undefined;
      const work = policyWorkOf(deps, exchange);
      const answered =
        state === 'approved'
          ? await approve(deps, workspace, { ...answer, state, ifVersion, work })
          : await decline(deps, workspace, { ...answer, state, work });
      const printed = (await withMakers(deps, [answered]))[0]!;
      const { version, askedBy, accounts, emergency } = printed;
      const ended = emergency === undefined ? {} : { emergency };
      const before = workspace.policyVersion ?? null;
      exchange.note({ target: id, detail: { version, askedBy, before, ...ended, accounts } });
      return printed;
    },
  );
}

/** Two accounts may belong to one person: each request shows who created the accounts and their links. */
async function withMakers(
  deps: ManagementDeps,
  requests: readonly PolicyRequest[],
): Promise<Type.Static<typeof policyRequestSchema>[]> {
  const people = requests.flatMap(({ askedBy, answeredBy }) =>
    answeredBy === undefined ? [askedBy] : [askedBy, answeredBy],
  );
  const makers = await readAccountProvenance(homeOf(deps), people);
  return requests.map((request) => printPolicyRequest(request, makers));
}

/**
 * A version that cannot be activated is not approved: the request stays open, and can be withdrawn, refused, or
 * approved later.
 */
async function approve(
  deps: ManagementDeps,
  workspace: Workspace,
  { ifVersion, work, ...answer }: PolicyAnswer & { readonly ifVersion: number | undefined; readonly work: PolicyWork },
): Promise<PolicyRequest> {
  const { version, warmFrom, state } = await openPolicyRequest(deps.pool, workspace.id, answer);
  if (state === 'emergency') return confirmEmergency(deps, workspace.id, { ...answer, version });
  const start = await planBackfill(deps, workspace, readWarmFrom(warmFrom));
  let answered: PolicyRequest | undefined;
  await activatePolicy(deps, workspace.id, {
    version,
    ifVersion,
    start,
    work,
    actor: 'api',
    isAgreed: true,
    also: async (client) => void (answered = await answerPolicyRequest(client, workspace.id, answer)),
  });
  await deps.registry.refresh();
  return answered!;
}

/** Of an emergency, the version before comes back with the answer. */
async function decline(
  deps: ManagementDeps,
  workspace: Workspace,
  { work, ...answer }: PolicyAnswer & { readonly work: PolicyWork },
): Promise<PolicyRequest> {
  const { version, emergency, state } = await openPolicyRequest(deps.pool, workspace.id, answer);
  if (state !== 'emergency') return answerPolicyRequest(deps.pool, workspace.id, answer);
  let answered: PolicyRequest | undefined;
  await takeBackEmergency(deps, workspace.id, {
    version,
    before: emergency!.before,
    work,
    end: async (client) => void (answered = await answerPolicyRequest(client, workspace.id, answer)),
  });
  await deps.registry.refresh();
  return answered!;
}

/** Dual control for policies: one person requests, another approves. */
export const policyRequestRoutes: readonly Route[] = [
  listRoute,
  askRoute,
  emergencyRoute,
  backtestRoute,
  answerRoute('approve'),
  answerRoute('refuse'),
  answerRoute('withdraw'),
];
