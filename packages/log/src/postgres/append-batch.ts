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
import { type Place, placeBytes, writePlace } from '../place.ts';
import { storedBlock } from '../stored-block.ts';
import type { Waiting } from './append-queue.ts';
import { bytesArray, int4Array, int8Array, textArray } from './arrays.ts';
import type { PlacedAppend, Placement } from './record-writer.ts';

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

/** The entries of one partition in a batch. */
export interface Group {
  readonly partition: string;
  readonly waiting: readonly Waiting[];
  /** `undefined`: there is no store. */
  readonly placement: Placement | undefined;
}

/** One call of log_append: its arguments, and the waiting entries in the order of their numbers, from 1. */
export interface AppendCall {
  readonly groups: readonly Group[];
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

const plain = {
  name: 'log_append',
  text: 'SELECT * FROM log_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
};
const placed = {
  name: 'log_append_placed',
  text: `SELECT * FROM log_append_placed($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
           $13::text[], $14::integer[], $15::bigint[], $16::bytea[], $17::bytea[])`,
};

/**
 * The partitions of a batch, sorted by name, so that two processes lock the heads in the same order and cannot
 * deadlock.
 */
export function groupsOf(batch: readonly Waiting[]): readonly Group[] {
  const byPartition = Map.groupBy(batch, ({ partition }) => partition);
  const partitions = [...byPartition.keys()].sort();
  return partitions.map((partition) => ({ partition, waiting: byPartition.get(partition)!, placement: undefined }));
}

/** Builds the call for a batch. */
export function makeCall(groups: readonly Group[], nowMs: EpochMs): AppendCall {
  const ordered = groups.flatMap(({ waiting }) => waiting);
  const frames = new BatchFrames(groups);
  const keyed = ordered.flatMap(({ entry: { idempotency } }, index) =>
    idempotency === undefined ? [] : [{ ...idempotency, number: index + 1 }],
  );
  const values = [
    textArray(groups.map(({ partition }) => partition)),
    int4Array(groups.map(({ waiting }) => waiting.length)),
    nowMs,
    int8Array(ordered.map(({ generation }) => generation)),
    int4Array(frames.lengths),
    int4Array(frames.blocks.map(({ entry }) => entry)),
    int4Array(frames.blocks.map(({ position }) => position)),
    int4Array(frames.blocks.map(({ length }) => length)),
    int4Array(keyed.map(({ number }) => number)),
    bytesArray(keyed.map(({ key }) => key)),
    bytesArray(keyed.map(({ fingerprint }) => fingerprint)),
    frames,
  ];
  if (groups.every(({ placement }) => placement?.appendId === undefined)) return { groups, ...plain, values };
  return { groups, ...placed, values: [...values, ...placementArrays(groups)] };
}

function placementArrays(groups: readonly Group[]): readonly unknown[] {
  const inStore = groups.flatMap(({ partition, placement }) =>
    placement?.kind === 'placed' ? [{ of: partition, ...placement }] : [],
  );
  const fallbacks = groups.flatMap(({ placement }) =>
    placement?.kind === 'inline' && placement.appendId !== undefined ? [placement.appendId] : [],
  );
  return [
    textArray(inStore.map(({ of }) => of)),
    int4Array(inStore.map(({ partition }) => partition)),
    int8Array(inStore.map(({ offset }) => offset)),
    bytesArray(inStore.map(({ appendId }) => appendId)),
    bytesArray(fallbacks),
  ];
}

/** Entries in one row of the log. Numbers and positions count from 1, as in SQL. */
interface Block {
  readonly entry: number;
  readonly position: number;
  length: number;
}

/** The place of a run of entries. */
function placeOf({ partition, offset, appendId, numbers }: PlacedAppend, from: number, count: number): Place {
  return { partition, offset, appendId, firstEntry: numbers?.[from] ?? from, count };
}

/** The runs of entries that follow each other in the message: each is one block. */
function runsOf({ numbers }: PlacedAppend, entries: number): readonly { from: number; count: number }[] {
  const runs: { from: number; count: number }[] = [];
  for (let index = 0; index < entries; index++) {
    const follows = index > 0 && (numbers === undefined || numbers[index] === numbers[index - 1]! + 1);
    if (follows) runs.at(-1)!.count += 1;
    else runs.push({ from: index, count: 1 });
  }
  return runs;
}

/** Reused by all batches: one buffer per batch would be a large allocation each time. */
let scratch = Buffer.allocUnsafeSlow(blockBytesMax);

/**
 * All frames of a batch as one binary value, and how it is cut into rows: blocks that fill one page each; no block
 * contains two partitions. `pg` requests the value when it writes its message, and copies it immediately.
 *
 * Instead of the frames of a placed entry there is its place, for a batch that the database has to cut into single
 * entries; the places of whole blocks follow at the end.
 */
class BatchFrames {
  readonly lengths: number[] = [];
  readonly blocks: Block[] = [];
  readonly #groups: readonly Group[];
  readonly #runs: Place[] = [];
  #bytes: number;

  constructor(groups: readonly Group[]) {
    this.#groups = groups;
    const ofRuns: { readonly entry: number; readonly place: Place }[] = [];
    let position = 1;
    for (const { waiting, placement } of groups) {
      const first = this.lengths.length;
      if (placement?.kind === 'placed') {
        for (const { from, count } of runsOf(placement, waiting.length)) {
          ofRuns.push({ entry: first + from + 1, place: placeOf(placement, from, count) });
        }
        for (const _ of waiting) this.lengths.push(placeBytes);
        position += waiting.length * placeBytes;
      } else {
        position = this.#cut(waiting, position);
      }
    }
    for (const { entry, place } of ofRuns) {
      this.#runs.push(place);
      this.blocks.push({ entry, position, length: placeBytes });
      position += placeBytes;
    }
    this.#bytes = position - 1;
  }

  toPostgres(): Buffer {
    if (scratch.length < this.#bytes) scratch = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const { waiting, placement } of this.#groups) {
      for (const [index, { entry }] of waiting.entries()) {
        at =
          placement?.kind === 'placed'
            ? writePlace(scratch, at, placeOf(placement, index, 1))
            : writeFrame(scratch, at, entry);
      }
    }
    for (const place of this.#runs) at = writePlace(scratch, at, place);
    return scratch.subarray(0, at);
  }

  /** @returns the position after the entries */
  #cut(waiting: readonly Waiting[], start: number): number {
    let position = start;
    let block: Block | undefined;
    for (const { entry } of waiting) {
      const length = frameBytes(entry);
      this.lengths.push(length);
      if (block === undefined || block.length + length > blockBytesMax) {
        block = { entry: this.lengths.length, position, length: 0 };
        this.blocks.push(block);
      }
      block.length += length;
      position += length;
    }
    return position;
  }
}

/** A partition that grew: the arguments of a `GrowthListener`. */
export type Growth = Parameters<GrowthListener>;

/** Entries of a group that were refused. */
export interface Refused {
  readonly group: Group;
  /** By their place in the group, from 0. */
  readonly numbers: readonly number[];
  /** Answers those who wait. */
  readonly answer: () => void;
}

/** Resolves or rejects every waiting entry of the call, except refused ones. */
export function settle(
  call: AppendCall,
  rows: readonly AppendRow[],
): { readonly grown: readonly Growth[]; readonly refused: readonly Refused[] } {
  const grown: Growth[] = [];
  const refused: Refused[] = [];
  let number = 1;
  for (const [index, group] of call.groups.entries()) {
    const row = rows[index];
    if (row === undefined) throw new InvariantError('log_append returns one row per partition');
    const { end, refusals } = settleGroup(group.waiting, number, row);
    if (end !== null && end !== row[0]) grown.push([group.partition, end, blockMaker(group.waiting, row)]);
    if (refusals.length > 0) {
      const numbers = refusals.map(({ index: entry }) => entry);
      refused.push({ group, numbers, answer: () => refusals.forEach(({ answer }) => answer()) });
    }
    number += group.waiting.length;
  }
  return { grown, refused };
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

interface Settled {
  /** The offset behind the last entry; `null` when there is no such partition, or it is closed. */
  readonly end: number | null;
  readonly refusals: readonly { readonly index: number; readonly answer: () => void }[];
}

function settleGroup(group: readonly Waiting[], firstNumber: number, row: AppendRow): Settled {
  const [firstOffset, epoch, logTimeMs, stale, conflicts, retryEntries, retryOffsets] = row;
  const refusals: { readonly index: number; readonly answer: () => void }[] = [];
  let offset = firstOffset;
  for (const [index, waiting] of group.entries()) {
    const number = firstNumber + index;
    if (offset === null || epoch === null || logTimeMs === null) {
      const why = epoch === null ? UnknownPartitionError : PartitionClosedError;
      refusals.push({ index, answer: () => waiting.reject(new why(waiting.partition)) });
    } else if (stale?.includes(number) === true) {
      refusals.push({ index, answer: () => waiting.reject(new StaleGenerationError(waiting.partition)) });
    } else if (conflicts?.includes(number) === true) {
      refusals.push({ index, answer: () => waiting.resolve({ kind: 'conflict' }) });
    } else {
      const appended = { kind: 'appended', offset, epoch, logTimeMs: logTimeMs as EpochMs } as const;
      const retryOf = retryOffsets?.[retryEntries?.indexOf(number) ?? -1];
      waiting.resolve(retryOf === undefined ? appended : { ...appended, retryOf });
      offset += 1;
    }
  }
  return { end: offset, refusals };
}
