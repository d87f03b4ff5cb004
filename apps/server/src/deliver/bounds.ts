/**
 * Webhook requests of one workspace that one process has under way, ordinary ones and urgent ones (actions 1 and 2)
 * apart. 16 requests of 50 ms each are 320 a second, and no more than a small server stands. A hung endpoint keeps
 * these places and nobody else's.
 */
export const placesMax = 16;

/** How often the outbox is asked without a wake-up: retries leave at most this late. */
export const pollMs = 500;
/** How often late actions are expired and forgotten turns are given. */
export const tidyMs = 1_000;
/** How often outcomes are looked for that a crashed process has left. */
export const claimMs = 5_000;
/** Wait after the database did not answer, before the same is tried again. */
export const databaseRetryMs = 1_000;
/** Outcome records that are appended side by side; they share the log's commits. */
export const appendsMax = 100;

/** From the name to the end of the TLS handshake. */
export const connectMs = 5_000;
/** A name that failed after longer has name servers that hang; those that are well say within some 50 ms that it is none. */
export const hungLookUpMs = 1_000;
/** Look-ups of such names side by side: half of what the program's `UV_THREADPOOL_SIZE` leaves for look-ups. */
export const hungLookUpsMax = 4;
/** An attempt in all, the last byte of the answer included: a receiver that drips is cut off. */
export const deadlineMs = 15_000;
/** Bytes of an answer's body that are read; the interface's own answer takes a hundred. */
export const bodyBytesMax = 64 * 1_024;
/** Bytes of it that are kept, sealed, for people to read. */
export const keptBodyBytesMax = 16 * 1_024;
/** An idle connection is closed before most servers would do so under a request that is just leaving. */
export const keepAliveMs = 4_000;

/**
 * A lease of this age is not begun with any more: what is left must hold a whole attempt, and clocks that differ by 5 s.
 */
export const leaseAgeMsMax = 10_000;

/** How long a stop waits for requests that are under way, before it gives them up. The whole stop has 5 s. */
export const stopGraceMs = 3_000;
