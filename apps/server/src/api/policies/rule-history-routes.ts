import { dayMs } from '@ringfence/contract';
import { Type } from 'typebox';
import { readRuleHistory } from '../../console/rule-history.ts';
import { changedRules } from '../../policies/changed-rules.ts';
import { activationsMax, listPolicyActivations } from '../../tenancy/workspaces/policy-activations.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { inWorkspace, list } from '../server/members.ts';
import { type Route, route } from '../server/operation.ts';
import { readTimeRange } from '../server/time-range.ts';
import { policyWorkOf } from './policy-work-of.ts';
import {
  activationSchema,
  historyDaysMax,
  historyQuery,
  printRuleHistory,
  ruleHistorySchema,
} from './rule-history-schema.ts';

/** Without `from`: a month, in which a week is a fourth of the chart. */
const daysShown = 30;

const historyRoute = route(
  {
    id: 'readRuleHistory',
    method: 'GET',
    path: '/workspaces/{workspace}/rule-history',
    tag: 'policies',
    needs: 'see',
    summary: 'How the rules performed by day and by version',
    description: `The last ${daysShown} days by default, ${historyDaysMax} at most: an earlier \`from\` is moved.`,
    params: inWorkspace,
    query: historyQuery,
    answer: { status: 200, description: 'Rules with any activity.', schema: ruleHistorySchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }) => {
    const { id, settings } = await findWorkspace(deps, params);
    const { fromMs, toMs = deps.now() } = readTimeRange(query);
    const from = Math.max(fromMs ?? toMs - daysShown * dayMs, toMs - historyDaysMax * dayMs);
    const items = await readRuleHistory(deps.pool, id, { fromMs: from, toMs, timezone: settings.timezone });
    return { from: new Date(from).toISOString(), to: new Date(toMs).toISOString(), items: items.map(printRuleHistory) };
  },
);

const activationsRoute = route(
  {
    id: 'listPolicyActivations',
    method: 'GET',
    path: '/workspaces/{workspace}/policy-activations',
    tag: 'policies',
    needs: 'see',
    summary: 'When which version began to decide, and the rules that it changed',
    params: inWorkspace,
    query: historyQuery,
    answer: {
      status: 200,
      description: `The newest ${activationsMax} in the time range, newest first. The last 30 days by default.`,
      schema: Type.Object({ items: list(activationSchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }, exchange) => {
    const { id } = await findWorkspace(deps, params);
    const { fromMs, toMs = deps.now() } = readTimeRange(query);
    const all = await listPolicyActivations(deps.pool, id, fromMs ?? toMs - daysShown * dayMs);
    const work = policyWorkOf(deps, exchange);
    const items = [];
    for (const { version, atMs, before } of all.filter((one) => one.atMs < toMs)) {
      const at = new Date(atMs).toISOString();
      if (before === undefined) items.push({ version, at, rules: [] });
      else {
        const rules = await changedRules({ pool: deps.pool, work }, id, { before, after: version });
        items.push({ version, at, before, rules: [...rules] });
      }
    }
    return { items };
  },
);

/** Rules over time. */
export const ruleHistoryRoutes: readonly Route[] = [historyRoute, activationsRoute];
