/**
 * The thread that runs one backtest or training of the service: it reads and tallies, its workers step. Started by
 * `Backtests`.
 */
import { enterThread } from '../../platform/thread.ts';
import { type ThreadWorkspace, workInThread } from '../in-thread.ts';
import { runStoredTraining } from '../training/run-stored-training.ts';
import { runStoredBacktest } from './run-stored-backtest.ts';

/** What the main thread passes to this one. */
export interface BacktestThreadSettings extends ThreadWorkspace {
  readonly id: number;
  readonly purpose: 'backtest' | 'training';
}

/** One reads ahead, one records progress. */
const connectionsMax = 3;

const settings = enterThread('background').settings as BacktestThreadSettings;
await workInThread(settings, connectionsMax, async ({ workspace, ...deps }) => {
  const { id, purpose } = settings;
  if (purpose === 'training') await runStoredTraining(deps, workspace, id);
  else await runStoredBacktest(deps, { workspace, id }, () => true);
});
