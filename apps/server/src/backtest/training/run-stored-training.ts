import { Problem } from '@ringfence/contract';
import { readArtifact, type TrainingSettings } from '@ringfence/models';
import { whileAllIsKept } from '../../decide/retention/retention-lock.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { endBacktest } from '../backtests/backtest-rows.ts';
import { Pulse } from '../backtests/pulse.ts';
import type { BacktestDeps } from '../backtests/run-stored-backtest.ts';
import { whyItFailed } from '../backtests/why-it-failed.ts';
import { compareModels } from './score-history.ts';
import { type HistoryRequest, TrainingCancelled, type TrainingHooks } from './model-history.ts';
import { trainModel } from './train-model.ts';
import {
  findTrainingOf,
  finishTraining,
  readTrainedArtifact,
  readTraining,
  readTrainingFiles,
  type TrainedArtifact,
  type Training,
  type TrainingChoices,
  type TrainingResult,
} from './training-rows.ts';

/**
 * Runs a training or comparison that was started, and stores its result or its error.
 *
 * @throws unexpected errors, after recording them
 */
export async function runStoredTraining(deps: BacktestDeps, workspace: Workspace, id: number): Promise<void> {
  const pulse = new Pulse(deps.pool, id);
  const hooks: TrainingHooks = {
    onProgress: (phase, done, total) => {
      pulse.progress = { phase, done, total };
      return !pulse.isCancelled;
    },
  };
  try {
    const training = await readTraining(deps.pool, workspace.id, id);
    const run = async (): Promise<Ended> => runTraining(deps, { workspace, training }, hooks);
    const ended = training.history === undefined ? await whileAllIsKept(deps.pool, run) : await run();
    await finishTraining(deps.pool, id, { ...ended, progress: pulse.progress });
  } catch (error) {
    if (error instanceof TrainingCancelled) {
      await endBacktest(deps.pool, id, { state: 'cancelled' });
      return;
    }
    await endBacktest(deps.pool, id, { state: 'failed', error: whyItFailed(error) });
    if (!(error instanceof OperatorError) && !(error instanceof Problem)) throw error;
  } finally {
    pulse.stop();
  }
}

interface Ended {
  readonly result: TrainingResult;
  readonly artifact: TrainedArtifact | undefined;
}

async function runTraining(
  deps: BacktestDeps,
  { workspace, training }: { readonly workspace: Workspace; readonly training: Training },
  hooks: TrainingHooks,
): Promise<Ended> {
  const { model, history, fromMs, toMs, choices } = training;
  const { delayMs } = choices;
  const files = await readTrainingFiles(deps.pool, training.id);
  const nowMs = training.startedAtMs;
  const trainedToMs = async (hash: string): Promise<number | undefined> =>
    (await findTrainingOf(deps.pool, workspace.id, hash))?.result?.card?.data.toMs;
  const request: HistoryRequest = { files, model, history, fromMs, toMs, delayMs, nowMs };
  if (training.purpose === 'comparison') {
    const { text, sha256 } = await readTrainedArtifact(deps.pool, workspace.id, training.id);
    const read = readArtifact(text);
    if (!read.ok) throw new OperatorError('The model cannot be read by this release.', 'Train it again.');
    const challenger = { sha256, artifact: read.value };
    const comparison = await compareModels(deps, workspace, { request, challenger, hooks });
    const known = await Promise.all([
      trainedToMs(comparison.champion.sha256),
      trainedToMs(comparison.challenger.sha256),
    ]);
    const latestMs = Math.max(...known.flatMap((toMs) => toMs ?? []));
    const isSeen = latestMs > comparison.fromMs;
    return {
      result: { comparison: isSeen ? { ...comparison, trainedToMs: latestMs } : comparison },
      artifact: undefined,
    };
  }
  const trained = await trainModel(deps, workspace, {
    request: { ...request, ...trainerOptions(choices), championToMs: trainedToMs },
    hooks,
  });
  const { text, sha256, card, report, comparison } = trained;
  return {
    result: { card, report, ...(comparison === undefined ? {} : { comparison }) },
    artifact: { text, sha256 },
  };
}

function trainerOptions({ trees, leaves, rate, up = [], down = [], ...rest }: TrainingChoices): {
  readonly settings: Partial<TrainingSettings>;
  readonly monotone: ReadonlyMap<string, -1 | 1>;
  readonly legitimateShare: number | undefined;
  readonly halfLifeMs: number | undefined;
} {
  return {
    settings: {
      ...(trees === undefined ? {} : { trees }),
      ...(leaves === undefined ? {} : { leaves }),
      ...(rate === undefined ? {} : { rate }),
    },
    monotone: new Map([...up.map((name) => [name, 1] as const), ...down.map((name) => [name, -1] as const)]),
    legitimateShare: rest.legitimateShare,
    halfLifeMs: rest.halfLifeMs,
  };
}
