/**
 * The bounds of the client, each with its unit and its reason. What a bank may want otherwise is an option
 * (`RingfenceOptions`) with the value here as its default.
 */
export const limits = {
  /** Events that wait, by count: 20 s of a large bank's traffic (500 events/s), longer than a restart of the service. */
  queueEventsMax: 10_000,
  /** Bytes of events that wait. An event is about 1 KiB; larger ones must not take the backend's memory. */
  queueBytesMax: 32 * 1_024 * 1_024,
  /** The service refuses larger bodies with 413: not worth a request. */
  eventBytesMax: 64 * 1_024,
  /** Requests at a time. The service stores all that wait in one commit, so that more at a time costs it little. */
  parallelMax: 32,
  /** One attempt, from its start to the last byte of the answer. */
  requestTimeoutMs: 5_000,
  /** How long an event is worth sending: longer than an upgrade of the service, shorter than a session idles (30 min). */
  eventAgeMsMax: 600_000,
  /** First wait after a failure; it doubles with each further one. */
  retryDelayMsMin: 200,
  /** Longest wait between attempts: the service is found again this soon after any outage. */
  retryDelayMsMax: 10_000,
  /** Longest `Retry-After` that is followed: a mistaken header must not silence a bank for hours. */
  retryAfterMsMax: 60_000,
  /** Failures in a row after which one probe at a time is sent, instead of all that waits. */
  brakeFailures: 5,
  /** Bytes of an answer that are read: a decision with two messages of the longest kind. */
  answerBytesMax: 128 * 1_024,
  /** Longest wait for a decision: the service grants no more. */
  waitMsMax: 5_000,
  /** How long `flush` and `close` wait for what is queued, unless told otherwise. */
  flushTimeoutMs: 5_000,
} as const;
