import { Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import {
  activatePolicy,
  applyPolicy,
  checkPolicy,
  listPolicies,
  readPolicyFiles,
} from '../../workspaces/policy-store.ts';
import type { Workspace } from '../../workspaces/workspace.ts';
import { findWorkspace } from '../find-workspace.ts';
import { type Route, route } from '../operation.ts';
import { inWorkspace, list } from '../schemas/members.ts';
import {
  appliedPolicySchema,
  checkedPolicySchema,
  inVersion,
  newPolicyBody,
  exampleFiles,
  policyCheckBody,
  policySchema,
  policyWithFilesSchema,
  printPolicy,
} from '../schemas/policy-schema.ts';

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

const checkRoute = route(
  {
    id: 'checkPolicy',
    method: 'POST',
    path: '/workspaces/{workspace}/policies/check',
    tag: 'policies',
    needs: 'see',
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
    description: 'The files are one policy, whatever their order. The version decides from its record in the log on.',
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
    const applied = await applyPolicy(deps, id, { ...body, actor: 'api' });
    await deps.registry.refresh();
    exchange.note({ detail: { before: workspace.policyVersion ?? null, after: applied.version } });
    return applied;
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
    params: inVersion,
    answer: { status: 204, description: 'It decides from its record in the log on.' },
    problems: ['thing.unknown', 'owner.config', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params: { version, ...params } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    refuseAlone(workspace);
    await activatePolicy(deps, workspace.id, { version, actor: 'api' });
    await deps.registry.refresh();
    exchange.note({ detail: { before: workspace.policyVersion ?? null, after: version } });
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
export const policyRoutes: readonly Route[] = [listRoute, readRoute, checkRoute, applyRoute, activateRoute];
