import { Type } from 'typebox';
import { Problem } from '@ringfence/contract';
import { readRuleHealth } from '../../console/rule-health.ts';
import { nameOf } from '../../access/caller.ts';
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
    summary: 'How the rules of a version performed while it was active',
    params: inVersion,
    answer: {
      status: 200,
      description: 'Rules with any activity, by number.',
      schema: Type.Object(
        { keptAt: instant('When the version was stored: it decided nothing before.'), items: list(ruleHealthSchema) },
        { title: 'PolicyHealth' },
      ),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { version, ...params } }) => {
    const { id } = await findWorkspace(deps, params);
    // Fails for an unknown version, so that it differs from a version without activity.
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
    summary: 'Run the tests of a policy without storing anything',
    description:
      'Run by the live engine, as `ringfence policy test` does, in a background thread. Two such queries run at a time, for two people if two are waiting; while others wait, each runs for at most five minutes.',
    params: inWorkspace,
    body: policyCheckBody,
    example: { files: exampleFiles },
    answer: { status: 200, description: 'The results.', schema: testedPolicySchema },
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

/** Rule health of a policy, and its test results. */
export const policyHealthRoutes: readonly Route[] = [healthRoute, testRoute];
