import { type EpochMs, InvariantError } from '@ringfence/contract';
import { StaleGenerationError, UnknownPartitionError } from '../log.ts';
import type { Waiting } from './append-queue.ts';

/** What log_append answers for one partition of the batch; columns as in schema.ts, in that order. */
export type AppendRow = readonly [
  firstOffset: number | null,
  epoch: number | null,
  logTimeMs: number | null,
  stale: readonly number[] | null,
  conflicts: readonly number[] | null,
  retryEntries: readonly number[] | null,
  retryOffsets: readonly number[] | null,
];

/** One call of log_append: its arguments, and the waiting entries in the order in which it numbers them, from 1. */
export interface AppendCall {
  readonly groups: readonly (readonly Waiting[])[];
  readonly values: readonly unknown[];
}

export const appendText = 'SELECT * FROM log_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

/**
 * Makes the call for a batch. Partitions stand in the order of their names, so that two processes take the heads in
 * the same order and never wait for each other in a circle. Payloads go as one binary value and are cut up by their
 * lengths in the database: as an array they would have to be written as hexadecimal text.
 */
export function makeCall(batch: readonly Waiting[], nowMs: EpochMs): AppendCall {
  const byPartition = Map.groupBy(batch, ({ partition }) => partition);
  const partitions = [...byPartition.keys()].sort();
  const groups = partitions.map((partition) => byPartition.get(partition) ?? []);
  const ordered = groups.flat();
  const payloads = ordered.map(({ entry }) => entry.payload);
  const lengths = payloads.map((payload) => payload.byteLength);
  const keyed = ordered.flatMap(({ entry: { idempotency } }, index) =>
    idempotency === undefined ? [] : [{ ...idempotency, number: index + 1 }],
  );
  const values = [
    listOf(partitions),
    listOf(groups.map((group) => group.length)),
    nowMs,
    listOf(ordered.map(({ entry }) => entry.kind)),
    listOf(ordered.map(({ entry }) => (entry.subject === undefined ? 'NULL' : `"${entry.subject}"`))),
    listOf(positionsOf(lengths)),
    listOf(lengths),
    Buffer.concat(payloads),
    listOf(ordered.map(({ generation }) => generation ?? 'NULL')),
    listOf(keyed.map(({ number }) => number)),
    listOf(keyed.map(({ key }) => bytesText(key))),
    listOf(keyed.map(({ fingerprint }) => bytesText(fingerprint))),
  ];
  return { groups, values };
}

/** Tells every waiting entry of the call what became of it. */
export function settle(call: AppendCall, rows: readonly AppendRow[]): void {
  let number = 1;
  for (const [index, group] of call.groups.entries()) {
    const row = rows[index];
    if (row === undefined) throw new InvariantError('log_append answers one row per partition');
    settleGroup(group, number, row);
    number += group.length;
  }
}

function settleGroup(group: readonly Waiting[], firstNumber: number, row: AppendRow): void {
  const [firstOffset, epoch, logTimeMs, stale, conflicts, retryEntries, retryOffsets] = row;
  let offset = firstOffset;
  for (const [index, waiting] of group.entries()) {
    const number = firstNumber + index;
    if (offset === null || epoch === null || logTimeMs === null) {
      waiting.reject(new UnknownPartitionError(waiting.partition));
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
}

/** Positions count from 1, as SQL's substring does. */
function positionsOf(lengths: readonly number[]): readonly number[] {
  let next = 1;
  return lengths.map((length) => {
    const position = next;
    next += length;
    return position;
  });
}

/** An array as PostgreSQL reads it. Its elements need no quotes: ids, kinds, numbers, hexadecimal bytes. */
function listOf(elements: readonly (string | number)[]): string {
  return `{${elements.join(',')}}`;
}

function bytesText(bytes: Uint8Array): string {
  return `"\\\\x${Buffer.from(bytes).toString('hex')}"`;
}
