import type { DropReason } from './drop.ts';

/** Counters since the client was created, and its present state. For a bank's own metrics. */
export interface Stats {
  /** Events in the client: waiting, between attempts, or in an attempt. */
  readonly queued: number;
  readonly queuedBytes: number;
  /** Requests under way. */
  readonly inFlight: number;
  /** Events stored by the service. */
  readonly delivered: number;
  /** Failed attempts that were or will be retried. */
  readonly retried: number;
  /** Dropped events, by reason. */
  readonly dropped: Readonly<Record<DropReason['kind'], number>>;
  /** Only one probe at a time is sent, because the service fails or requested a pause. */
  readonly isBraked: boolean;
  /**
   * How long the oldest undecided event had waited for its decision, as the service last said; `undefined` before its
   * first answer.
   */
  readonly lagSeconds: number | undefined;
  /** The error of the last failed attempt. */
  readonly lastFailure: string | undefined;
}
