/**
 * Concurrent webhook requests per workspace and process, counted separately for ordinary and urgent ones (actions 1 and
 * 2). 16 requests of 50 ms each are 320 a second, and no more than a small server can handle. A hung endpoint blocks
 * only its workspace's slots.
 */
export const placesMax = 16;

/** Poll interval of the outbox without a wake-up: retries leave at most this late. */
export const pollMs = 500;
/** Interval of expiring late actions and of releasing forgotten session turns. */
export const tidyMs = 1_000;
/** Interval of claiming outcomes that a crashed process left behind. */
export const claimMs = 5_000;
/** Delay before a database operation is retried. */
export const databaseRetryMs = 1_000;
/** Outcome records appended concurrently; they share the log's commits. */
export const appendsMax = 100;

/** Between two attempts to an endpoint that other processes reach and this one does not. */
export const connectRestMs = 10_000;
/** From the name look-up to the end of the TLS handshake. */
export const connectMs = 5_000;
/**
 * A look-up that fails after longer has unresponsive name servers; healthy ones report an unknown name in some 50 ms.
 */
export const hungLookUpMs = 1_000;
/** Concurrent look-ups of such names: half of the threads that `UV_THREADPOOL_SIZE` leaves for look-ups. */
export const hungLookUpsMax = 4;
/** Total duration of an attempt, including the last byte of the answer: a receiver that sends slowly is cut off. */
export const deadlineMs = 15_000;
/** Bytes read of an answer's body; the interface's answer has about a hundred. */
export const bodyBytesMax = 64 * 1_024;
/** Bytes of it that are stored, sealed, for people to read. */
export const keptBodyBytesMax = 16 * 1_024;
/** Idle connections are closed before most servers would close them, possibly just as a request leaves. */
export const keepAliveMs = 4_000;

/**
 * A lease older than this is not started: the rest of it must cover a whole attempt, and clocks that differ by 5 s.
 */
export const leaseAgeMsMax = 10_000;

/** How long a stop waits for running requests before it aborts them. The whole stop has 5 s. */
export const stopGraceMs = 3_000;
