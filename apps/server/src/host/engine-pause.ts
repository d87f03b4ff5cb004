import type { Pool } from 'pg';
import type { PolicyVersionError } from '../workspaces/stored-policy.ts';

/** The workspace waits; for people, and for every process. */
export async function notePause(pool: Pool, workspaceId: string, error: PolicyVersionError): Promise<void> {
  await pool.query(
    `insert into engine_pause (workspace_id, version, error) values ($1, $2, $3)
     on conflict (workspace_id) do update set version = $2, error = $3`,
    [workspaceId, error.version, error.message],
  );
}

/** It decides again. */
export async function forgetPause(pool: Pool, workspaceId: string): Promise<void> {
  await pool.query(`delete from engine_pause where workspace_id = $1`, [workspaceId]);
}
