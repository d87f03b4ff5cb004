/** The thread that runs one backtest of the service: it reads and tallies, its workers step. Started by `Backtests`. */
import { constants, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type ThreadWorkspace, workInThread } from './workspace-in-thread.ts';
import { runStoredBacktest } from './run-stored-backtest.ts';

/** What the main thread passes to this one. */
export interface BacktestThreadSettings extends ThreadWorkspace {
  readonly id: number;
}

/** One reads ahead, one records progress. */
const connectionsMax = 3;

// Of this thread alone, where the system supports it: serving requests has priority.
setPriority(constants.priority.PRIORITY_LOW);

const settings = workerData as BacktestThreadSettings;
await workInThread(settings, connectionsMax, async ({ workspace, ...deps }) => {
  await runStoredBacktest(deps, { workspace, id: settings.id }, () => true);
});
