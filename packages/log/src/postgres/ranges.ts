import { assert, type EpochMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { readFrames } from '../entry-frames.ts';
import { type LogRecord, UnknownPartitionError } from '../log.ts';
import { rowsOf } from './rows.ts';

export interface Read {
  readonly partition: string;
  readonly fromOffset: number;
  readonly limit: number;
}

interface Head {
  readonly number: number;
  readonly rangeRecords: number;
  readonly start: number;
  readonly end: number;
}

type BlockRow = readonly [
  firstOffset: number,
  epoch: number,
  logTimeMs: number,
  retryOf: number | null,
  frames: Buffer,
];

/** SQLSTATE: a lock was not to be had in time; there is no such table. */
const lockNotAvailable = '55P03';
const undefinedTable = '42P01';

/** Longest wait for readers of a range that is to be dropped; what could not be dropped is dropped the next time. */
const dropLockTimeout = '500ms';

/**
 * Reads range by range. The head is read first: it says which ranges there are, and everything before its end is
 * committed, so that what is read afterwards is there.
 */
export async function readRecords(pool: Pool, read: Read): Promise<readonly LogRecord[]> {
  for (;;) {
    const head = await readHead(pool, read.partition);
    try {
      return await readKept(pool, read, head);
    } catch (error) {
      const droppedMeanwhile =
        codeOf(error) === undefinedTable && (await readHead(pool, read.partition)).start > head.start;
      if (!droppedMeanwhile) throw error;
    }
  }
}

async function readKept(pool: Pool, { fromOffset, limit }: Read, head: Head): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = [];
  let next = Math.max(fromOffset, head.start);
  const end = Math.min(head.end, next + limit);
  while (next < end) {
    const range = Math.floor(next / head.rangeRecords);
    const until = Math.min(end, (range + 1) * head.rangeRecords);
    const table = `log_${String(head.number)}_${String(range)}`;
    for (const block of await readBlocks(pool, table, { from: next, until })) {
      for (const record of recordsOf(block)) {
        if (record.offset < next || record.offset >= until) continue;
        assert(record.offset === next, 'offsets are dense');
        records.push(record);
        next += 1;
      }
    }
    assert(next === until, 'everything before the end is there');
  }
  return records;
}

/** Moves the start, then drops the tables before it: that may wait for readers, and nobody waits for it. */
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
 * Moves the start by at most `limit` records, then deletes what lies before it, also what a crash left there: a
 * reader finds the head first, and never asks for what is gone.
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
 * A block goes when all of its records lie before the start, and then another one begins there or before, or nothing
 * is left. The range of the next record to come may not be made yet.
 */
async function deleteBlocks(pool: Pool, table: string, { start, end }: Pick<Head, 'start' | 'end'>): Promise<void> {
  const firstKept = start === end ? '$1' : `(SELECT max(first_offset) FROM "${table}" WHERE first_offset <= $1)`;
  try {
    await pool.query(`DELETE FROM "${table}" WHERE first_offset < ${firstKept}`, [start]);
  } catch (error) {
    if (codeOf(error) !== undefinedTable) throw error;
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
    if (codeOf(error) !== lockNotAvailable) throw error;
  } finally {
    client.release();
  }
}

async function readHead(pool: Pool, partition: string): Promise<Head> {
  const rows = await rowsOf<readonly [number, number, number, number]>(pool, {
    name: 'log_head',
    text: 'SELECT number::bigint, range_records, start_offset, end_offset FROM log_partition WHERE partition = $1',
    values: [partition],
  });
  const [row] = rows;
  if (row === undefined) throw new UnknownPartitionError(partition);
  const [number, rangeRecords, start, end] = row;
  return { number, rangeRecords, start, end };
}

/** Not a prepared statement: planning it costs 0.1 ms, and there would be one for every range ever read. */
function readBlocks(
  pool: Pool,
  table: string,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<readonly BlockRow[]> {
  return rowsOf<BlockRow>(pool, {
    text: `SELECT first_offset, epoch, log_time_ms, retry_of, frames FROM "${table}"
            WHERE first_offset >= (SELECT max(first_offset) FROM "${table}" WHERE first_offset <= $1) AND first_offset < $2
            ORDER BY first_offset`,
    values: [from, until],
  });
}

function codeOf(error: unknown): string | undefined {
  return (error as { readonly code?: string }).code;
}

function recordsOf([firstOffset, epoch, logTimeMs, retryOf, frames]: BlockRow): readonly LogRecord[] {
  return readFrames(frames).map(({ kind, subject, payload }, place) => ({
    offset: firstOffset + place,
    epoch,
    logTimeMs: logTimeMs as EpochMs,
    kind,
    subject,
    retryOf: retryOf ?? undefined,
    payload,
  }));
}
