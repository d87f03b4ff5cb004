import type { Pool } from 'pg';

/** From where a stream is sent again: what is kept, what is to come, or what happened from an instant on. */
export type RewindTo =
  | { readonly kind: 'start' }
  | { readonly kind: 'now' }
  | { readonly kind: 'at'; readonly atMs: number };

/** The first position of a cursor `c` that is sent; `$2` is the instant. */
const positionAt = `
  case c.kind
    when 'actions' then coalesce((select min(a.seq) from action a where a.workspace_id = c.workspace_id and a.decided_at >= $2),
                                 (select max(a.seq) + 1 from action a where a.workspace_id = c.workspace_id), 0)
    when 'alerts' then coalesce((select min(l.seq) from console_live l where l.workspace_id = c.workspace_id and l.at >= $2),
                                (select max(l.seq) + 1 from console_live l where l.workspace_id = c.workspace_id), 0)
    when 'audit' then coalesce((select min(e.seq) from audit_entry e where e.at >= $2),
                               (select h.seq + 1 from audit_head h))
    else coalesce((select min(v."offset") from event v where v.workspace_id = c.workspace_id and v.logged_at >= $2),
                  (select e.next_offset from engine_position e where e.workspace_id = c.workspace_id), 0)
  end`;

/** The ends of all time that PostgreSQL can compare with. */
const instants = { start: '-infinity', now: 'infinity' } as const;

/**
 * Moves all cursors of a stream; what lies behind them is sent, again if it was sent before.
 *
 * @returns how many cursors were moved: none if there is no such stream
 */
export async function rewindStream(pool: Pool, stream: string, to: RewindTo): Promise<number> {
  const at = to.kind === 'at' ? new Date(to.atMs) : instants[to.kind];
  const moved = await pool.query(
    `with begun as (update stream set began_at = now() where name = $1)
     update stream_cursor c set position = ${positionAt}, planned = null, lost_at = null,
            through = case when $2::timestamptz = 'infinity' then now() else 'epoch' end
      where c.stream = $1`,
    [stream, at],
  );
  return moved.rowCount ?? 0;
}
