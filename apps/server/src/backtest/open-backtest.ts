import type { Platform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { openRetrain } from './open-retrain.ts';
import { Backtests } from './backtests/backtests.ts';
import { Queries } from './queries/queries.ts';

export interface Backtest {
  readonly backtests: Backtests;
  readonly queries: Queries;
}

interface Context extends Platform, Pick<Tenancy, 'registry'> {
  /** Whether this process acts by itself. Otherwise it only does what people ask for. */
  readonly sends: boolean;
}

/** Backtests, trainings, and queries over the log. Their workers are started on demand. */
export function openBacktest(context: Context): Backtest {
  const { pool, database, logger, stages } = context;
  const backtests = new Backtests({ pool, database: database.connection, logger });
  stages.started('backtests', () => backtests.stop());
  const queries = new Queries({ database: database.connection, logger, monotonicMs: () => performance.now() });
  stages.started('queries', () => queries.stop());
  if (context.sends) openRetrain({ ...context, backtests });
  return { backtests, queries };
}
