import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { Semaphore } from '../../platform/semaphore.ts';

/** Connections of this process, out of 16, that may hold locks while it labels; labelling itself needs the others. */
const connectionsMax = 4;
const connections = new Semaphore(connectionsMax);

/**
 * Runs `work` under an advisory lock, so that no other process decides the alert meanwhile: labels
 * are written before the alert is closed, and must not come from a decision that is then refused. No transaction is
 * open meanwhile.
 *
 * @throws Problem `state.conflict` if another person is deciding it
 */
export async function underAlertLock<Result>(
  pool: Pool,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const giveBack = await connections.take();
  try {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      const tried = await client.query<{ locked: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('ringfence.alert.' || $1 || '.' || $2, 0)) as locked`,
        [workspaceId, id],
      );
      if (tried.rows[0]?.locked !== true)
        throw new Problem('state.conflict', `Another person is deciding alert ${id} at this moment.`);
      return await work();
    } finally {
      await client.query(`select pg_advisory_unlock_all()`).catch((error: unknown) => {
        broken = error as Error;
      });
      client.release(broken);
    }
  } finally {
    giveBack();
  }
}
