/**
 * The cursors of the streams, one for each stream, workspace and kind. A cursor is moved only after the receiver has
 * confirmed, and only from where the sender began: a process that another one has replaced moves nothing.
 */
import type { ClientBase, Pool } from 'pg';
import { isAhead } from '../platform/observability/stream-state.ts';
import { type StreamKind, type StreamSettings, intervalMs, targetText } from './stream-settings.ts';

export interface Cursor {
  readonly stream: string;
  /** "" for the audit log. */
  readonly workspaceId: string;
  readonly kind: StreamKind;
  readonly position: number;
  /** Where the file ends that was being published. */
  readonly planned: number | undefined;
  readonly throughMs: number;
}

/** Another process has moved the cursor, or a person has: read it again. */
export class CursorMovedError extends Error {
  override readonly name = 'CursorMovedError';
}

type Database = Pick<Pool | ClientBase, 'query'>;

/** Notes that a process has this stream, and creates the cursors that it lacks, where the kept data begins. */
export async function prepareCursors(
  pool: Pool,
  settings: StreamSettings,
  workspaceIds: readonly string[],
): Promise<void> {
  const { name, of, target } = settings;
  await pool.query(
    `insert into stream (name, target, interval_ms, looked_at) values ($1, $2, $3, now())
     on conflict (name) do update set target = excluded.target, interval_ms = excluded.interval_ms, looked_at = now()`,
    [name, targetText(target), intervalMs(target)],
  );
  await pool.query(
    `insert into stream_cursor (stream, workspace_id, kind, position, through)
     select $1, w.id, k.kind,
            case when k.kind in ('decisions', 'outcomes') then coalesce(p.start_offset, 0) else 0 end, 'epoch'::timestamptz
       from unnest($2::text[]) as w (id) cross join unnest($3::text[]) as k (kind)
       left join log_partition p on p.partition = w.id
     union all
     select $1, '', 'audit', 0, 'epoch'::timestamptz where $4
     on conflict do nothing`,
    [name, workspaceIds, of.filter((kind) => kind !== 'audit'), of.includes('audit')],
  );
}

export interface CursorState extends Cursor {
  readonly isAhead: boolean;
}

/** The cursors of a stream, those that are behind the furthest first. */
export async function readCursors(pool: Pool, stream: string): Promise<readonly CursorState[]> {
  const found = await pool.query<{
    workspace_id: string;
    kind: StreamKind;
    position: number;
    planned: number | null;
    through: Date;
    ahead: boolean;
  }>({
    name: 'stream_cursors',
    text: `select c.workspace_id, c.kind, c.position, c.planned, c.through, ${isAhead} as ahead
             from stream_cursor c left join engine_position e using (workspace_id)
            where c.stream = $1 order by c.through`,
    values: [stream],
  });
  return found.rows.map((row) => ({
    stream,
    workspaceId: row.workspace_id,
    kind: row.kind,
    position: row.position,
    planned: row.planned ?? undefined,
    throughMs: row.through.getTime(),
    isAhead: row.ahead,
  }));
}

type Of = Pick<Cursor, 'stream' | 'workspaceId' | 'kind' | 'position'>;

/** Moves a cursor. @throws CursorMovedError */
export async function moveCursor(
  pool: Pool,
  cursor: Of,
  to: { readonly position: number; readonly throughMs: number; readonly sent: number },
): Promise<void> {
  const moved = await pool.query({
    name: 'stream_move',
    text: `update stream_cursor
              set position = $5, planned = null, through = greatest(through, to_timestamp($6::float8 / 1000.0)),
                  sent = sent + $7
            where stream = $1 and workspace_id = $2 and kind = $3 and position = $4`,
    values: [cursor.stream, cursor.workspaceId, cursor.kind, cursor.position, to.position, to.throughMs, to.sent],
  });
  if (moved.rowCount !== 1) throw new CursorMovedError(`the cursor of ${cursor.kind} was moved`);
}

/** Notes where the next file ends, before it is published. @throws CursorMovedError */
export async function planPart(pool: Pool, cursor: Of, end: number): Promise<void> {
  const planned = await pool.query(
    `update stream_cursor set planned = $5
      where stream = $1 and workspace_id = $2 and kind = $3 and position = $4 and (planned is null or planned = $5)`,
    [cursor.stream, cursor.workspaceId, cursor.kind, cursor.position, end],
  );
  if (planned.rowCount !== 1) throw new CursorMovedError(`another process writes the files of ${cursor.kind}`);
}

/** Notes that everything up to a time has left. */
export async function noteThrough(
  pool: Pool,
  stream: string,
  { cursors, throughMs }: { readonly cursors: readonly Omit<Of, 'stream'>[]; readonly throughMs: number },
): Promise<void> {
  await pool.query(
    `update stream_cursor c set through = greatest(through, to_timestamp($5::float8 / 1000.0))
       from unnest($2::text[], $3::text[], $4::bigint[]) as r (workspace_id, kind, position)
      where c.stream = $1 and c.workspace_id = r.workspace_id and c.kind = r.kind and c.position = r.position`,
    [
      stream,
      cursors.map(({ workspaceId }) => workspaceId),
      cursors.map(({ kind }) => kind),
      cursors.map(({ position }) => position),
      throughMs,
    ],
  );
}

/** @param error `undefined`: it works */
export async function noteState(database: Database, stream: string, error: string | undefined): Promise<void> {
  await database.query(
    `update stream set looked_at = now(), error = $2,
            failing_since = case when $2::text is null then null else coalesce(failing_since, now()) end
      where name = $1`,
    [stream, error ?? null],
  );
}
