import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayMs, Problem } from '@ringfence/contract';
import {
  artifactFormat,
  boost,
  type BoostedTrees,
  type FoldCard,
  foldMeasures,
  type ModelArtifact,
  type ModelCard,
  modelCard,
  type Sampling,
  type ScoreTable,
  scoreTable,
  sha256,
  timeFolds,
  type TimeFold,
  tooFewRows,
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
import { type ModelComparison, modelComparison } from './model-comparison.ts';
import { type ModelReport, modelReport } from './model-report.ts';
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
  /** End of the events that an artifact was trained on, if known: the policy's present model is compared on later ones. */
  readonly championToMs?: (sha256: string) => Promise<number | undefined>;
  readonly monotone: ReadonlyMap<string, -1 | 1>;
}

export interface TrainedModelFile {
  /** The artifact. */
  readonly text: string;
  readonly sha256: string;
  readonly card: ModelCard;
  /** By the events of the validation weeks, and models that did not see them. */
  readonly report: ModelReport;
  /** With the policy's present model, on the validation weeks that it did not see. */
  readonly comparison: ModelComparison | undefined;
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

export interface SteppedHistory {
  readonly steps: ReturnType<typeof trainedPolicy>;
  readonly source: BacktestSource;
  readonly period: Period;
}

/** @throws Problem `thing.unknown`, `policy.invalid` */
export async function historyOf(
  deps: BacktestDeps,
  workspace: Workspace,
  request: HistoryRequest,
): Promise<SteppedHistory> {
  const steps = trainedPolicy(request);
  const { history, nowMs } = request;
  const { policy } = steps.tried;
  const source = await sourceOf(deps, { workspace, policies: [policy] }, { history, startedAtMs: nowMs });
  const segment = history === undefined ? undefined : await findSegment(deps.pool, workspace.id, history);
  const known = { firstMs: segment?.fromMs, lastMs: segment?.toMs, reachMs: reachOf(policy) };
  return { steps, source, period: periodOf(request, known) };
}

/** Decides the history again, and passes on each event that the model would be evaluated for. */
export async function stepThrough(
  { steps: { tried, model }, source, period }: SteppedHistory,
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

async function finish(collected: Collected): Promise<TrainedModelFile> {
  const { request, model, set, folds, period, sampling, hooks } = collected;
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
  const grow = async (table: TrainingTable): ReturnType<typeof artifactOf> => {
    const before = done;
    const grown = await artifactOf(table, {
      model,
      request,
      onTree: (tree) => hooks.onProgress('trees', before + tree, of),
    });
    done += settings.trees;
    return grown;
  };
  const tests: TestedFold[] = [];
  for (const fold of usable) {
    const { artifact } = await grow(set.table(fold.trainToMs));
    tests.push({ fold, rows: set.scored(fold, artifact) });
  }
  const rows = joinedRows(tests.map((test) => test.rows));
  const { artifact: bare, gains } = await grow(whole);
  const artifact = { ...bare, scores: scoreTable(rows.margins.filter((_, row) => rows.labels[row] === 0)) };
  const text = writeArtifact(artifact);
  const hash = sha256(text);
  const cards = tests.map(({ fold, rows: own }): FoldCard => ({
    ...fold,
    ...foldMeasures({ scores: own.probabilities, labels: own.labels }),
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
    foldMargins: rows.margins,
  });
  const report = modelReport(rows, { days: (usable.length * testMs) / dayMs, scores: artifact.scores });
  const comparison = await comparedWith(collected, tests, { sha256: hash, scores: artifact.scores });
  return { text, sha256: hash, card, report, comparison, tests: tests.map((test) => test.rows), artifact };
}

/** A validation week, scored by a model that did not see it. */
interface TestedFold {
  readonly fold: TimeFold;
  readonly rows: ScoredRows;
}

/** The weeks that the present model did not see either; of an unknown one all, which flatters it. */
async function comparedWith(
  { request, model, set }: Collected,
  tests: readonly TestedFold[],
  challenger: { readonly sha256: string; readonly scores: ScoreTable },
): Promise<ModelComparison | undefined> {
  const champion = model.trained;
  if (champion === undefined) return undefined;
  const knownToMs = (await request.championToMs?.(champion.sha256)) ?? -Infinity;
  const common = tests.filter(({ fold }) => fold.testFromMs >= knownToMs);
  if (common.length === 0) return undefined;
  const old = common.map(({ fold }) => set.scored(fold, champion.content));
  const young = joinedRows(common.map(({ rows }) => rows));
  return modelComparison(
    { labels: young.labels, champion: joined(old.map(({ margins }) => margins)), challenger: young.margins },
    {
      fromMs: common[0]!.fold.testFromMs,
      toMs: common.at(-1)!.fold.testToMs,
      days: (common.length * testMs) / dayMs,
      champion: { sha256: champion.sha256, scores: champion.scores },
      challenger,
    },
  );
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

function joinedRows(parts: readonly ScoredRows[]): ScoredRows {
  return {
    offsets: joined(parts.map(({ offsets }) => offsets)),
    atMs: joined(parts.map(({ atMs }) => atMs)),
    margins: joined(parts.map(({ margins }) => margins)),
    probabilities: joined(parts.map(({ probabilities }) => probabilities)),
    labels: Uint8Array.from(parts.flatMap(({ labels }) => [...labels])),
    traits: parts.flatMap(({ traits }) => traits),
  };
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

/** The policy with a rule in shadow that reads the model, so that its features and the traits are computed. */
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
  const found = searchPolicy(files, `has(model.${name}.missing) && has(client.firstSeen)`);
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
