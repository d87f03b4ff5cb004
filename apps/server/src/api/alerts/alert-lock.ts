import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { Semaphore } from '../../platform/semaphore.ts';

/** Connections of this process, out of 16, that may hold locks while it labels; labelling itself needs the others. */
const connectionsMax = 4;
const connections = new Semaphore(connectionsMax);

/**
 * Runs `work` under an advisory lock per alert, so that no other process decides any of these alerts meanwhile: labels
 * are written before the alert is closed, and must not come from a decision that is then refused. No transaction is
 * open meanwhile.
 *
 * @throws Problem `state.conflict` if another person is deciding one of them
 */
export async function underAlertLock<Result>(
  pool: Pool,
  { workspaceId, ids }: { readonly workspaceId: string; readonly ids: readonly string[] },
  work: () => Promise<Result>,
): Promise<Result> {
  const giveBack = await connections.take();
  try {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      const tried = await client.query<{ id: string; locked: boolean }>(
        `select id, pg_try_advisory_lock(hashtextextended('ringfence.alert.' || $1 || '.' || id, 0)) as locked
           from unnest($2::text[]) as wanted (id)`,
        [workspaceId, [...new Set(ids)]],
      );
      const taken = tried.rows.find(({ locked }) => !locked);
      if (taken !== undefined)
        throw new Problem('state.conflict', `Another person is deciding alert ${taken.id} at this moment.`);
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
