import { makeDeviceKey } from '@ringfence/intel';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { putDeviceKey } from '../tenancy/workspaces/workspace-secrets.ts';
import { StartAudit } from './start-audit.ts';

type Deps = Pick<WorkspaceDeps, 'pool' | 'master'> & { readonly now: () => number };

const without = `select id from workspace w where not exists
  (select from workspace_secret s where s.workspace_id = w.id and s.name = 'device' and s.retired_at is null)`;

/**
 * Gives a key of device tokens to each workspace that has none, because a release made it that knew no such keys. Answers
 * their ids. Safe beside other processes that do the same. What was made is in the audit log.
 */
export async function mendDeviceKeys(deps: Deps): Promise<readonly string[]> {
  const { pool, master } = deps;
  const { rows } = await pool.query<{ id: string }>(`${without} order by id`);
  const audit = new StartAudit({ ...deps, origin: 'start' });
  const mended: string[] = [];
  for (const { id } of rows) {
    const isMade = await audit.change(id, async (client) => {
      const { rowCount } = await client.query(`${without} and id = $1`, [id]);
      if (rowCount === 0) return false;
      await putDeviceKey(client, { workspaceId: id, name: 'device', jwk: makeDeviceKey(), master });
      return true;
    });
    if (isMade) mended.push(id);
  }
  return mended;
}
