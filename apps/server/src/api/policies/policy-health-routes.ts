import { Type } from 'typebox';
import { Problem } from '@ringfence/contract';
import { readRuleHealth } from '../../console/rule-health.ts';
import { nameOf } from '../../access/accounts/caller.ts';
import type { Heard } from '../../backtest/queries/query.ts';
import type { TestedPolicy } from '../../backtest/queries/test-policy.ts';
import { checkPolicy, readKeptAt } from '../../policies/policy-store.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { instant, inWorkspace, list } from '../server/members.ts';
import { ruleHealthSchema, testedPolicySchema } from './policy-health-schema.ts';
import { exampleFiles, inVersion, policyCheckBody } from './policy-schema.ts';

const healthRoute = route(
  {
    id: 'readRuleHealth',
    method: 'GET',
    path: '/workspaces/{workspace}/policies/{version}/health',
    tag: 'policies',
    needs: 'see',
    summary: 'How the rules of a version did while it decided',
    params: inVersion,
    answer: {
      status: 200,
      description: 'Rules that did anything, by their numbers.',
      schema: Type.Object(
        { keptAt: instant('When the version was kept: it decided nothing before.'), items: list(ruleHealthSchema) },
        { title: 'PolicyHealth' },
      ),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { version, ...params } }) => {
    const { id } = await findWorkspace(deps, params);
    // Another version is told apart from one that did nothing.
    const keptAt = (await readKeptAt(deps.pool, id, version)).toISOString();
    return { keptAt, items: await readRuleHealth(deps.pool, id, version) };
  },
);

const testRoute = route(
  {
    id: 'testPolicy',
    method: 'POST',
    path: '/workspaces/{workspace}/policies/test',
    tag: 'policies',
    needs: 'see',
    isRead: true,
    summary: 'Play the tests of a policy and keep nothing',
    description:
      'On the engine that decides, as `ringfence policy test` does. Beside the service; two such questions are answered at a time, of two people where two ask; beside others, each for five minutes.',
    params: inWorkspace,
    body: policyCheckBody,
    example: { files: exampleFiles },
    answer: { status: 200, description: 'What came of them.', schema: testedPolicySchema },
    problems: ['thing.unknown', 'policy.invalid', 'state.conflict'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    return tested(deps, { workspace, by: nameOf(exchange.caller) }, checkPolicy(body.files).files);
  },
);

function tested(
  deps: ManagementDeps,
  of: { readonly workspace: Workspace; readonly by: string },
  files: TestedFiles,
): Promise<TestedPolicy> {
  const { promise, resolve, reject } = Promise.withResolvers<TestedPolicy>();
  deps.inquiries.begin({ ...of, inquiry: { kind: 'testPolicy', files } }, (heard: Heard) => {
    if (heard.kind === 'tested') resolve(heard.tested);
    if (heard.kind === 'failed') reject(new Problem(heard.code, heard.detail));
  });
  return promise;
}

type TestedFiles = ReturnType<typeof checkPolicy>['files'];

/** How the rules of a policy do, and what its tests say. */
export const policyHealthRoutes: readonly Route[] = [healthRoute, testRoute];
