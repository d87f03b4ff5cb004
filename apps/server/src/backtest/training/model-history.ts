import { dayMs, Problem } from '@ringfence/contract';
import { loadPolicy, type Model, type Policy, type PolicyFile, searchPolicy } from '@ringfence/policy';
import { findSegment } from '../../history/segments.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type BacktestDeps, sourceOf } from '../backtests/run-stored-backtest.ts';
import type { BacktestSource } from '../backtests/source.ts';
import { streamThrough, withLanes } from '../backtests/stream-through.ts';
import { type TrainingEvent, unpackTrainingEvents } from './training-event.ts';

/** The history that a model is trained on, scored by, or read for its inputs. */
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

export interface TrainingHooks {
  /** Called while history is stepped, then while trees grow. False cancels. */
  readonly onProgress: (phase: 'events' | 'trees', done: number, of: number) => boolean;
}

/** Was cancelled. */
export class TrainingCancelled extends Error {
  override readonly name = 'TrainingCancelled';
}

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Stepped {
  readonly steps: ReturnType<typeof trainedPolicy>;
  readonly source: BacktestSource;
  readonly period: Period;
}

/** @throws Problem `thing.unknown`, `policy.invalid` */
export async function historyOf(deps: BacktestDeps, workspace: Workspace, request: HistoryRequest): Promise<Stepped> {
  const steps = trainedPolicy(request);
  const { history, nowMs } = request;
  const { policy } = steps.tried;
  const source = await sourceOf(deps, { workspace, policies: [policy] }, { history, startedAtMs: nowMs });
  const segment = history === undefined ? undefined : await findSegment(deps.pool, workspace.id, history);
  const known = { firstMs: segment?.fromMs, lastMs: segment?.toMs, reachMs: reachOf(policy) };
  return { steps, source, period: periodOf(request, known) };
}

/**
 * Decides the history again, and passes on each event of the period that the model would be evaluated for.
 *
 * @throws TrainingCancelled
 */
export async function stepThrough(
  { steps: { tried, model }, source, period }: Stepped,
  hooks: TrainingHooks,
  onEvent: (event: TrainingEvent) => void,
): Promise<void> {
  await withLanes({ ...period, trains: model.name }, [tried], async (lanes) => {
    const onProgress = (done: number, of: number): void => {
      if (!hooks.onProgress('events', done, of)) throw new TrainingCancelled();
    };
    const onReports = ([report]: readonly { readonly training: Uint8Array }[]): void => {
      for (const event of unpackTrainingEvents(report!.training, model.inputs.length))
        if (event.atMs >= period.fromMs && event.atMs < period.toMs) onEvent(event);
    };
    await streamThrough({ source, toMs: period.toMs }, lanes, { onReports, onProgress });
  });
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
  const found = searchPolicy(files, `has(model.${name}.missing) && client.firstSeen >= 0s`);
  if (!found.ok) throw new Problem('policy.invalid', found.errors[0]?.message ?? 'the model cannot be read');
  const { search } = found;
  return { tried: { files: search.files, policy: search.policy, version: 0, asLive: [] }, model };
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
