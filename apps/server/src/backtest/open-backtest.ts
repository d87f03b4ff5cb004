import type { Platform } from '../platform/open-platform.ts';
import { Backtests } from './backtests/backtests.ts';
import { Queries } from './queries/queries.ts';

export interface Backtest {
  readonly backtests: Backtests;
  readonly queries: Queries;
}

/** Backtests, and queries over the log. Their workers are started on demand. */
export function openBacktest({ pool, database, logger, stages }: Platform): Backtest {
  const backtests = new Backtests({ pool, database: database.connection, logger });
  stages.started('backtests', () => backtests.stop());
  const queries = new Queries({ database: database.connection, logger, monotonicMs: () => performance.now() });
  stages.started('queries', () => queries.stop());
  return { backtests, queries };
}
