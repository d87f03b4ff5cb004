import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../platform/database/transactions.ts';
import { namesSegment } from '../tenancy/workspaces/backfill-rows.ts';

/** Counts of a segment's content. */
export interface SegmentTotals {
  readonly logins: number;
  readonly logouts: number;
  readonly operations: number;
  /** Events that are labelled. */
  readonly fraud: number;
  readonly legitimate: number;
  /** Skipped lines of the files. */
  readonly leftOut: number;
}

/** An immutable piece of a workspace's history. */
export interface Segment {
  readonly id: number;
  readonly name: string;
  readonly source: readonly string[];
  readonly author: string;
  readonly madeAtMs: number;
  readonly events: number;
  readonly blocks: number;
  readonly totals: SegmentTotals;
  /** Times of the first and the last event. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface NewSegment {
  readonly workspaceId: string;
  readonly name: string;
  readonly source: readonly string[];
  readonly author: string;
}

const uniqueViolation = '23505';
/** Blocks deleted in one statement: some 100 MB. */
const deletedMax = 50;

/**
 * Begins a segment that is invisible until `completeSegment`. The session of `client` holds a lock on it: when the
 * session ends before, the next import deletes what was written.
 *
 * @throws Problem `state.conflict` when there is a segment of this name
 */
export async function beginSegment(
  client: ClientBase,
  { workspaceId, name, source, author }: NewSegment,
): Promise<number> {
  await sweepSegments(client);
  // The lock is taken before any other session can see the row, and outlives the transaction.
  await client.query('begin');
  try {
    const made = await client.query<{ id: number }>(
      `insert into history_segment (workspace_id, name, state, source, author) values ($1, $2, 'importing', $3, $4)
       returning id`,
      [workspaceId, name, source, author],
    );
    const { id } = made.rows[0]!;
    await client.query(`select pg_advisory_lock(${lockOf('$1')})`, [id]);
    await client.query('commit');
    return id;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    if ((error as { readonly code?: string }).code !== uniqueViolation) throw error;
    throw new Problem(
      'state.conflict',
      `There is already a history "${name}" in this workspace. Remove it first, or choose another name.`,
    );
  }
}

export interface NewBlock {
  readonly segmentId: number;
  readonly number: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly events: number;
  readonly content: Buffer;
}

export async function addBlock(client: ClientBase, block: NewBlock): Promise<void> {
  await client.query(
    `insert into history_block (segment_id, number, from_ms, to_ms, events, content) values ($1, $2, $3, $4, $5, $6)`,
    [block.segmentId, block.number, block.fromMs, block.toMs, block.events, block.content],
  );
}

/** Makes the whole segment visible, from this commit on. */
export async function completeSegment(client: ClientBase, segmentId: number, totals: SegmentTotals): Promise<void> {
  const done = await client.query(
    `update history_segment s
        set state = 'complete', totals = $2, from_ms = b.from_ms, to_ms = b.to_ms
       from (select min(from_ms) as from_ms, max(to_ms) as to_ms from history_block where segment_id = $1) b
      where s.id = $1 and s.state = 'importing'`,
    [segmentId, JSON.stringify(totals)],
  );
  if (done.rowCount !== 1) throw new Problem('state.conflict', 'The import was aborted: its connection was lost.');
}

interface SegmentRow {
  readonly id: number;
  readonly name: string;
  readonly source: readonly string[];
  readonly author: string;
  readonly made_at: Date;
  readonly totals: SegmentTotals;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly events: number;
  readonly blocks: number;
}

/** Complete segments, newest first. */
export async function listSegments(pool: Pool, workspaceId: string): Promise<readonly Segment[]> {
  const { rows } = await pool.query<SegmentRow>(`${selectSegments} order by s.id desc`, [workspaceId, null]);
  return rows.map(segmentOf);
}

/** @throws Problem `thing.unknown` */
export async function findSegment(pool: Pool, workspaceId: string, name: string): Promise<Segment> {
  const { rows } = await pool.query<SegmentRow>(selectSegments, [workspaceId, name]);
  if (rows[0] !== undefined) return segmentOf(rows[0]);
  throw unknownSegment(name);
}

const selectSegments = `
  select s.id, s.name, s.source, s.author, s.made_at, s.totals, s.from_ms, s.to_ms, b.events, b.blocks
    from history_segment s,
         lateral (select sum(events) as events, count(*) as blocks from history_block where segment_id = s.id) b
   where s.workspace_id = $1 and s.state = 'complete' and ($2::text is null or s.name = $2)`;

function segmentOf(row: SegmentRow): Segment {
  const { id, name, source, author, totals, events, blocks } = row;
  const times = { madeAtMs: row.made_at.getTime(), fromMs: row.from_ms, toMs: row.to_ms };
  return { id, name, source, author, totals, events, blocks, ...times };
}

function unknownSegment(name: string): Problem {
  return new Problem('thing.unknown', `There is no history "${name}" in this workspace.`);
}

/**
 * Removes a segment: invisible immediately, its blocks are deleted soon after.
 *
 * @throws Problem `thing.unknown`
 */
export async function removeSegment(pool: Pool, workspaceId: string, name: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    // Locked: a policy that starts a backfill from it at the same time either commits first and is found, or finds it
    // gone.
    const found = await client.query<{ id: number }>(
      `select id from history_segment where workspace_id = $1 and name = $2 and state = 'complete' for update`,
      [workspaceId, name],
    );
    const id = found.rows[0]?.id;
    if (id === undefined) throw unknownSegment(name);
    if (await namesSegment(client, workspaceId, id)) {
      throw new Problem(
        'state.conflict',
        `The features of a policy began with the history "${name}", which replays of the log need: it can be removed once the record of that policy switch has passed its retention period.`,
      );
    }
    await client.query(`update history_segment set state = 'gone' where id = $1`, [id]);
  });
  const client = await pool.connect();
  try {
    await sweepSegments(client);
  } finally {
    client.release();
  }
}

/** Deletes removed segments, and those of aborted imports. */
async function sweepSegments(client: ClientBase): Promise<void> {
  const dead = await client.query<{ id: number }>(
    `select id from history_segment where state <> 'complete' order by id`,
  );
  for (const { id } of dead.rows) {
    const lock = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${lockOf('$1')}) as locked`, [
      id,
    ]);
    if (lock.rows[0]?.locked !== true) continue;
    try {
      await deleteSegment(client, id);
    } finally {
      await client.query(`select pg_advisory_unlock(${lockOf('$1')})`, [id]);
    }
  }
}

async function deleteSegment(client: ClientBase, id: number): Promise<void> {
  // It may have become complete before the lock was released.
  const gone = await client.query(`update history_segment set state = 'gone' where id = $1 and state <> 'complete'`, [
    id,
  ]);
  if (gone.rowCount === 0) return;
  for (;;) {
    const deleted = await client.query(
      `delete from history_block
        where segment_id = $1
          and number in (select number from history_block where segment_id = $1 order by number limit ${deletedMax})`,
      [id],
    );
    if ((deleted.rowCount ?? 0) < deletedMax) break;
  }
  await client.query(`delete from history_segment where id = $1`, [id]);
}

/** The lock of the session that fills or deletes a segment. */
function lockOf(id: string): string {
  return `hashtextextended('ringfence.history.' || ${id}::integer::text, 0)`;
}
