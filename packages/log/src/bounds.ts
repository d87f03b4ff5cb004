import { dayMs, minuteMs } from '@ringfence/contract';

/** The longest payload in bytes: an encrypted body of 64 KiB with its enrichment, doubled for safety. */
export const payloadBytesMax = 128 * 1024;

/** The longest attachment in bytes: a sealed row of a client, four times. */
export const attachmentBytesMax = 4 * 1024;

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

/** Without an answer of the record store in this time, PostgreSQL stores the bytes itself. */
export const putMsMax = 250;
/** A partition of the store that did not answer is asked again after this time. */
export const probeEveryMs = 1_000;
/** A refusal is answered once the store has the verdict: within the 2 s guaranteed to callers. */
export const verdictMsMax = 1_000;
/** A place that is this old has everything before it decided: an append ends 2 s after it was put. */
export const floorMs = minuteMs;
/** Records of one partition in the 2 s between a put and its commit, at ten times the rate of the largest bank. */
export const unorderedRecordsMax = 400_000;
/** Messages of the store that a reader keeps, in bytes: two of the largest. */
export const cachedBytesMax = 16 * 1024 * 1024;
