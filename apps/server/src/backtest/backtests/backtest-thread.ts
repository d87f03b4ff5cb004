/** The thread that runs one backtest of the service: it reads and adds up, its lanes step. Started by `Backtests`. */
import { constants, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type ThreadWorkspace, workInThread } from './workspace-in-thread.ts';
import { runStoredBacktest } from './run-stored-backtest.ts';

/** What the main thread gives this one. */
export interface BacktestThreadSettings extends ThreadWorkspace {
  readonly id: number;
}

/** One reads ahead, one notes progress. */
const connectionsMax = 3;

// Of this thread alone, where the system can: whoever serves goes first.
setPriority(constants.priority.PRIORITY_LOW);

const settings = workerData as BacktestThreadSettings;
await workInThread(settings, connectionsMax, async ({ workspace, ...deps }) => {
  await runStoredBacktest(deps, { workspace, id: settings.id }, () => true);
});
