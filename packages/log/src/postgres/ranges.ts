import { assert, type EpochMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { type LogRecord, type StoredBlock, UnknownPartitionError } from '../log.ts';
import { recordsOf } from '../stored-block.ts';
import type { PlacedReader } from './placed-reader.ts';
import { rowsOf, sqlStateOf } from './rows.ts';

export interface Read {
  readonly partition: string;
  readonly fromOffset: number;
  readonly limit: number;
}

type BlockRow = readonly [
  firstOffset: number,
  epoch: number,
  logTimeMs: number,
  retryOf: number | null,
  frames: StoredBlock['frames'],
];

/** SQLSTATEs: a lock timeout; an unknown table. */
const lockNotAvailable = '55P03';
const undefinedTable = '42P01';

/** The longest wait for readers of a range to be dropped; a range that is still in use is dropped the next time. */
const dropLockTimeout = '500ms';

/** Reads range by range, each with one statement. */
export async function readRecords(
  { pool, placed }: { readonly pool: Pool; readonly placed: PlacedReader },
  read: Read,
): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = [];
  for (let fromOffset = read.fromOffset; ;) {
    const { low, high, end, blocks } = await readRange(pool, {
      ...read,
      fromOffset,
      limit: read.limit - records.length,
    });
    let next = low;
    const whole = await placed.withFrames(read.partition, blocks);
    for (const record of whole.flatMap(recordsOf)) {
      if (record.offset < low || record.offset >= high) continue;
      assert(record.offset === next, 'offsets are dense');
      records.push(record);
      next += 1;
    }
    assert(next >= high, 'no record before the end is missing');
    if (next >= end || records.length === read.limit) return records;
    fromOffset = next;
  }
}

interface RangeRead {
  /** What was read: offsets from `low` to before `high`. */
  readonly low: number;
  readonly high: number;
  /** The end of the log. */
  readonly end: number;
  readonly blocks: readonly StoredBlock[];
}

async function readRange(pool: Pool, read: Read): Promise<RangeRead> {
  const [head, ...rows] = await readRows(pool, read).catch((error: unknown) => {
    // Dropped at this moment: it is before the start of the log by now.
    if (sqlStateOf(error) === undefinedTable) return readRows(pool, read);
    throw error;
  });
  if (head === undefined) throw new UnknownPartitionError(read.partition);
  const [low, high, end] = head;
  assert(low !== null && high !== null && end !== null, 'the first row contains the offsets that were read');
  return { low, high, end, blocks: rows.map(([, , , ...block]) => blockOf(block as unknown as BlockRow)) };
}

/** Columns of `log_read`: the first row contains the offsets that were read, every other row a block. */
type ReadRow = readonly [
  low: number | null,
  high: number | null,
  end: number | null,
  ...block: BlockRow | readonly null[],
];

function readRows(pool: Pool, { partition, fromOffset, limit }: Read): Promise<readonly ReadRow[]> {
  return rowsOf<ReadRow>(pool, {
    name: 'log_read',
    text: 'SELECT * FROM log_read($1, $2, $3)',
    values: [partition, fromOffset, limit],
  });
}

/** Moves the start, then drops the tables before it. Dropping may wait for readers, but nothing waits for it. */
export async function dropRanges(pool: Pool, partition: string, offset: number): Promise<number> {
  const { rows } = await pool.query<{ number: number; start: string; range_records: string }>(
    `UPDATE log_partition
        SET start_offset = greatest(start_offset, least($2::bigint, end_offset) / range_records * range_records)
      WHERE partition = $1 RETURNING number, start_offset AS start, range_records`,
    [partition, offset],
  );
  const [head] = rows;
  if (head === undefined) throw new UnknownPartitionError(partition);
  const start = Number(head.start);
  await dropTables(pool, head.number, Math.floor(start / Number(head.range_records)));
  return start;
}

export interface Deletion {
  readonly partition: string;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Moves the start by at most `limit` records, then deletes what is before it, including leftovers of a crash. A reader
 * consults the head first, and never requests deleted records.
 */
export async function deleteRecords(pool: Pool, { partition, offset, limit }: Deletion): Promise<number> {
  const { rows } = await pool.query<{ number: number; start: string; end: string; range_records: string }>(
    `UPDATE log_partition
        SET start_offset = greatest(start_offset, least($2::bigint, end_offset, start_offset + $3::bigint))
      WHERE partition = $1 RETURNING number, start_offset AS start, end_offset AS end, range_records`,
    [partition, offset, limit],
  );
  const [head] = rows;
  if (head === undefined) throw new UnknownPartitionError(partition);
  const start = Number(head.start);
  const range = Math.floor(start / Number(head.range_records));
  await dropTables(pool, head.number, range);
  await deleteBlocks(pool, `log_${String(head.number)}_${String(range)}`, { start, end: Number(head.end) });
  return start;
}

/**
 * A block is deleted when all its records are before the start, which is when another block begins there or before, or
 * no records are left. The range of the next record may not exist yet.
 */
async function deleteBlocks(
  pool: Pool,
  table: string,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<void> {
  const firstKept = start === end ? '$1' : `(SELECT max(first_offset) FROM "${table}" WHERE first_offset <= $1)`;
  try {
    await pool.query(`DELETE FROM "${table}" WHERE first_offset < ${firstKept}`, [start]);
  } catch (error) {
    if (sqlStateOf(error) !== undefinedTable) throw error;
  }
}

async function dropTables(pool: Pool, number: number, beforeRange: number): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'log_block'::regclass AND c.relname LIKE $1`,
    [`log\\_${String(number)}\\_%`],
  );
  const prefix = `log_${String(number)}_`;
  const old = rows.map(({ name }) => Number(name.slice(prefix.length))).filter((range) => range < beforeRange);
  if (old.length === 0) return;
  const client = await pool.connect();
  try {
    for (const range of old) {
      await client.query(
        `BEGIN; SET LOCAL lock_timeout = '${dropLockTimeout}'; SELECT log_drop_range(${number}, ${range}); COMMIT`,
      );
    }
  } catch (error) {
    await client.query('ROLLBACK');
    if (sqlStateOf(error) !== lockNotAvailable) throw error;
  } finally {
    client.release();
  }
}

function blockOf([firstOffset, epoch, logTimeMs, retryOf, frames]: BlockRow): StoredBlock {
  return { firstOffset, epoch, logTimeMs: logTimeMs as EpochMs, retryOf: retryOf ?? undefined, frames };
}
