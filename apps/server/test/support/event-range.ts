import type { Pool } from 'pg';

/** Room for events of a workspace that has no log, with offsets below a million. */
export async function makeEventRange(pool: Pool, workspaceId: string, number = 1): Promise<void> {
  await pool.query(`select event_make_range($1, $2, 0, 1000000)`, [workspaceId, number]);
}
