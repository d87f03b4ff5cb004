import type { PoolClient } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';

/** A pooler with much to do may give two transactions two servers by chance, hardly so often. */
const looks = 3;

/**
 * Refuses a pooler that gives every transaction another session. Locks that say who decides would be left behind in one that
 * somebody else gets, and what is notified would be heard by nobody: the service would start, and decide twice or not at all.
 *
 * @param pair two connections that are open at the same time, with nothing under way
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
    'DATABASE_URL names a pooler in transaction mode: its connections are no sessions of their own.',
    'Let DATABASE_URL name PostgreSQL itself, or a pooler in session mode (PgBouncer: pool_mode = session).',
  );
}
