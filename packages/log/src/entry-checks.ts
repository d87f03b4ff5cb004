import { assert } from '@ringfence/contract';
import { attachmentBytesMax, idempotencyBytesMax, payloadBytesMax, limitMax } from './bounds.ts';
import type { LogEntry } from './log.ts';

/** Partitions and subjects are our own random ids. No other text may get into SQL and array literals. */
const id = /^[\w-]{1,64}$/u;

/** @throws InvariantError when the entry exceeds the port's bounds */
export function checkEntry(entry: LogEntry): void {
  assert(entry.subject === undefined || id.test(entry.subject), 'a subject is an id of at most 64 characters');
  assert(entry.payload.byteLength <= payloadBytesMax, 'a payload has at most 128 KiB');
  assert((entry.attachment?.byteLength ?? 0) <= attachmentBytesMax, 'an attachment has at most 4 KiB');
  if (entry.idempotency === undefined) return;
  const { key, fingerprint } = entry.idempotency;
  for (const bytes of [key, fingerprint]) {
    assert(
      bytes.byteLength > 0 && bytes.byteLength <= idempotencyBytesMax,
      'a key and a fingerprint have 1 to 64 bytes',
    );
  }
}

export function checkPartition(partition: string): void {
  assert(id.test(partition), 'a partition is an id of at most 64 characters');
}

export function checkOffset(offset: number): void {
  assert(Number.isSafeInteger(offset) && offset >= 0, 'an offset is a whole number, 0 or more');
}

export function checkLimit(limit: number): void {
  assert(Number.isSafeInteger(limit) && limit >= 1 && limit <= limitMax, 'a limit is 1 to 10,000');
}
