import { dayMs } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';

/** Kept for pages that reconnect; after a longer absence they reload. */
const keptMs = 3_600_000;
/** At most so long for streams. */
const keptForStreamsMs = 7 * dayMs;
/** A stream at which no process has looked for this long is no longer in any configuration. */
const streamForgottenMs = dayMs;
/** Entries per read. */
export const entriesMax = 500;

export interface LiveEntry {
  readonly kind: 'decision' | 'action' | 'alert';
  readonly ref: string;
  /** No personal data. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface NumberedEntry extends LiveEntry {
  readonly seq: number;
}

/**
 * Appends entries in the caller's transaction. Those of a workspace are serialized, so that a reader who has seen a
 * number has seen all smaller ones.
 *
 * The lock is kept until the commit and must be the last one that a transaction takes: no rows (the feed's position,
 * alerts) are locked after it. Otherwise two transactions could deadlock. So callers collect their entries and append
 * them at the end.
 */
export async function appendLive(
  client: ClientBase,
  workspaceId: string,
  entries: readonly LiveEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.live ' || $1, 0))`, [workspaceId]);
  await client.query(
    `insert into console_live (workspace_id, kind, ref, data)
     select $1, * from unnest($2::text[], $3::text[], $4::jsonb[]) on conflict do nothing`,
    [
      workspaceId,
      entries.map(({ kind }) => kind),
      entries.map(({ ref }) => ref),
      entries.map(({ data }) => JSON.stringify(data)),
    ],
  );
}

/** Oldest first, at most 500. */
export async function readLive(pool: Pool, workspaceId: string, after: number): Promise<readonly NumberedEntry[]> {
  const found = await pool.query<NumberedEntry>({
    name: 'console_live',
    text: `select seq, kind, ref, data from console_live where workspace_id = $1 and seq > $2 order by seq limit ${entriesMax}`,
    values: [workspaceId, after],
  });
  return found.rows;
}

export async function lastLive(pool: Pool, workspaceId: string): Promise<number> {
  const found = await pool.query<{ seq: number }>(
    `select coalesce(max(seq), 0) as seq from console_live where workspace_id = $1`,
    [workspaceId],
  );
  return found.rows[0]!.seq;
}

/** The offset up to which the console has been fed. */
export async function readFedTo(pool: Pool, workspaceId: string): Promise<number> {
  const found = await pool.query<{ next_offset: number }>({
    name: 'console_fed_to',
    text: `select next_offset from console_position where workspace_id = $1`,
    values: [workspaceId],
  });
  return found.rows[0]?.next_offset ?? 0;
}

/** Whether all entries after this one still exist. */
export async function isKept(pool: Pool, workspaceId: string, seq: number): Promise<boolean> {
  const found = await pool.query(`select 1 from console_live where workspace_id = $1 and seq = $2`, [workspaceId, seq]);
  return found.rowCount === 1;
}

/** Changes of alerts that a stream has not sent are kept longer, as long as it is looked at. */
export async function removeLive(pool: Pool, nowMs: number): Promise<void> {
  await pool.query(
    `delete from console_live l
      where at < $1 and not (kind = 'alert' and at > $2 and exists (
        select from stream_cursor c join stream s on s.name = c.stream
         where c.workspace_id = l.workspace_id and c.kind = 'alerts' and c.position <= l.seq and s.looked_at > $3))`,
    [new Date(nowMs - keptMs), new Date(nowMs - keptForStreamsMs), new Date(nowMs - streamForgottenMs)],
  );
}
