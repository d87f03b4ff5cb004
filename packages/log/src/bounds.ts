import { dayMs, minuteMs } from '@ringfence/contract';

/** Longest payload: a sealed body of 64 KiB with what the door found out, doubled for safety. Bytes. */
export const payloadBytesMax = 128 * 1024;

/** How long an idempotency key is kept, by the log's time. */
export const idempotencyKeptMs = dayMs;

/** A hash with room to spare. Bytes. */
export const idempotencyBytesMax = 64;

/** How much later an old key is forgotten: clocks of processes that share a log differ by up to 10 s. */
export const clocksDifferMsMax = minuteMs;

/** Most records that one read answers, or one call removes row by row. */
export const limitMax = 10_000;

/** Records of one range: about 300 MB at 1.1 KB each. Ranges are what `dropBefore` drops whole. */
export const rangeRecords = 262_144;

/** Appends that may wait: a second at twice the rate of the largest bank. Beyond it, saying no at once is kinder. */
export const queueEntriesMax = 10_000;
/** The same in bytes, so that large entries can't fill the memory. */
export const queueBytesMax = 64 * 1024 * 1024;

/** Entries of one commit: enough to share an fsync well, few enough that a batch stays a matter of milliseconds. */
export const batchEntriesMax = 512;
export const batchBytesMax = 4 * 1024 * 1024;

/** An entry that waited this long to be sent is refused: with the sending it makes less than the 2 s that callers are promised. */
export const queuedMsMax = 1_400;
/** A caller is told after this time, whatever became of the entry. */
export const appendMsMax = 1_800;
/** A batch that takes longer has lost its connection, or its database hangs. */
export const batchMsMax = 1_800;

/** Frames of one row, unless one alone is longer: with its other columns it fills a page of 8 KiB. */
export const blockBytesMax = 8_000;
