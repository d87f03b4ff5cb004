import type { Pool } from 'pg';

/** How a thread uses its database connections. */
export interface PoolUse {
  readonly busy: number;
  /** At most this many are opened. */
  readonly limit: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

export function readPoolUse({ totalCount, idleCount, waitingCount, options }: Pool): PoolUse {
  return { busy: totalCount - idleCount, limit: options.max, waiting: waitingCount };
}
