import { dayMs } from '@ringfence/contract';
import {
  Ensemble,
  isKept,
  type ModelArtifact,
  type ModelPopulation,
  type ScoreTable,
  scoreTable,
} from '@ringfence/models';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { BacktestDeps } from '../backtests/run-stored-backtest.ts';
import { type KnownModel, type ModelComparison, modelComparison } from './model-comparison.ts';
import { historyOf, type HistoryRequest, type Stepped, stepThrough, type TrainingHooks } from './model-history.ts';
import { populationOf } from './model-population.ts';
import { labelHint } from './train-model.ts';

/**
 * The table of scores of a model that was trained elsewhere, by the log-odds that it gives the legitimate events of a
 * history, and what it reads and says of all of them, or of a part of a long one.
 *
 * @param artifact its inputs are those that the policy declares, in any order
 * @throws as `trainModel`
 */
export async function scoresOn(
  deps: BacktestDeps,
  workspace: Workspace,
  of: { readonly request: HistoryRequest; readonly artifact: ModelArtifact; readonly hooks: TrainingHooks },
): Promise<{ readonly scores: ScoreTable; readonly population: ModelPopulation }> {
  const { request, artifact, hooks } = of;
  const stepped = await historyOf(deps, workspace, request);
  const { steps, source } = stepped;
  const { inputs, marginOf } = readerOf(stepped, artifact);
  const margins: number[] = [];
  const columns: readonly number[][] = artifact.inputs.map(() => []);
  const share = Math.min(1, eventsMax / Math.max(1, source.total));
  await stepThrough(stepped, hooks, ({ offset, isFraud, values }) => {
    const margin = marginOf(values);
    if (isKept(offset, share)) columns.forEach((column, at) => column.push(inputs[at]!));
    if (!isFraud) margins.push(margin);
  });
  if (margins.length > 0) {
    const population = populationOf(artifact, { columns: columns.map((column) => Float64Array.from(column)) });
    return { scores: scoreTable(Float64Array.from(margins)), population };
  }
  throw new OperatorError(`${steps.model.name} has no score: the history has no legitimate event for it.`, labelHint);
}

/** More events hardly change the shares of their bins. */
const eventsMax = 400_000;

/**
 * Two models of the same inputs on the same events: the policy's present one, and another.
 *
 * @param challenger its inputs are those that the policy declares, in any order
 * @throws as `trainModel`; OperatorError if the policy's model is not trained
 */
export async function compareModels(
  deps: BacktestDeps,
  workspace: Workspace,
  of: { readonly request: HistoryRequest; readonly challenger: KnownModel; readonly hooks: TrainingHooks },
): Promise<ModelComparison> {
  const { request, challenger, hooks } = of;
  const stepped = await historyOf(deps, workspace, request);
  const { period } = stepped;
  const { trained, name } = stepped.steps.model;
  if (trained === undefined)
    throw new OperatorError(
      `The policy has no trained model ${name} to compare with.`,
      'Compare with a policy that names an artifact.',
    );
  const [old, young] = [readerOf(stepped, trained.content), readerOf(stepped, challenger.artifact)];
  const [labels, champion, challenged]: [number[], number[], number[]] = [[], [], []];
  await stepThrough(stepped, hooks, ({ isFraud, values }) => {
    labels.push(isFraud ? 1 : 0);
    champion.push(old.marginOf(values));
    challenged.push(young.marginOf(values));
  });
  if (labels.length === 0) throw new OperatorError(`${name} decided no event in this time.`, 'Choose a longer one.');
  return modelComparison(
    {
      labels: Uint8Array.from(labels),
      champion: Float64Array.from(champion),
      challenger: Float64Array.from(challenged),
    },
    {
      ...period,
      days: (period.toMs - period.fromMs) / dayMs,
      champion: { sha256: trained.sha256, artifact: trained.content },
      challenger,
    },
  );
}

/** What a model reads, and the log-odds of it, from the values of the policy's inputs. */
function readerOf(
  { steps: { model } }: Stepped,
  artifact: ModelArtifact,
): { readonly inputs: Float64Array; readonly marginOf: (values: Float64Array) => number } {
  const places = artifact.inputs.map(({ name }) => model.inputs.findIndex((input) => input.name === name));
  const foreign = artifact.inputs.find((_, at) => places[at] === -1);
  if (foreign !== undefined)
    throw new OperatorError(
      `The policy has no input ${foreign.name} for its model ${model.name}.`,
      'Declare each input of the model, or name it in --map.',
    );
  const [ensemble, inputs] = [new Ensemble(artifact), new Float64Array(places.length)];
  const marginOf = (values: Float64Array): number => {
    places.forEach((place, at) => (inputs[at] = values[place]!));
    return ensemble.margin(inputs);
  };
  return { inputs, marginOf };
}
