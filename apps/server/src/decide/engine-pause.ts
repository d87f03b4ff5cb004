import type { ClientBase } from 'pg';
import type { PolicyVersionError } from '../policies/stored-policy.ts';

/**
 * Records that the workspace is paused, for people and for all processes. Call behind the fence: only its owner may.
 */
export async function notePause(client: ClientBase, workspaceId: string, error: PolicyVersionError): Promise<void> {
  await client.query(
    `insert into engine_pause (workspace_id, version, error) values ($1, $2, $3)
     on conflict (workspace_id) do update set version = $2, error = $3`,
    [workspaceId, error.version, error.message],
  );
}

/** Records that it decides again. Call behind the fence. */
export async function forgetPause(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(`delete from engine_pause where workspace_id = $1`, [workspaceId]);
}
