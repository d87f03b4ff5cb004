import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';

/** How far the engine is behind the log of one workspace. */
export interface Backlog {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
  /** Records that are not decided yet. */
  readonly behind: number;
  /** Milliseconds since the oldest of them was appended; 0 if there is none. */
  readonly lagMs: number;
  /** Quarantined records. */
  readonly quarantined: number;
  /** Why nothing is decided: this release rejects the active policy. Events wait in the log. */
  readonly paused?: string;
}

interface BacklogRow {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
  readonly next_offset: string;
  readonly end_offset: string;
  readonly quarantined: number;
  readonly paused: string | null;
}

/**
 * The backlog of every workspace, sorted by name. Read from the database, so it is correct even when no engine runs.
 */
export async function readBacklogs(
  pool: Pool,
  log: Pick<EventLog, 'read'>,
  nowMs: number,
): Promise<readonly Backlog[]> {
  const found = await pool.query<BacklogRow>(
    `select w.id, w.name, w.environment, coalesce(e.next_offset, 0) as next_offset, coalesce(p.end_offset, 0) as end_offset,
            (select count(*)::integer from quarantine q
              where q.workspace_id = w.id and q.quarantined_at is not null) as quarantined,
            (select error from engine_pause z where z.workspace_id = w.id) as paused
       from workspace w
       left join engine_position e on e.workspace_id = w.id
       left join log_partition p on p.partition = w.id
      where w.placement = 'here'
      order by w.name, w.environment`,
  );
  return Promise.all(
    found.rows.map(async ({ next_offset: next, end_offset: end, paused, ...row }) => {
      const behind = Math.max(0, Number(end) - Number(next));
      const [oldest] = behind === 0 ? [] : await log.read(row.id, Number(next), 1);
      return {
        ...row,
        ...(paused === null ? {} : { paused }),
        behind,
        lagMs: oldest === undefined ? 0 : Math.max(0, nowMs - oldest.logTimeMs),
      };
    }),
  );
}
