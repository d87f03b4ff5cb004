import { type EpochMs, InvariantError } from '@ringfence/contract';
import { blockBytesMax } from '../bounds.ts';
import { frameBytes, writeFrame } from '../entry-frames.ts';
import {
  type GrowthListener,
  PartitionClosedError,
  StaleGenerationError,
  type StoredBlock,
  UnknownPartitionError,
} from '../log.ts';
import { storedBlock } from '../stored-block.ts';
import type { Waiting } from './append-queue.ts';
import { bytesArray, int4Array, int8Array, textArray } from './arrays.ts';

/** The result of log_append for one partition of the batch; columns in the order of schema.ts. */
export type AppendRow = readonly [
  firstOffset: number | null,
  epoch: number | null,
  logTimeMs: number | null,
  stale: readonly number[] | null,
  conflicts: readonly number[] | null,
  retryEntries: readonly number[] | null,
  retryOffsets: readonly number[] | null,
];

/** One call of log_append: its arguments, and the waiting entries in the order of their numbers, from 1. */
export interface AppendCall {
  readonly groups: readonly (readonly Waiting[])[];
  readonly values: readonly unknown[];
}

export const appendText = 'SELECT * FROM log_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

/**
 * Builds the call for a batch. Partitions are sorted by name, so that two processes lock the heads in the same order
 * and cannot deadlock.
 */
export function makeCall(batch: readonly Waiting[], nowMs: EpochMs): AppendCall {
  const byPartition = Map.groupBy(batch, ({ partition }) => partition);
  const partitions = [...byPartition.keys()].sort();
  const groups = partitions.map((partition) => byPartition.get(partition)!);
  const ordered = groups.flat();
  const lengths = ordered.map(({ entry }) => frameBytes(entry));
  const blocks = cutBlocks(groups, lengths);
  const keyed = ordered.flatMap(({ entry: { idempotency } }, index) =>
    idempotency === undefined ? [] : [{ ...idempotency, number: index + 1 }],
  );
  const values = [
    textArray(partitions),
    int4Array(groups.map((group) => group.length)),
    nowMs,
    int8Array(ordered.map(({ generation }) => generation)),
    int4Array(lengths),
    int4Array(blocks.map(({ entry }) => entry)),
    int4Array(blocks.map(({ position }) => position)),
    int4Array(blocks.map(({ length }) => length)),
    int4Array(keyed.map(({ number }) => number)),
    bytesArray(keyed.map(({ key }) => key)),
    bytesArray(keyed.map(({ fingerprint }) => fingerprint)),
    new BatchFrames(ordered, lengths),
  ];
  return { groups, values };
}

/** Entries in one row of the log. Numbers and positions count from 1, as in SQL. */
interface Block {
  readonly entry: number;
  readonly position: number;
  length: number;
}

/** Splits the frames into blocks that fill one page each; no block contains two partitions. */
function cutBlocks(groups: readonly (readonly Waiting[])[], lengths: readonly number[]): readonly Block[] {
  const blocks: Block[] = [];
  let number = 0;
  let position = 1;
  for (const group of groups) {
    let block: Block | undefined;
    for (let left = group.length; left > 0; left--) {
      const length = lengths[number++]!;
      if (block === undefined || block.length + length > blockBytesMax) {
        block = { entry: number, position, length: 0 };
        blocks.push(block);
      }
      block.length += length;
      position += length;
    }
  }
  return blocks;
}

/** Reused by all batches: one buffer per batch would be a large allocation each time. */
let scratch = Buffer.allocUnsafeSlow(blockBytesMax);

/**
 * All frames of a batch as one binary value. `pg` requests it when it writes its message, and copies it immediately.
 */
class BatchFrames {
  readonly #batch: readonly Waiting[];
  readonly #bytes: number;

  constructor(batch: readonly Waiting[], lengths: readonly number[]) {
    this.#batch = batch;
    this.#bytes = lengths.reduce((sum, length) => sum + length, 0);
  }

  toPostgres(): Buffer {
    if (scratch.length < this.#bytes) scratch = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const { entry } of this.#batch) at = writeFrame(scratch, at, entry);
    return scratch.subarray(0, at);
  }
}

/** A partition that grew: the arguments of a `GrowthListener`. */
export type Growth = Parameters<GrowthListener>;

/** Resolves or rejects every waiting entry of the call. @returns what grew */
export function settle(call: AppendCall, rows: readonly AppendRow[]): readonly Growth[] {
  const grown: Growth[] = [];
  let number = 1;
  for (const [index, group] of call.groups.entries()) {
    const row = rows[index];
    if (row === undefined) throw new InvariantError('log_append returns one row per partition');
    const end = settleGroup(group, number, row);
    if (end !== null && end !== row[0]) grown.push([group[0]!.partition, end, blockMaker(group, row)]);
    number += group.length;
  }
  return grown;
}

/** `undefined` if some entries were refused, or are retries, whose blocks the database has cut differently. */
function blockMaker(group: readonly Waiting[], row: AppendRow): (() => StoredBlock) | undefined {
  const [firstOffset, epoch, logTimeMs, stale, conflicts, retryEntries] = row;
  const isPlain = [stale, conflicts, retryEntries].every((some) => some === null || some.length === 0);
  if (!isPlain || firstOffset === null || epoch === null || logTimeMs === null) return undefined;
  const at = { firstOffset, epoch, logTimeMs: logTimeMs as EpochMs, retryOf: undefined };
  return () =>
    storedBlock(
      group.map(({ entry }) => entry),
      at,
    );
}

/** @returns the offset behind the last entry; `null` when there is no such partition, or it is closed */
function settleGroup(group: readonly Waiting[], firstNumber: number, row: AppendRow): number | null {
  const [firstOffset, epoch, logTimeMs, stale, conflicts, retryEntries, retryOffsets] = row;
  let offset = firstOffset;
  for (const [index, waiting] of group.entries()) {
    const number = firstNumber + index;
    if (offset === null || epoch === null || logTimeMs === null) {
      const why = epoch === null ? UnknownPartitionError : PartitionClosedError;
      waiting.reject(new why(waiting.partition));
    } else if (stale?.includes(number) === true) {
      waiting.reject(new StaleGenerationError(waiting.partition));
    } else if (conflicts?.includes(number) === true) {
      waiting.resolve({ kind: 'conflict' });
    } else {
      const appended = { kind: 'appended', offset, epoch, logTimeMs: logTimeMs as EpochMs } as const;
      const retryOf = retryOffsets?.[retryEntries?.indexOf(number) ?? -1];
      waiting.resolve(retryOf === undefined ? appended : { ...appended, retryOf });
      offset += 1;
    }
  }
  return offset;
}
