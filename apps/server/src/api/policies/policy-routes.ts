import { Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import { activatePolicy, applyPolicy, listPolicies, readPolicyFiles } from '../../policies/policy-store.ts';
import { planBackfill } from '../../decide/feature-backfill/plan-backfill.ts';
import { listBackfills } from '../../tenancy/workspaces/backfill-rows.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { authorOf } from '../server/request-author.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { inWorkspace, list } from '../server/members.ts';
import { policyWorkOf } from './policy-work-of.ts';
import {
  activationBody,
  appliedPolicySchema,
  checkedPolicySchema,
  diffQuery,
  diffSchema,
  inVersion,
  newPolicyBody,
  exampleFiles,
  policyCheckBody,
  policySchema,
  policyWithFilesSchema,
  printPolicy,
  printStart,
  readWarmFrom,
  startSchema,
} from './policy-schema.ts';

const listRoute = route(
  {
    id: 'listPolicies',
    method: 'GET',
    path: '/workspaces/{workspace}/policies',
    tag: 'policies',
    needs: 'see',
    summary: 'List the versions of a policy',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'The newest 200, newest first, without their files.',
      schema: Type.Object({ items: list(policySchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const versions = await listPolicies(deps.pool, (await findWorkspace(deps, params)).id);
    return { items: versions.map(printPolicy) };
  },
);

const readRoute = route(
  {
    id: 'readPolicy',
    method: 'GET',
    path: '/workspaces/{workspace}/policies/{version}',
    tag: 'policies',
    needs: 'see',
    summary: 'The files of a version',
    params: inVersion,
    answer: { status: 200, description: 'The files.', schema: policyWithFilesSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { version, ...params } }) => {
    const { id } = await findWorkspace(deps, params);
    return { version, files: await readPolicyFiles(deps.pool, id, version) };
  },
);

const diffRoute = route(
  {
    id: 'diffPolicies',
    method: 'GET',
    path: '/workspaces/{workspace}/policies/{version}/diff',
    tag: 'policies',
    needs: 'see',
    summary: 'What a version changes, in words',
    params: inVersion,
    query: diffQuery,
    answer: {
      status: 200,
      description: 'Compared with `from`, by default the version before it. Empty if both decide equally.',
      schema: diffSchema,
    },
    problems: ['thing.unknown', 'policy.invalid'],
  },
  async (deps, { params: { version, ...params }, query: { from = version - 1 } }, exchange) => {
    const { id } = await findWorkspace(deps, params);
    const before = await readPolicyFiles(deps.pool, id, from);
    const after = await readPolicyFiles(deps.pool, id, version);
    return { from, items: [...(await policyWorkOf(deps, exchange)({ kind: 'diff', before, after }))] };
  },
);

const checkRoute = route(
  {
    id: 'checkPolicy',
    method: 'POST',
    path: '/workspaces/{workspace}/policies/check',
    tag: 'policies',
    needs: 'see',
    isRead: true,
    summary: 'Check a policy without storing it',
    description: 'Up to 20 mistakes are returned together. `ringfence policy test` runs its tests.',
    params: inWorkspace,
    body: policyCheckBody,
    example: { files: exampleFiles },
    answer: { status: 200, description: 'The policy is valid.', schema: checkedPolicySchema },
    problems: ['thing.unknown', 'policy.invalid'],
  },
  async (deps, { params, body }, exchange) => {
    const { environment } = await findWorkspace(deps, params);
    const { warnings } = await policyWorkOf(deps, exchange)({ kind: 'check', files: body.files, environment });
    return { warnings };
  },
);

const applyRoute = route(
  {
    id: 'applyPolicy',
    method: 'POST',
    path: '/workspaces/{workspace}/policies',
    tag: 'policies',
    needs: 'write',
    summary: 'Check, store and activate a policy',
    description:
      'The files together are one policy; their order is irrelevant. The version takes effect with its record in the log. With `warmFrom`, features that the version before does not have are backfilled from that history while the version before stays active; `listPolicyStarts` reports the progress, and then the new version takes over.',
    params: inWorkspace,
    body: newPolicyBody,
    example: { files: exampleFiles, author: 'mara', comment: 'raise 301' },
    answer: { status: 200, description: 'The version that is now active.', schema: appliedPolicySchema },
    problems: ['thing.unknown', 'policy.invalid', 'owner.config', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    refuseAlone(workspace);
    const { id } = workspace;
    const { warmFrom, author, ...policy } = body;
    const start = await planBackfill(deps, workspace, readWarmFrom(warmFrom));
    const by = authorOf(exchange.caller, author);
    const work = policyWorkOf(deps, exchange);
    const applied = await applyPolicy(deps, id, { ...policy, author: by, start, actor: 'api', work });
    await deps.registry.refresh();
    exchange.note({ detail: { before: workspace.policyVersion ?? null, after: applied.version } });
    return applied;
  },
);

const startsRoute = route(
  {
    id: 'listPolicyStarts',
    method: 'GET',
    path: '/workspaces/{workspace}/policy-starts',
    tag: 'policies',
    needs: 'see',
    summary: 'Versions whose new features are being backfilled, with their progress',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'The newest twenty, newest first.',
      schema: Type.Object({ items: list(startSchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const starts = await listBackfills(deps.pool, (await findWorkspace(deps, params)).id);
    return { items: starts.map(printStart) };
  },
);

const activateRoute = route(
  {
    id: 'activatePolicy',
    method: 'POST',
    path: '/workspaces/{workspace}/policies/{version}/activate',
    tag: 'policies',
    needs: 'write',
    summary: 'Activate a stored version: roll back or forward',
    description:
      'The body is optional. With `warmFrom`, features that the version before does not have are backfilled from that history, as in `applyPolicy`.',
    params: inVersion,
    body: activationBody,
    example: { comment: 'back to before' },
    answer: {
      status: 204,
      description: 'It takes effect with its record in the log; with `warmFrom`, when its new features are backfilled.',
    },
    problems: ['thing.unknown', 'policy.invalid', 'owner.config', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params: { version, ...params }, body: { warmFrom, ifVersion, comment } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    refuseAlone(workspace);
    const start = await planBackfill(deps, workspace, readWarmFrom(warmFrom));
    const work = policyWorkOf(deps, exchange);
    await activatePolicy(deps, workspace.id, { version, ifVersion, start, actor: 'api', work });
    await deps.registry.refresh();
    const why = comment === '' ? {} : { comment };
    exchange.note({ detail: { before: workspace.policyVersion ?? null, after: version, ...why } });
  },
);

/** @throws Problem `state.conflict` if the workspace requires a second person */
function refuseAlone({ name, settings }: Workspace): void {
  if (settings.fourEyes !== true) return;
  throw new Problem(
    'state.conflict',
    `Workspace ${name} requires a second person for its policy: create a request, and let another person approve it.`,
  );
}

/** Policy versions: immutable, validated as a whole, and active from their record in the log. */
export const policyRoutes: readonly Route[] = [
  listRoute,
  readRoute,
  diffRoute,
  checkRoute,
  applyRoute,
  startsRoute,
  activateRoute,
];
