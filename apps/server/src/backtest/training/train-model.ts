import { dayMs, Problem } from '@ringfence/contract';
import {
  artifactFormat,
  Ensemble,
  type FoldCard,
  foldMeasures,
  type ModelArtifact,
  type ModelCard,
  modelCard,
  rank,
  type Ranking,
  type Sampling,
  type ScoreTable,
  scoreTable,
  sha256,
  timeFolds,
  type TimeFold,
  tooFewRows,
  train,
  trainingDefaults,
  type TrainingSettings,
  writeArtifact,
} from '@ringfence/models';
import { loadPolicy, type Model, type Policy, type PolicyFile, searchPolicy } from '@ringfence/policy';
import { findSegment } from '../../history/segments.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type BacktestDeps, sourceOf } from '../backtests/run-stored-backtest.ts';
import { streamThrough, withLanes } from '../backtests/stream-through.ts';
import type { BacktestSource } from '../backtests/source.ts';
import { type TrainingEvent, unpackTrainingEvents } from './training-event.ts';
import { type ScoredRows, TrainingSet, type TrainingTable } from './training-set.ts';

/** The history that a model is trained on, or scored by. */
export interface HistoryRequest {
  readonly files: readonly PolicyFile[];
  readonly model: string;
  /** Name of an imported history; omitted for the live log. */
  readonly history?: string | undefined;
  /** First event that is trained on; absent: once the features' windows are full, at most after a quarter of the time. */
  readonly fromMs?: number | undefined;
  /** End of the history that is used; absent: of all. */
  readonly toMs?: number | undefined;
  /** After this time fraud is known: the newest events are not trained on. */
  readonly delayMs: number;
  readonly nowMs: number;
}

export interface TrainingRequest extends HistoryRequest {
  /** Share of the legitimate events that are trained on; absent: so that there are at most some 400,000. */
  readonly legitimateShare?: number | undefined;
  readonly halfLifeMs?: number | undefined;
  readonly settings: Partial<TrainingSettings>;
  readonly monotone: ReadonlyMap<string, -1 | 1>;
}

export interface TrainedModelFile {
  /** The artifact. */
  readonly text: string;
  readonly sha256: string;
  readonly card: ModelCard;
  /** Events of the validation weeks, by the log-odds of models that did not see them. */
  readonly ranking: Ranking;
  /** Days of these weeks. */
  readonly days: number;
  /** The same events by week, the oldest week first. */
  readonly tests: readonly ScoredRows[];
  readonly artifact: ModelArtifact;
}

export interface TrainingHooks {
  /** Called while history is stepped, then while trees grow. False cancels. */
  readonly onProgress: (phase: 'events' | 'trees', done: number, of: number) => boolean;
}

/** Was cancelled. */
export class TrainingCancelled extends Error {
  override readonly name = 'TrainingCancelled';
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
  const set = new TrainingSet({ inputs: model.inputs.length, sampling, ...period, folds });
  await stepThrough({ steps, source, period }, hooks, (event) => set.add(event));
  return finish({ request, model, set, folds, period, sampling, hooks });
}

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
  const { period, steps } = stepped;
  const places = artifact.inputs.map(({ name }) => steps.model.inputs.findIndex((input) => input.name === name));
  const foreign = artifact.inputs.find((_, at) => places[at] === -1);
  if (foreign !== undefined)
    throw new OperatorError(
      `The policy has no input ${foreign.name} for its model ${steps.model.name}.`,
      'Declare each input of the model, or name it in --map.',
    );
  const [ensemble, inputs] = [new Ensemble(artifact), new Float64Array(places.length)];
  const margins: number[] = [];
  await stepThrough(stepped, hooks, ({ atMs, isFraud, values }) => {
    if (isFraud || atMs < period.fromMs || atMs >= period.toMs) return;
    places.forEach((place, at) => (inputs[at] = values[place]!));
    margins.push(ensemble.margin(inputs));
  });
  if (margins.length > 0) return scoreTable(Float64Array.from(margins));
  throw new OperatorError(`${steps.model.name} has no score: the history has no legitimate event for it.`, labelHint);
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

interface Stepped {
  readonly steps: ReturnType<typeof trainedPolicy>;
  readonly source: BacktestSource;
  readonly period: Period;
}

async function historyOf(deps: BacktestDeps, workspace: Workspace, request: HistoryRequest): Promise<Stepped> {
  const steps = trainedPolicy(request);
  const { history, nowMs } = request;
  const { policy } = steps.tried;
  const source = await sourceOf(deps, { workspace, policies: [policy] }, { history, startedAtMs: nowMs });
  const segment = history === undefined ? undefined : await findSegment(deps.pool, workspace.id, history);
  const known = { firstMs: segment?.fromMs, lastMs: segment?.toMs, reachMs: reachOf(policy) };
  return { steps, source, period: periodOf(request, known) };
}

/** Decides the history again, and passes on each event that the model would be evaluated for. */
async function stepThrough(
  { steps: { tried, model }, source, period }: Stepped,
  hooks: TrainingHooks,
  onEvent: (event: TrainingEvent) => void,
): Promise<void> {
  await withLanes({ ...period, trains: model.name }, [tried], async (lanes) => {
    const onProgress = (done: number, of: number): void => {
      if (!hooks.onProgress('events', done, of)) throw new TrainingCancelled();
    };
    const onReports = ([report]: readonly { readonly training: Uint8Array }[]): void => {
      for (const event of unpackTrainingEvents(report!.training, model.inputs.length)) onEvent(event);
    };
    await streamThrough({ source, toMs: period.toMs }, lanes, { onReports, onProgress });
  });
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

function finish({ request, model, set, folds, period, sampling, hooks }: Collected): TrainedModelFile {
  const settings = { ...trainingDefaults, ...request.settings };
  const whole = set.table(period.toMs);
  const few = tooFewRows(whole.labels);
  if (few !== undefined) throw new OperatorError(`${model.name} cannot be trained: ${few.detail}`, labelHint);
  const usable = folds.filter((fold) => tooFewRows(set.table(fold.trainToMs).labels) === undefined);
  if (usable.length === 0)
    throw new OperatorError(
      `${model.name} cannot be checked: before none of the last ${foldsMax} weeks are there enough known frauds.`,
      labelHint,
    );
  const of = (usable.length + 1) * settings.trees;
  let done = 0;
  const grow = (table: TrainingTable): ReturnType<typeof artifactOf> => {
    const before = done;
    const grown = artifactOf(table, { model, request, onTree: (tree) => hooks.onProgress('trees', before + tree, of) });
    done += settings.trees;
    return grown;
  };
  const tests = usable.map((fold) => ({ fold, ...set.scored(fold, grow(set.table(fold.trainToMs)).artifact) }));
  const margins = joined(tests.map((test) => test.margins));
  const labels = Uint8Array.from(tests.flatMap((test) => [...test.labels]));
  const { artifact: bare, gains } = grow(whole);
  const artifact = { ...bare, scores: scoreTable(margins.filter((_, row) => labels[row] === 0)) };
  const text = writeArtifact(artifact);
  const hash = sha256(text);
  const cards = tests.map(({ fold, probabilities, labels: known }): FoldCard => ({
    ...fold,
    ...foldMeasures({ scores: probabilities, labels: known }),
  }));
  const card = modelCard({
    name: model.name,
    sha256: hash,
    data: { ...period, delayMs: request.delayMs },
    labels: set.seen,
    settings: { ...settings, ...sampling },
    inputs: artifact.inputs.map((input, at) => ({
      ...input,
      ...(request.monotone.has(input.name) ? { monotone: request.monotone.get(input.name)! } : {}),
      column: whole.columns[at]!,
    })),
    weights: whole.weights,
    gains,
    folds: cards,
    foldMargins: margins,
  });
  const ranking = rank({ scores: margins, labels });
  return { text, sha256: hash, card, ranking, days: (usable.length * testMs) / dayMs, tests, artifact };
}

const labelHint = 'Label more events, or import a longer history with its labels: ringfence import --help.';

function artifactOf(
  { columns, labels, weights }: TrainingTable,
  {
    model,
    request,
    onTree,
  }: { readonly model: Model; readonly request: TrainingRequest; readonly onTree: (tree: number) => boolean },
): { readonly artifact: ModelArtifact; readonly gains: readonly number[] } {
  const inputs = columns.map((column, at) => {
    const { name, texts } = model.inputs[at]!;
    const monotone = request.monotone.get(name);
    return {
      column,
      ...(texts === undefined ? {} : { texts: texts.length }),
      ...(monotone === undefined ? {} : { monotone }),
    };
  });
  const result = train({ inputs, labels, weights }, request.settings, onTree);
  if (result.kind !== 'trained') throw new TrainingCancelled();
  const { base, trees, gains } = result;
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

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The policy with a rule in shadow that reads the model, so that its features are computed. */
function trainedPolicy({ files, model: name }: HistoryRequest): {
  readonly tried: {
    readonly files: readonly PolicyFile[];
    readonly policy: Policy;
    readonly version: 0;
    readonly asLive: [];
  };
  readonly model: Model;
} {
  const loaded = loadPolicy(files);
  if (!loaded.ok) {
    const first = loaded.errors[0]!;
    throw new Problem('policy.invalid', `${first.file}:${first.line}:${first.column} ${first.message}`);
  }
  const model = loaded.policy.models.find((one) => one.name === name);
  if (model === undefined) {
    const known = loaded.policy.models.map((one) => one.name).join(', ');
    throw new Problem(
      'thing.unknown',
      `The policy declares no model ${name}${known === '' ? '.' : `; it has ${known}.`}`,
    );
  }
  const found = searchPolicy(files, `has(model.${name}.missing)`);
  if (!found.ok) throw new Problem('policy.invalid', found.errors[0]?.message ?? 'the model cannot be read');
  const { search } = found;
  return { tried: { files: search.files, policy: search.policy, version: 0, asLive: [] }, model };
}

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The labelled part of the history, once the windows of the features are full. */
function periodOf(
  { fromMs, toMs, delayMs, nowMs }: HistoryRequest,
  known: { readonly firstMs: number | undefined; readonly lastMs: number | undefined; readonly reachMs: number },
): Period {
  const endMs = (toMs ?? (known.lastMs === undefined ? nowMs : known.lastMs + 1)) - delayMs;
  const { firstMs = endMs - 365 * dayMs } = known;
  return { fromMs: fromMs ?? Math.floor(firstMs + Math.min(known.reachMs, (endMs - firstMs) / 4)), toMs: endMs };
}

/** The longest window. */
function reachOf({ features }: Policy): number {
  return Math.max(0, ...features.map(({ overMs = 0 }) => overMs));
}
