import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { Turns } from '../../platform/semaphore.ts';

/** Connections that this process keeps for locks while it labels, of its 16: the labelling takes others. */
const connectionsMax = 4;
const connections = new Turns(connectionsMax);

/**
 * Runs `work` while nobody else decides any of these alerts, in any process. What it writes before the alert is closed is
 * then never of somebody who comes too late, and whose decision is refused. No transaction is open meanwhile.
 *
 * @throws Problem `state.conflict` when somebody else decides one of them at this moment
 */
export async function decideAlone<Result>(
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
      if (taken !== undefined) throw new Problem('state.conflict', `Somebody else decides alert ${taken.id} just now.`);
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
