import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayMs, Problem } from '@ringfence/contract';
import {
  artifactFormat,
  boost,
  type BoostedTrees,
  calibrationBins,
  type CheckedWeek,
  type FoldCard,
  foldMeasures,
  joinedBins,
  type ModelArtifact,
  type ModelCard,
  modelCard,
  type Sampling,
  scoreTable,
  sha256,
  timeFolds,
  type TimeFold,
  tooFewRows,
  trainingDefaults,
  type TrainingSettings,
  validate,
  type Validation,
  writeArtifact,
} from '@ringfence/models';
import type { Model } from '@ringfence/policy';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { BacktestDeps } from '../backtests/run-stored-backtest.ts';
import {
  historyOf,
  type HistoryRequest,
  type Period,
  stepThrough,
  TrainingCancelled,
  type TrainingHooks,
} from './model-history.ts';
import { type ModelComparison, modelComparison } from './model-comparison.ts';
import { type ModelReport, modelReport } from './model-report.ts';
import { populationOf } from './model-population.ts';
import { type ScoredRows, TrainingSet, type TrainingTable } from './training-set.ts';

export interface TrainingRequest extends HistoryRequest {
  /** Share of the legitimate events that are trained on; absent: so that there are at most some 400,000. */
  readonly legitimateShare?: number | undefined;
  readonly halfLifeMs?: number | undefined;
  readonly settings: Partial<TrainingSettings>;
  /** End of the events that an artifact was trained on, if known: the policy's present model is compared on later ones. */
  readonly championToMs?: (sha256: string) => Promise<number | undefined>;
  readonly monotone: ReadonlyMap<string, -1 | 1>;
}

export interface TrainedModelFile {
  /** The artifact. */
  readonly text: string;
  readonly sha256: string;
  readonly card: ModelCard;
  readonly validation: Validation;
  /** By the events of the validation weeks, and models that did not see them. */
  readonly report: ModelReport;
  /** With the policy's present model, on the validation weeks that it did not see. */
  readonly comparison: ModelComparison | undefined;
  /** The events of the validation weeks, each week by a model that did not see it. The oldest week comes first. */
  readonly tests: readonly (ScoredRows & CheckedWeek)[];
  readonly artifact: ModelArtifact;
}

const testMs = 7 * dayMs;
const foldsMax = 4;
/** Legitimate events beyond this hardly change a model, and cost time and memory. */
const legitimateMax = 400_000;

/**
 * Trains a model of a policy: decides the history again on the live engine, takes the model's inputs at each decision,
 * and boosts trees on them. Four later weeks, each by a model that did not see it, say what the result is worth.
 *
 * @throws Problem `thing.unknown`, `policy.invalid`; OperatorError for too few labels; TrainingCancelled
 */
export async function trainModel(
  deps: BacktestDeps,
  workspace: Workspace,
  { request, hooks }: { readonly request: TrainingRequest; readonly hooks: TrainingHooks },
): Promise<TrainedModelFile> {
  const { delayMs } = request;
  const { steps, source, period } = await historyOf(deps, workspace, request);
  const legitimateShare = request.legitimateShare ?? Math.min(1, legitimateMax / Math.max(1, source.total));
  const sampling: Sampling =
    request.halfLifeMs === undefined ? { legitimateShare } : { legitimateShare, halfLifeMs: request.halfLifeMs };
  const folds = timeFolds({ ...period, delayMs, testMs, foldsMax, trainMsMin: testMs });
  const { model } = steps;
  refuseUnknown(request.monotone, model);
  const set = new TrainingSet({ inputs: model.inputs.length, sampling, toMs: period.toMs, folds });
  await stepThrough({ steps, source, period }, hooks, (event) => set.add(event));
  return finish({ request, model, set, folds, period, sampling, hooks });
}

/** A misspelt direction would be without effect, unnoticed. */
function refuseUnknown(monotone: TrainingRequest['monotone'], { name, inputs }: Model): void {
  const names = inputs.filter(({ kind }) => kind !== 'category').map((input) => input.name);
  const unknown = [...monotone.keys()].find((one) => !names.includes(one));
  if (unknown === undefined) return;
  throw new Problem(
    'request.invalid',
    `${unknown} can have no direction: the inputs of ${name} that can are ${names.join(', ')}.`,
  );
}

interface Collected {
  readonly request: TrainingRequest;
  readonly model: Model;
  readonly set: TrainingSet;
  readonly folds: readonly TimeFold[];
  readonly period: Period;
  readonly sampling: Sampling;
  readonly hooks: TrainingHooks;
}

async function finish(collected: Collected): Promise<TrainedModelFile> {
  const { request, model, set, folds, period, hooks } = collected;
  const settings = { ...trainingDefaults, ...request.settings };
  const few = tooFewRows(set.labelled(period.toMs).labels);
  if (few !== undefined) throw new OperatorError(`${model.name} cannot be trained: ${few.detail}`, labelHint);
  const usable = folds.filter((fold) => tooFewRows(set.labelled(fold.trainToMs).labels) === undefined);
  const [oldest] = usable;
  if (oldest === undefined)
    throw new OperatorError(
      `${model.name} cannot be checked: before none of the last ${foldsMax} weeks are there enough known frauds.`,
      labelHint,
    );
  const of = (usable.length + 1) * settings.trees;
  let done = 0;
  const grow = async (table: TrainingTable): Promise<Grown> => {
    const before = done;
    const onTree = (tree: number): boolean => hooks.onProgress('trees', before + tree, of);
    const made = await artifactOf(table, { model, request, onTree });
    done += settings.trees;
    // All models were trained on the events before the oldest fold.
    return { ...made, common: set.margins(oldest.trainToMs, made.artifact) };
  };
  const tests: (ScoredRows & { readonly fold: TimeFold; readonly common: Float64Array })[] = [];
  for (const fold of usable) {
    const { artifact, common } = await grow(set.table(fold.trainToMs));
    tests.push({ fold, common, ...set.scored(fold, artifact) });
  }
  const whole = set.table(period.toMs);
  const final = await grow(whole);
  const validation = validate(
    tests.map((test) => ({ ...test, days: testMs / dayMs })),
    { common: final.common, weights: set.labelled(oldest.trainToMs).weights },
  );
  const { scored, calibration, weeks } = validation;
  const artifact: ModelArtifact = {
    ...final.artifact,
    ...(calibration === undefined ? {} : { calibration }),
    scores: scoreTable(scored.scores.filter((_, row) => scored.labels[row] === 0)),
    population: populationOf(final.artifact, whole),
  };
  const text = writeArtifact(artifact);
  const checked = tests.map((test, at) => ({ ...test, ...weeks[at]! }));
  const card = cardOf(collected, { artifact, sha256: sha256(text), whole, gains: final.gains, checked, scored });
  const report = modelReport(checked, { validation, artifact });
  const comparison = await comparedWith(collected, { checked, validation, artifact, sha256: card.sha256 });
  return { text, sha256: card.sha256, card, validation, report, comparison, tests: checked, artifact };
}

interface Challenger {
  readonly checked: readonly (ScoredRows & { readonly fold: TimeFold })[];
  readonly validation: Validation;
  readonly artifact: ModelArtifact;
  readonly sha256: string;
}

/** The weeks that the present model did not see either; of an unknown one all, which flatters it. */
async function comparedWith(
  { request, model, set }: Collected,
  { checked, validation, artifact, sha256: hash }: Challenger,
): Promise<ModelComparison | undefined> {
  const champion = model.trained;
  if (champion === undefined) return undefined;
  const knownToMs = (await request.championToMs?.(champion.sha256)) ?? -Infinity;
  const common = checked.filter(({ fold }) => fold.testFromMs >= knownToMs);
  if (common.length === 0) return undefined;
  const events = common.reduce((sum, { labels }) => sum + labels.length, 0);
  const { scores, labels } = validation.scored;
  return modelComparison(
    {
      labels: labels.slice(-events),
      champion: joined(common.map(({ fold }) => set.scored(fold, champion.content).margins)),
      challenger: scores.slice(-events),
    },
    {
      fromMs: common[0]!.fold.testFromMs,
      toMs: common.at(-1)!.fold.testToMs,
      days: (common.length * testMs) / dayMs,
      champion: { sha256: champion.sha256, artifact: champion.content },
      challenger: { sha256: hash, artifact },
    },
  );
}

function joined(parts: readonly Float64Array[]): Float64Array {
  return Float64Array.from(parts.flatMap((part) => [...part]));
}

interface Grown {
  readonly artifact: ModelArtifact;
  readonly gains: readonly number[];
  /** The log-odds that it gives the events before the oldest fold. */
  readonly common: Float64Array;
}

interface Finished {
  readonly artifact: ModelArtifact;
  readonly sha256: string;
  readonly whole: TrainingTable;
  readonly gains: readonly number[];
  readonly checked: readonly (ScoredRows & CheckedWeek & { readonly fold: TimeFold })[];
  readonly scored: Validation['scored'];
}

function cardOf({ request, model, set, period, sampling }: Collected, finished: Finished): ModelCard {
  const { artifact, whole, checked, scored } = finished;
  const scores = Float64Array.from(checked.flatMap(({ probabilities }) => [...probabilities]));
  return modelCard({
    name: model.name,
    sha256: finished.sha256,
    data: { ...period, delayMs: request.delayMs },
    labels: set.seen,
    settings: { ...trainingDefaults, ...request.settings, ...sampling },
    inputs: artifact.inputs.map((input, at) => ({
      ...input,
      ...(request.monotone.has(input.name) ? { monotone: request.monotone.get(input.name)! } : {}),
      column: whole.columns[at]!,
    })),
    weights: whole.weights,
    gains: finished.gains,
    folds: checked.map(({ fold, probabilities, labels, budgets }): FoldCard => ({
      ...fold,
      ...foldMeasures({ scores: probabilities, labels }),
      budgets,
    })),
    calibration: joinedBins(calibrationBins({ scores, labels: scored.labels })),
    foldMargins: scored.scores,
  });
}

export const labelHint = 'Label more events, or import a longer history with its labels: ringfence import --help.';

async function artifactOf(
  { columns, labels, weights }: TrainingTable,
  {
    model,
    request,
    onTree,
  }: { readonly model: Model; readonly request: TrainingRequest; readonly onTree: (tree: number) => boolean },
): Promise<{ readonly artifact: ModelArtifact; readonly gains: readonly number[] }> {
  const inputs = columns.map((column, at) => {
    const { name, texts } = model.inputs[at]!;
    const monotone = request.monotone.get(name);
    return {
      column,
      ...(texts === undefined ? {} : { texts: texts.length }),
      ...(monotone === undefined ? {} : { monotone }),
    };
  });
  const { base, trees, gains } = await grown(boost({ inputs, labels, weights }, request.settings), onTree);
  const artifact: ModelArtifact = {
    format: artifactFormat,
    inputs: model.inputs.map(({ name, kind, texts }) => ({ name, kind, ...(texts === undefined ? {} : { texts }) })),
    precision: 'double',
    comparison: '<=',
    base,
    trees,
  };
  return { artifact, gains };
}

/** Between two trees, what waits in this thread gets its turn: the heartbeat, and a cancellation. */
async function grown(
  trees: Generator<number, BoostedTrees, undefined>,
  onTree: (tree: number) => boolean,
): Promise<BoostedTrees> {
  for (;;) {
    const step = trees.next();
    if (step.done === true) return step.value;
    if (!onTree(step.value)) throw new TrainingCancelled();
    await nextTurn();
  }
}
