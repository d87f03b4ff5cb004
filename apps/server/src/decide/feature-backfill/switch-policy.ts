import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { type Fence, inTransaction } from '../../platform/database/transactions.ts';
import { appendPolicy } from '../../tenancy/workspaces/settings-sync.ts';
import type { FeatureBackfill } from '../../tenancy/workspaces/backfill-rows.ts';

/**
 * Activates a policy whose backfill is complete: first in the workspace's row, then by its record in the log. After a
 * crash between the two, `syncSettings` appends the record, with the same history. Does nothing when the fence does not hold.
 */
export async function switchPolicy(
  deps: { readonly pool: Pool; readonly log: Pick<EventLog, 'appendWith'>; readonly fence: Fence },
  workspaceId: string,
  { version, history }: Pick<FeatureBackfill, 'version' | 'history'>,
): Promise<void> {
  const isReady = await inTransaction(deps.pool, async (client) => {
    // The workspace row is locked first, as by every activation of a version, so that there is no deadlock.
    await client.query(`select 1 from workspace where id = $1 for update`, [workspaceId]);
    await deps.fence(client);
    const ready = await client.query(
      `update policy_start set state = 'ready' where workspace_id = $1 and version = $2 and state = 'folding'`,
      [workspaceId, version],
    );
    if (ready.rowCount !== 1) return false;
    await client.query(`update workspace set policy_version = $2, changed_at = now() where id = $1`, [
      workspaceId,
      version,
    ]);
    return true;
  });
  if (isReady) await appendPolicy(deps, workspaceId, { version, history });
}
