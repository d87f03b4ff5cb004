import type { PoolClient } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';

/** A busy pooler may use two servers for two transactions by chance, but hardly three times in a row. */
const looks = 3;

/**
 * Refuses a pooler in transaction mode, where each transaction may run in another session. Advisory locks would stay
 * behind in a session that another client gets, and notifications would be lost: the service would start, and decide
 * twice or not at all.
 *
 * @param pair two connections that are open at the same time, without a transaction
 * @throws OperatorError
 */
export async function refuseTransactionPooler(pair: readonly [PoolClient, PoolClient]): Promise<void> {
  const sessions: [Set<number>, Set<number>] = [new Set(), new Set()];
  for (let look = 0; look < looks; look++) {
    for (const side of [0, 1] as const) {
      const { rows } = await pair[side].query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      sessions[side].add(rows[0]!.pid);
    }
  }
  const all = new Set([...sessions[0], ...sessions[1]]);
  if (sessions[0].size === 1 && sessions[1].size === 1 && all.size === 2) return;
  throw new OperatorError(
    'DATABASE_URL names a pooler in transaction mode: each of its transactions may run in another session.',
    'Set DATABASE_URL to PostgreSQL itself, or to a pooler in session mode (PgBouncer: pool_mode = session).',
  );
}
