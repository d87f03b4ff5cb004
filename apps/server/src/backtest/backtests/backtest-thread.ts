/** The thread that runs one backtest of the service: it reads and tallies, its workers step. Started by `Backtests`. */
import { enterThread } from '../../platform/thread.ts';
import { type ThreadWorkspace, workInThread } from '../in-thread.ts';
import { runStoredBacktest } from './run-stored-backtest.ts';

/** What the main thread passes to this one. */
export interface BacktestThreadSettings extends ThreadWorkspace {
  readonly id: number;
}

/** One reads ahead, one records progress. */
const connectionsMax = 3;

const settings = enterThread('background').settings as BacktestThreadSettings;
await workInThread(settings, connectionsMax, async ({ workspace, ...deps }) => {
  await runStoredBacktest(deps, { workspace, id: settings.id }, () => true);
});
