/**
 * The limits of the client, with units and reasons. Those that a bank may need to change are options
 * (`RingfenceOptions`) with these values as defaults.
 */
export const limits = {
  /** Queued events, by count: 20 s of a large bank's traffic (500 events/s), longer than a restart of the service. */
  queueEventsMax: 10_000,
  /** Queued events, in bytes. An event is about 1 KiB; larger ones must not exhaust the backend's memory. */
  queueBytesMax: 32 * 1_024 * 1_024,
  /** The service refuses larger bodies with 413, so they are not sent. */
  eventBytesMax: 64 * 1_024,
  /** Concurrent requests. The service stores all waiting ones in one commit, so more of them cost it little. */
  parallelMax: 32,
  /** One attempt, from its start to the last byte of the response. */
  requestTimeoutMs: 5_000,
  /**
   * How long an event is retried: longer than an upgrade of the service, shorter than a session's idle timeout (30
   * min).
   */
  eventAgeMsMax: 600_000,
  /** The wait after the first failure; it doubles with each further one. */
  retryDelayMsMin: 200,
  /** The longest wait between attempts, and so the longest delay after an outage. */
  retryDelayMsMax: 10_000,
  /** The longest `Retry-After` that is obeyed: a wrong header must not silence a bank for hours. */
  retryAfterMsMax: 60_000,
  /** Consecutive failures after which one probe at a time is sent. */
  brakeFailures: 5,
  /** Bytes of a response that are read: a decision with two messages of maximal length. */
  answerBytesMax: 128 * 1_024,
  /** The longest wait for a decision: the service does not allow more. */
  waitMsMax: 5_000,
  /** How long `status` waits by default: the service itself waits a second for its engine. */
  statusTimeoutMs: 3_000,
  /** How long `flush` and `close` wait for queued events by default. */
  flushTimeoutMs: 5_000,
} as const;
