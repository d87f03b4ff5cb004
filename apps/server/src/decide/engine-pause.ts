import type { ClientBase } from 'pg';
import type { PolicyVersionError } from '../policies/stored-policy.ts';

/** The workspace waits; for people, and for every process. Call behind the fence: its owner alone says so. */
export async function notePause(client: ClientBase, workspaceId: string, error: PolicyVersionError): Promise<void> {
  await client.query(
    `insert into engine_pause (workspace_id, version, error) values ($1, $2, $3)
     on conflict (workspace_id) do update set version = $2, error = $3`,
    [workspaceId, error.version, error.message],
  );
}

/** It decides again. Call behind the fence. */
export async function forgetPause(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(`delete from engine_pause where workspace_id = $1`, [workspaceId]);
}
