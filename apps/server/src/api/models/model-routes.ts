import { Type } from 'typebox';
import {
  listTrainings,
  readTrainedArtifact,
  readTraining,
  removeTraining,
} from '../../backtest/training/training-rows.ts';
import { readPolicyFiles } from '../../policies/policy-store.ts';
import { authorOf } from '../server/request-author.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { inWorkspace, list } from '../server/members.ts';
import { type Route, route } from '../server/operation.ts';
import { readTimeRange } from '../server/time-range.ts';
import { policyWorkOf } from '../policies/policy-work-of.ts';
import {
  artifactSchema,
  choicesOf,
  inTraining,
  newComparisonBody,
  newTrainingBody,
  newTrainingExample,
  policyModelSchema,
  printTraining,
  printTrainingWithResult,
  trainingSchema,
  trainingWithResultSchema,
} from './model-schema.ts';

const modelsRoute = route(
  {
    id: 'listModels',
    method: 'GET',
    path: '/workspaces/{workspace}/models',
    tag: 'models',
    needs: 'see',
    summary: 'Models of the active policy',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'With their inputs, their files and the rules that read them, by name.',
      schema: Type.Object({ items: list(policyModelSchema) }),
    },
    problems: ['thing.unknown', 'policy.invalid'],
  },
  async (deps, { params }, exchange) => {
    const { id, policyVersion } = await findWorkspace(deps, params);
    if (policyVersion === undefined) return { items: [] };
    const files = await readPolicyFiles(deps.pool, id, policyVersion);
    const items = await policyWorkOf(deps, exchange)({ kind: 'models', files });
    return { items };
  },
);

const trainRoute = route(
  {
    id: 'startTraining',
    method: 'POST',
    path: '/workspaces/{workspace}/trainings',
    tag: 'models',
    needs: 'write',
    summary: 'Train a model of a policy on history',
    description:
      'Every event of an imported history, or of the live log, is decided again with this policy by the live engine, and decision trees are boosted on the model’s inputs. The last weeks, each scored by a model that did not see it, say what the result is worth. It runs in a background thread; poll it until `state` is not `running`. One training or backtest runs at a time, over all workspaces. The model takes effect only with a policy version that names its file.',
    params: inWorkspace,
    body: newTrainingBody,
    example: newTrainingExample,
    answer: { status: 202, description: 'It is running.', schema: trainingSchema },
    problems: ['thing.unknown', 'policy.invalid', 'state.conflict'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { model, files, history, from, to } = body;
    const id = await deps.backtests.train(workspace, {
      model,
      files,
      history,
      ...readTimeRange({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }),
      choices: choicesOf(body),
      author: authorOf(exchange.caller, body.author),
      work: policyWorkOf(deps, exchange),
    });
    exchange.note({ target: `training ${id}`, detail: { model, history, from, to } });
    return printTraining(await readTraining(deps.pool, workspace.id, id));
  },
);

const compareRoute = route(
  {
    id: 'compareModels',
    method: 'POST',
    path: '/workspaces/{workspace}/trainings/{training}/comparisons',
    tag: 'models',
    needs: 'write',
    summary: 'Compare a trained model with that of the active policy',
    description:
      'Both are evaluated for the same events, decided again by the live engine: the same digits as if both had run live. It runs as a training does, and is listed with them.',
    params: inTraining,
    body: newComparisonBody,
    example: { from: '2026-11-01', delayDays: 7, author: 'mara' },
    answer: { status: 202, description: 'It is running.', schema: trainingSchema },
    problems: ['thing.unknown', 'policy.invalid', 'state.conflict'],
  },
  async (deps, { params: { training, ...params }, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { history, from, to } = body;
    const { model } = await readTraining(deps.pool, workspace.id, training);
    const id = await deps.backtests.train(workspace, {
      model,
      history,
      challenger: training,
      ...readTimeRange({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }),
      choices: choicesOf(body),
      author: authorOf(exchange.caller, body.author),
      work: policyWorkOf(deps, exchange),
    });
    exchange.note({ target: `training ${training}`, detail: { comparison: id, history, from, to } });
    return printTraining(await readTraining(deps.pool, workspace.id, id));
  },
);

const listRoute = route(
  {
    id: 'listTrainings',
    method: 'GET',
    path: '/workspaces/{workspace}/trainings',
    tag: 'models',
    needs: 'see',
    summary: 'List trainings and comparisons of models',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'The last 100 of each, newest first, without their results.',
      schema: Type.Object({ items: list(trainingSchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const trainings = await listTrainings(deps.pool, (await findWorkspace(deps, params)).id);
    return { items: trainings.map(printTraining) };
  },
);

const readRoute = route(
  {
    id: 'readTraining',
    method: 'GET',
    path: '/workspaces/{workspace}/trainings/{training}',
    tag: 'models',
    needs: 'see',
    summary: 'Progress and result of a training or comparison',
    params: inTraining,
    answer: { status: 200, description: 'With its result when it is done.', schema: trainingWithResultSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { training, ...params } }) =>
    printTrainingWithResult(await readTraining(deps.pool, (await findWorkspace(deps, params)).id, training)),
);

const fileRoute = route(
  {
    id: 'readModelFile',
    method: 'GET',
    path: '/workspaces/{workspace}/trainings/{training}/file',
    tag: 'models',
    needs: 'see',
    summary: 'The file of a trained model',
    description:
      'Put it into the policy folder, and name it with its SHA-256 under `models:`. It holds no row of the history.',
    params: inTraining,
    answer: { status: 200, description: 'The file.', schema: artifactSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { training, ...params } }) =>
    readTrainedArtifact(deps.pool, (await findWorkspace(deps, params)).id, training),
);

const cancelRoute = route(
  {
    id: 'cancelTraining',
    method: 'POST',
    path: '/workspaces/{workspace}/trainings/{training}/cancel',
    tag: 'models',
    needs: 'write',
    summary: 'Cancel a running training or comparison',
    description: 'It ends without a result, in whichever process it runs, and the next one may start.',
    params: inTraining,
    answer: { status: 204, description: 'It is cancelled, or had ended.' },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { training, ...params } }) =>
    deps.backtests.cancelTraining(await findWorkspace(deps, params), training),
);

const removeRoute = route(
  {
    id: 'removeTraining',
    method: 'DELETE',
    path: '/workspaces/{workspace}/trainings/{training}',
    tag: 'models',
    needs: 'write',
    summary: 'Delete a training or comparison that has ended, with its result',
    description: 'A policy version that names its model has a copy of the file, and is not affected.',
    params: inTraining,
    answer: { status: 204, description: 'It is deleted.' },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { training, ...params } }) =>
    removeTraining(deps.pool, (await findWorkspace(deps, params)).id, training),
);

/** Models: those of the policy, and their training. */
export const modelRoutes: readonly Route[] = [
  modelsRoute,
  trainRoute,
  compareRoute,
  listRoute,
  readRoute,
  fileRoute,
  cancelRoute,
  removeRoute,
];
