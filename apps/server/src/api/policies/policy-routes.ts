import { Problem } from '@ringfence/contract';
import { diffPolicies } from '@ringfence/policy';
import { Type } from 'typebox';
import {
  activatePolicy,
  applyPolicy,
  checkPolicy,
  listPolicies,
  readPolicyFiles,
} from '../../policies/policy-store.ts';
import { planStart } from '../../decide/feature-backfill/plan-backfill.ts';
import { listStarts } from '../../tenancy/workspaces/backfill-rows.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { authorOf } from '../server/request-author.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { inWorkspace, list } from '../server/members.ts';
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
      description: 'From `from`, left out: the version before it. Empty when both decide equally.',
      schema: diffSchema,
    },
    problems: ['thing.unknown', 'policy.invalid'],
  },
  async (deps, { params: { version, ...params }, query: { from = version - 1 } }) => {
    const { id } = await findWorkspace(deps, params);
    const [before, after] = [
      checkPolicy(await readPolicyFiles(deps.pool, id, from)),
      checkPolicy(await readPolicyFiles(deps.pool, id, version)),
    ];
    return { from, items: [...diffPolicies(before.policy, after.policy)] };
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
    summary: 'Check a policy and keep nothing',
    description: 'Every mistake comes back at once. Its own tests are run by `ringfence policy test`.',
    params: inWorkspace,
    body: policyCheckBody,
    example: { files: exampleFiles },
    answer: { status: 200, description: 'It checks.', schema: checkedPolicySchema },
    problems: ['thing.unknown', 'policy.invalid'],
  },
  async (deps, { params, body }) => {
    await findWorkspace(deps, params);
    return { warnings: checkPolicy(body.files).warnings };
  },
);

const applyRoute = route(
  {
    id: 'applyPolicy',
    method: 'POST',
    path: '/workspaces/{workspace}/policies',
    tag: 'policies',
    needs: 'write',
    summary: 'Check, keep and activate a policy',
    description:
      'The files are one policy, whatever their order. The version decides from its record in the log on. With `warmFrom`, features that the version before does not have begin with that history: it is filled in while the version before decides, `listPolicyStarts` tells how far it is, and then the new one decides.',
    params: inWorkspace,
    body: newPolicyBody,
    example: { files: exampleFiles, author: 'mara', comment: 'raise 301' },
    answer: { status: 200, description: 'The version that decides now.', schema: appliedPolicySchema },
    problems: ['thing.unknown', 'policy.invalid', 'owner.config', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    refuseAlone(workspace);
    const { id } = workspace;
    const { warmFrom, author, ...policy } = body;
    const start = warmFrom === undefined ? undefined : await planStart(deps, workspace, readWarmFrom(warmFrom));
    const by = authorOf(exchange.caller, author);
    const applied = await applyPolicy(deps, id, { ...policy, author: by, start, actor: 'api' });
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
    summary: 'Versions whose new features begin with history, and how far they are',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'The newest twenty, newest first.',
      schema: Type.Object({ items: list(startSchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const starts = await listStarts(deps.pool, (await findWorkspace(deps, params)).id);
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
    summary: 'Let a kept version decide: roll back, or forth',
    description:
      'The body may be left out. With `warmFrom`, features that the version before does not have begin with that history, as in `applyPolicy`.',
    params: inVersion,
    body: activationBody,
    example: { comment: 'back to before' },
    answer: {
      status: 204,
      description: 'It decides from its record in the log on; with `warmFrom` when its new features are filled.',
    },
    problems: ['thing.unknown', 'policy.invalid', 'owner.config', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params: { version, ...params }, body: { warmFrom, ifVersion, comment } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    refuseAlone(workspace);
    const start = warmFrom === undefined ? undefined : await planStart(deps, workspace, readWarmFrom(warmFrom));
    await activatePolicy(deps, workspace.id, { version, ifVersion, start, actor: 'api' });
    await deps.registry.refresh();
    const why = comment === '' ? {} : { comment };
    exchange.note({ detail: { before: workspace.policyVersion ?? null, after: version, ...why } });
  },
);

/** @throws Problem `state.conflict` where two people are needed */
function refuseAlone({ name, settings }: Workspace): void {
  if (settings.fourEyes !== true) return;
  throw new Problem(
    'state.conflict',
    `Workspace ${name} has four eyes on its policy: ask for it, and let somebody else approve.`,
  );
}

/** Policy versions: immutable, checked as a whole, in force from their record in the log on. */
export const policyRoutes: readonly Route[] = [
  listRoute,
  readRoute,
  diffRoute,
  checkRoute,
  applyRoute,
  startsRoute,
  activateRoute,
];
