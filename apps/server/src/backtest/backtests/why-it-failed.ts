import { Problem } from '@ringfence/contract';
import { isDatabaseUnavailable } from '../../platform/observability/database-unavailable.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';

/** The error message for people. */
export function whyItFailed(error: unknown): string {
  if (error instanceof OperatorError) return `${error.message} ${error.mend}`;
  if (error instanceof Problem) return error.detail;
  if (isDatabaseUnavailable(error)) return 'The database connection was lost. Start the backtest again.';
  return `${String(error)} (internal error: see the log of the service)`;
}
