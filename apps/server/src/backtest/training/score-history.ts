import { dayMs } from '@ringfence/contract';
import { Ensemble, type ModelArtifact, type ScoreTable, scoreTable, sha256, writeArtifact } from '@ringfence/models';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { BacktestDeps } from '../backtests/run-stored-backtest.ts';
import { type ModelComparison, modelComparison } from './model-comparison.ts';
import { historyOf, type HistoryRequest, type Stepped, stepThrough, type TrainingHooks } from './model-history.ts';
import { labelHint } from './train-model.ts';

/**
 * The table of scores of a model that was trained elsewhere: the log-odds that it gives the legitimate events of a
 * history.
 *
 * @param artifact its inputs are those that the policy declares, in any order
 * @throws as `trainModel`
 */
export async function scoresOn(
  deps: BacktestDeps,
  workspace: Workspace,
  of: { readonly request: HistoryRequest; readonly artifact: ModelArtifact; readonly hooks: TrainingHooks },
): Promise<ScoreTable> {
  const { request, artifact, hooks } = of;
  const stepped = await historyOf(deps, workspace, request);
  const { steps } = stepped;
  const marginOf = marginsOf(stepped, artifact);
  const margins: number[] = [];
  await stepThrough(stepped, hooks, ({ isFraud, values }) => {
    if (isFraud) return;
    margins.push(marginOf(values));
  });
  if (margins.length > 0) return scoreTable(Float64Array.from(margins));
  throw new OperatorError(`${steps.model.name} has no score: the history has no legitimate event for it.`, labelHint);
}

/**
 * Two models of the same inputs on the same events: the policy's present one, and another.
 *
 * @param challenger its inputs are those that the policy declares, in any order
 * @throws as `trainModel`; OperatorError if the policy's model is not trained
 */
export async function compareModels(
  deps: BacktestDeps,
  workspace: Workspace,
  of: { readonly request: HistoryRequest; readonly challenger: ModelArtifact; readonly hooks: TrainingHooks },
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
  const [old, young] = [marginsOf(stepped, trained.content), marginsOf(stepped, challenger)];
  const [labels, champion, challenged]: [number[], number[], number[]] = [[], [], []];
  await stepThrough(stepped, hooks, ({ isFraud, values }) => {
    labels.push(isFraud ? 1 : 0);
    champion.push(old(values));
    challenged.push(young(values));
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
      challenger: { sha256: sha256(writeArtifact(challenger)), artifact: challenger },
    },
  );
}

/** The log-odds of an event, from the values of the policy's inputs. */
function marginsOf({ steps: { model } }: Stepped, artifact: ModelArtifact): (values: Float64Array) => number {
  const places = artifact.inputs.map(({ name }) => model.inputs.findIndex((input) => input.name === name));
  const foreign = artifact.inputs.find((_, at) => places[at] === -1);
  if (foreign !== undefined)
    throw new OperatorError(
      `The policy has no input ${foreign.name} for its model ${model.name}.`,
      'Declare each input of the model, or name it in --map.',
    );
  const [ensemble, inputs] = [new Ensemble(artifact), new Float64Array(places.length)];
  return (values) => {
    places.forEach((place, at) => (inputs[at] = values[place]!));
    return ensemble.margin(inputs);
  };
}
