import type { Pool } from 'pg';

/** A channel that sent events. */
export interface SeenChannel {
  readonly channelId: number;
  /** Whether it was configured at its last event. Events of other channels are accepted, but are probably a mistake. */
  readonly configured: boolean;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly events: number;
}

/** The channels that events came from, configured or not, by number. */
export async function readSeenChannels(pool: Pool, workspaceId: string): Promise<readonly SeenChannel[]> {
  const found = await pool.query<{
    readonly channel_id: number;
    readonly configured: boolean;
    readonly first_seen_at: Date;
    readonly last_seen_at: Date;
    readonly events: number;
  }>(
    `select channel_id, configured, first_seen_at, last_seen_at, events from channel_seen
      where workspace_id = $1 order by channel_id`,
    [workspaceId],
  );
  return found.rows.map((row) => ({
    channelId: row.channel_id,
    configured: row.configured,
    firstSeenAt: row.first_seen_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    events: row.events,
  }));
}
