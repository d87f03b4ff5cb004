import { makeDeviceKey } from '@ringfence/intel';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { putDeviceKey } from '../tenancy/workspaces/workspace-secrets.ts';
import { StartAudit } from './start-audit.ts';

type Deps = Pick<WorkspaceDeps, 'pool' | 'master'> & { readonly now: () => number };

const without = `select id from workspace w where not exists
  (select from workspace_secret s where s.workspace_id = w.id and s.name = 'device' and s.retired_at is null)`;

/**
 * Creates a device key for each workspace without one: workspaces of older releases have none. Safe to run in several
 * processes. Each creation is recorded in the audit log.
 *
 * @returns the ids of the workspaces that got a key
 */
export async function ensureDeviceKeys(deps: Deps): Promise<readonly string[]> {
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
