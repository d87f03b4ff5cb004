import { Problem } from '@ringfence/contract';
import { isDatabaseAway } from '../../platform/observability/database-unavailable.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';

/** For whoever wants the result of a backtest. */
export function whyItFailed(error: unknown): string {
  if (error instanceof OperatorError) return `${error.message} ${error.mend}`;
  if (error instanceof Problem) return error.detail;
  if (isDatabaseAway(error)) return 'The database was lost meanwhile. Start it again.';
  return `${String(error)} (an error of ours: the log of the service has more)`;
}
