import { dayMs, minuteMs } from '@ringfence/contract';

/** The longest payload in bytes: an encrypted body of 64 KiB with its enrichment, doubled for safety. */
export const payloadBytesMax = 128 * 1024;

/** How long an idempotency key is kept, by log time. */
export const idempotencyKeptMs = dayMs;

/** The longest key in bytes: a hash with room to spare. */
export const idempotencyBytesMax = 64;

/** Old keys are removed this much later: clocks of processes that share a log differ by up to 10 s. */
export const clocksDifferMsMax = minuteMs;

/** Most records that one read returns, or one call removes row by row. */
export const limitMax = 10_000;

/** Records of one range: about 300 MB at 1.1 KB each. `dropBefore` drops whole ranges. */
export const rangeRecords = 262_144;

/**
 * Appends that may wait: one second at twice the rate of the largest bank. Beyond that, they are refused immediately.
 */
export const queueEntriesMax = 10_000;
/** The same in bytes, so that large entries can't exhaust the memory. */
export const queueBytesMax = 64 * 1024 * 1024;

/** Entries of one commit: enough to share an fsync well, few enough that a batch takes only milliseconds. */
export const batchEntriesMax = 512;
export const batchBytesMax = 4 * 1024 * 1024;

/**
 * An entry that waited this long to be sent is refused, to stay within the 2 s guaranteed to callers including the
 * commit.
 */
export const queuedMsMax = 1_400;
/** A caller is answered after this time, even if the result is unknown. */
export const appendMsMax = 1_800;
/** A batch that takes longer has lost its connection, or the database hangs. */
export const batchMsMax = 1_800;

/** Frames of one row, unless one alone is longer. With its other columns, such a row fills a page of 8 KiB. */
export const blockBytesMax = 8_000;
