import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';

/** The oldest kept data of one workspace; `undefined` when there is none. */
export interface KeptSince {
  readonly eventsMs: number | undefined;
  readonly actionsMs: number | undefined;
}

/** Since when a workspace's events (by the log's oldest record) and finished actions are kept. */
export async function readKeptSince(
  { pool, log }: { readonly pool: Pool; readonly log: Pick<EventLog, 'head' | 'read'> },
  workspaceId: string,
): Promise<KeptSince> {
  const { start } = await log.head(workspaceId);
  const [oldest] = await log.read(workspaceId, start, 1);
  const action = await pool.query<{ decided_at: Date }>(
    `select decided_at from action where workspace_id = $1 order by seq limit 1`,
    [workspaceId],
  );
  return { eventsMs: oldest?.logTimeMs, actionsMs: action.rows[0]?.decided_at.getTime() };
}

/** Milliseconds since a retention round, of any process, left no expired data. */
export async function readRetentionAge(pool: Pool, nowMs: number): Promise<number> {
  const found = await pool.query<{ finished_at: Date }>(`select finished_at from retention_round`);
  return Math.max(0, nowMs - found.rows[0]!.finished_at.getTime());
}
