import type { DropReason } from './drop.ts';

/** What the client has done since it was made, and what it holds now. For a bank's own metrics. */
export interface Stats {
  /** Events held: waiting, between attempts, or in one. */
  readonly queued: number;
  readonly queuedBytes: number;
  /** Requests under way. */
  readonly inFlight: number;
  /** Events that the service has stored. */
  readonly delivered: number;
  /** Attempts that failed and were, or will be, followed by another. */
  readonly retried: number;
  /** Events left out, by reason. */
  readonly dropped: Readonly<Record<DropReason['kind'], number>>;
  /** One probe at a time is sent, because the service fails or asked for a pause. */
  readonly isBraked: boolean;
  /** Why the last failed attempt failed. */
  readonly lastFailure: string | undefined;
}
