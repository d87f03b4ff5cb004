import type { Pool } from 'pg';
import type { Position } from '../batch-writer.ts';

/** Marks per query: more than a year of hourly marks. */
const marksMax = 10_000;

interface MarkRow {
  readonly next_offset: number;
  readonly decided: number;
  readonly digest: Buffer;
}

/**
 * Notes the position of every engine, by its checkpoint: all records before it had arrived by now. A log that no longer
 * grows keeps its last mark, so that its end expires, too.
 */
export async function noteMarks(pool: Pool, nowMs: number): Promise<void> {
  await pool.query(
    `insert into decision_mark (workspace_id, next_offset, decided, digest, noted_at)
     select c.workspace_id, c.next_offset, c.decided, c.digest, to_timestamp($1::float8 / 1000.0)
       from checkpoint c
      where c.next_offset > coalesce((select max(m.next_offset) from decision_mark m
                                       where m.workspace_id = c.workspace_id), 0)
         on conflict do nothing`,
    [nowMs],
  );
}

/** The last mark noted at or before an instant: all records before the mark are older. */
export async function markAt(pool: Pool, workspaceId: string, atMs: number): Promise<Position | undefined> {
  const found = await pool.query<MarkRow>(
    `select next_offset, decided, digest from decision_mark
      where workspace_id = $1 and noted_at <= to_timestamp($2::float8 / 1000.0) order by next_offset desc limit 1`,
    [workspaceId, atMs],
  );
  return found.rows.map(positionOf)[0];
}

/** Marks after one offset up to and including another, in order; limited, a later call returns the rest. */
export async function marksBetween(
  pool: Pool,
  workspaceId: string,
  range: { readonly after: number; readonly to: number },
): Promise<readonly Position[]> {
  const found = await pool.query<MarkRow>(
    `select next_offset, decided, digest from decision_mark
      where workspace_id = $1 and next_offset > $2 and next_offset <= $3 order by next_offset limit ${marksMax}`,
    [workspaceId, range.after, range.to],
  );
  return found.rows.map(positionOf);
}

/** The start of the stretch that contains an offset: the last mark at or before it, or the beginning of the log. */
export async function stretchStart(pool: Pool, workspaceId: string, offset: number): Promise<number> {
  const found = await pool.query<{ start: number }>(
    `select coalesce(max(next_offset), 0) as start from decision_mark where workspace_id = $1 and next_offset <= $2`,
    [workspaceId, offset],
  );
  return found.rows[0]!.start;
}

/** Removes the marks before the stretch of the base. */
export async function removeMarks(pool: Pool, workspaceId: string, baseOffset: number): Promise<void> {
  await pool.query(`delete from decision_mark where workspace_id = $1 and next_offset < $2`, [
    workspaceId,
    await stretchStart(pool, workspaceId, baseOffset),
  ]);
}

function positionOf(row: MarkRow): Position {
  return { nextOffset: row.next_offset, decided: row.decided, digest: row.digest };
}
