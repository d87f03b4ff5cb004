import type { EpochMs } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { blockBytesMax } from '../bounds.ts';
import { frameBytes, readFrames } from '../entry-frames.ts';
import type { StoredBlock } from '../log.ts';
import { forgetStoreText } from '../placed-schema.ts';
import type { PlacedReader } from './placed-reader.ts';

/** Blocks of one transaction: some hundred kilobytes each at most, so that no reader waits. */
const blocksOfStep = 50;

export interface PlacedTotals {
  /** Blocks whose bytes are in the store, and their records. */
  readonly blocks: number;
  readonly records: number;
}

const countPlaced = `count(*)::float8 AS blocks,
  coalesce(sum(get_byte(frames, 16) * 256 + get_byte(frames, 17)), 0)::float8 AS records`;

/** By partition; partitions without any are absent. Reads all blocks. */
export async function countPlacedBlocks(pool: Pool): Promise<ReadonlyMap<string, PlacedTotals>> {
  const totals = new Map<string, PlacedTotals>();
  for (const { partition, table } of await tablesOf(pool)) {
    const { rows } = await pool.query<PlacedTotals>(
      `SELECT ${countPlaced} FROM "${table}" WHERE get_byte(frames, 0) = 255`,
    );
    const [{ blocks, records }] = rows as [PlacedTotals];
    const before = totals.get(partition) ?? { blocks: 0, records: 0 };
    if (blocks > 0) totals.set(partition, { blocks: before.blocks + blocks, records: before.records + records });
  }
  return totals;
}

/**
 * Copies the bytes of all placed blocks into PostgreSQL, oldest first, while others read and append. Can be stopped at
 * any moment and called again. When none is left, the log forgets the store: it gets another id there, so that what is
 * left in the store is never adopted.
 *
 * No process may put appends into the store any more.
 *
 * @returns whether none was left
 */
export async function moveToPostgres(
  pool: Pool,
  placed: PlacedReader,
  onMoved: (partition: string, records: number) => void,
): Promise<boolean> {
  for (const { partition, table } of await tablesOf(pool)) {
    for (let from = 0; ;) {
      const step = await moveStep({ pool, placed }, { partition, table }, from);
      if (step === undefined) break;
      from = step.next;
      onMoved(partition, step.records);
    }
  }
  return forgetStore(pool);
}

interface Table {
  readonly partition: string;
  readonly table: string;
}

async function tablesOf(pool: Pool): Promise<readonly Table[]> {
  const { rows } = await pool.query<Table>(
    `SELECT p.partition, c.relname AS table FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       JOIN log_partition p ON p.number = split_part(c.relname, '_', 2)::integer
      WHERE i.inhparent = 'log_block'::regclass ORDER BY p.number, split_part(c.relname, '_', 3)::bigint`,
  );
  return rows;
}

export interface BlockRow {
  readonly first_offset: string;
  readonly epoch: string;
  readonly log_time_ms: string;
  readonly retry_of: string | null;
  readonly frames: StoredBlock['frames'];
}

async function moveStep(
  { pool, placed }: { readonly pool: Pool; readonly placed: PlacedReader },
  { partition, table }: Table,
  from: number,
): Promise<{ readonly next: number; readonly records: number } | undefined> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const stored = await storeWhole(client, placed, { partition, table: `"${table}"`, from });
    await client.query('COMMIT');
    return stored;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Writes the bytes of some placed blocks into a range of the log, in the caller's transaction: the oldest ones from an
 * offset on.
 *
 * @param table quoted
 * @param placed reads the store in which the blocks are, also if the range was copied from another database
 * @returns where the next ones begin, and how many records were written; `undefined`: there were no such blocks
 * @throws RecordsLostError, StoreUnavailableError
 */
export async function storeWhole(
  client: ClientBase,
  placed: PlacedReader,
  { partition, table, from }: Table & { readonly from: number },
): Promise<{ readonly next: number; readonly records: number } | undefined> {
  const { rows } = await client.query<BlockRow>(
    `SELECT first_offset, epoch, log_time_ms, retry_of, frames FROM ${table}
      WHERE first_offset >= $1 AND get_byte(frames, 0) = 255 ORDER BY first_offset LIMIT $2`,
    [from, blocksOfStep],
  );
  if (rows.length === 0) return undefined;
  const blocks = await placed.withFrames(partition, rows.map(blockOfRow));
  const parts = blocks.flatMap(cut);
  const gone = await client.query<{ first_offset: string }>(
    `DELETE FROM ${table} WHERE first_offset = ANY ($1::bigint[]) RETURNING first_offset`,
    [blocks.map(({ firstOffset }) => firstOffset)],
  );
  // Retention may have been faster.
  const present = new Set(gone.rows.map((row) => Number(row.first_offset)));
  const kept = parts.filter(({ of }) => present.has(of));
  await client.query(
    `INSERT INTO ${table} (first_offset, epoch, log_time_ms, retry_of, frames)
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])`,
    [
      kept.map(({ block }) => block.firstOffset),
      kept.map(({ block }) => block.epoch),
      kept.map(({ block }) => block.logTimeMs),
      kept.map(({ block }) => block.retryOf ?? null),
      kept.map(({ block }) => block.frames),
    ],
  );
  return {
    next: blocks.at(-1)!.firstOffset + 1,
    records: parts.reduce((sum, { records }) => sum + records, 0),
  };
}

/** Blocks that fill a page each. */
function cut(
  block: StoredBlock,
): readonly { readonly of: number; readonly records: number; readonly block: StoredBlock }[] {
  const { frames, firstOffset } = block;
  const parts: { start: number; end: number; first: number; records: number }[] = [];
  let at = 0;
  for (const [index, frame] of readFrames(Buffer.from(frames.buffer, frames.byteOffset, frames.length)).entries()) {
    const end = at + frameBytes(frame);
    const last = parts.at(-1);
    if (last === undefined || end - last.start > blockBytesMax)
      parts.push({ start: at, end, first: index, records: 1 });
    else {
      last.end = end;
      last.records += 1;
    }
    at = end;
  }
  return parts.map(({ start, end, first, records }) => ({
    of: firstOffset,
    records,
    block: { ...block, firstOffset: firstOffset + first, frames: frames.subarray(start, end) },
  }));
}

/** A row of a range, as `pg` gives it. */
export function blockOfRow(row: BlockRow): StoredBlock {
  return {
    firstOffset: Number(row.first_offset),
    epoch: Number(row.epoch),
    logTimeMs: Number(row.log_time_ms) as EpochMs,
    retryOf: row.retry_of === null ? undefined : Number(row.retry_of),
    frames: row.frames,
  };
}

async function forgetStore(pool: Pool): Promise<boolean> {
  if ((await countPlacedBlocks(pool)).size > 0) return false;
  await pool.query(forgetStoreText);
  return true;
}
