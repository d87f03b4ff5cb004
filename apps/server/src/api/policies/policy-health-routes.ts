import { Type } from 'typebox';
import { readRuleHealth } from '../../console/rule-health.ts';
import { readKeptAt } from '../../policies/policy-store.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { policyWorkOf } from './policy-work-of.ts';
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
      'Run by the live engine, as `ringfence policy test` does, in a background thread. One request of an account is worked on at a time; each runs for at most a minute.',
    params: inWorkspace,
    body: policyCheckBody,
    example: { files: exampleFiles },
    answer: { status: 200, description: 'The results.', schema: testedPolicySchema },
    problems: ['thing.unknown', 'policy.invalid'],
  },
  async (deps, { params, body }, exchange) => {
    await findWorkspace(deps, params);
    return policyWorkOf(deps, exchange)({ kind: 'test', files: body.files });
  },
);

/** Rule health of a policy, and its test results. */
export const policyHealthRoutes: readonly Route[] = [healthRoute, testRoute];
