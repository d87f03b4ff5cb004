import { dayMs } from '@ringfence/contract';
import { stabilityAlarms, stabilityWarns } from '@ringfence/models';
import { readModelDays } from '../../decide/model-days.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { readTimeRange } from '../server/time-range.ts';
import { driftDaysMax, driftQuery, inModel, modelDriftSchema, printModelDays } from './model-drift-schema.ts';

/** Without `from`: what a person compares with the present. */
const daysShown = 30;

const driftRoute = route(
  {
    id: 'readModelDrift',
    method: 'GET',
    path: '/workspaces/{workspace}/models/{model}/drift',
    tag: 'policies',
    needs: 'see',
    summary: 'What a model reads and says, by day, beside its training',
    description: `The last ${daysShown} days by default, ${driftDaysMax} at most: an earlier \`from\` is moved. A few seconds behind. Empty for a model that was not evaluated, or whose artifact does not say what it was trained on.`,
    params: inModel,
    query: driftQuery,
    answer: { status: 200, description: 'Values by bins, and their stability index.', schema: modelDriftSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { model, ...params }, query }) => {
    const { id } = await findWorkspace(deps, params);
    const range = readTimeRange(query);
    const toMs = dayFrom(range.toMs ?? deps.logNow()) + dayMs;
    const fromMs = Math.max(dayFrom(range.fromMs ?? toMs - daysShown * dayMs), toMs - driftDaysMax * dayMs);
    const days = await readModelDays(deps.pool, { workspaceIds: [id], fromMs, toMs, model });
    return {
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      warning: stabilityWarns,
      alarm: stabilityAlarms,
      artifacts: printModelDays(days),
    };
  },
);

/** The begin of the day, UTC. */
function dayFrom(atMs: number): number {
  return atMs - (atMs % dayMs);
}

/** Models of the policy over time. */
export const modelDriftRoutes: readonly Route[] = [driftRoute];
