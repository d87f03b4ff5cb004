import type { ActionState } from './action-state.ts';
import type { LeasedAction, NewAction } from './action.ts';
import type { Breaker, Health } from './breaker.ts';
import type { FailureReason } from './failure-reason.ts';

/** The length of a lease. An attempt ends within 15 s; the rest allows for connecting, recording, and clock skew. */
export const leaseMs = 30_000;
/** Most actions per call of `complete`, `tidy` or `claimOutcomes`, so that no call keeps its locks for long. */
export const batchMax = 1_000;

/** How many actions of a workspace may be leased. Urgent ones (1 and 2) and the others have separate places. */
export interface LeasePlaces {
  readonly workspaceId: string;
  readonly urgent: number;
  readonly ordinary: number;
}

/** One attempt, as stored. */
export interface Attempt {
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly result: 'executed' | 'notExecuted' | 'failed';
  readonly reason: FailureReason | undefined;
  readonly status: number | undefined;
  /** Encrypted transcript: address, headers, body. At most 20 KiB. */
  readonly detail: Uint8Array;
}

/** The end of a leased action. Without `attempt` nothing was sent. */
export interface Completion {
  readonly id: string;
  readonly token: number;
  readonly attempt: Attempt | undefined;
  /** `undefined` when the attempt shows nothing about the endpoint. */
  readonly health: Health | undefined;
  readonly next:
    | { readonly state: 'executed' | 'notExecuted' | 'dead' | 'erased' | 'dropped' }
    | { readonly state: 'due'; readonly dueAtMs: number };
}

export type OutcomeResult = 'executed' | 'notExecuted' | 'failed' | 'expired';

/** How long claimed outcomes are reserved for their caller: far longer than any successful append. */
export const outcomeClaimMs = 10_000;

/** An action's outcome, to be appended to the log as a record for the engine. */
export interface PendingOutcome {
  readonly id: string;
  readonly workspaceId: string;
  readonly subject: string | undefined;
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  readonly result: OutcomeResult;
}

/**
 * `send`: the bank may hold the payment. `wait`: it is still being asked to, and must not hear the end before the
 * beginning. `unneeded`: it does not hold the payment, because it was never asked or answered code 0.
 */
export type EndingReadiness = 'send' | 'wait' | 'unneeded';

export interface BreakerChange {
  readonly workspaceId: string;
  readonly before: Breaker;
  readonly after: Breaker;
}

export interface Completed {
  /** The recorded ones. The others come from a zombie or are repeats, and changed nothing. */
  readonly accepted: readonly Completion[];
  /** To be appended to the log; claimed for the caller, as by `claimOutcomes`. */
  readonly outcomes: readonly PendingOutcome[];
  readonly breakers: readonly BreakerChange[];
}

/** Where a workspace's actions are sent. A new target resets what is known about the endpoint. */
export interface EndpointTarget {
  readonly workspaceId: string;
  /** A digest of the URL. */
  readonly target: string;
}

export interface TidyResult {
  readonly expired: number;
  readonly outcomes: readonly PendingOutcome[];
}

/**
 * The durable queue of actions on their way to clients, as the dispatcher uses it. States and moves: `action-state.ts`.
 *
 * Several processes may share one outbox. Every implementation passes `outboxConformance`, which tests all guarantees.
 * `nowMs` is the caller's clock; the clocks of processes that share an outbox may differ by up to 10 s without an
 * action being sent twice.
 */
export interface Outbox {
  /**
   * Stores actions, all or none. Idempotent on the id. An action whose session has an earlier one without a first
   * attempt starts as `waiting`, unless it is urgent or has no session.
   *
   * @throws InvariantError when an id exists with different content
   */
  insert(actions: readonly NewAction[]): Promise<void>;

  /**
   * Leases actions that are due for `leaseMs`, the longest due, at most as many of each workspace as it has places. The
   * result has urgent ones first, then the order of insertion. Leases nothing of a workspace that is paused or whose
   * breaker is not closed. The cost does not depend on how many actions are finished or queued.
   */
  lease(places: readonly LeasePlaces[], nowMs: number): Promise<readonly LeasedAction[]>;

  /**
   * Leases one action, preferably an urgent one, of each of these workspaces whose breaker is open and whose last probe
   * by any process was `probeEveryMs` ago.
   */
  leaseProbes(workspaceIds: readonly string[], nowMs: number): Promise<readonly LeasedAction[]>;

  /**
   * Ends leases: stores attempt and new state in one transaction, then makes the next action of each session due. At
   * most `batchMax`.
   *
   * A completion under a lost lease is ignored, unless the client executed the action: that is recorded once, whatever
   * the state of the action is now (expired, or leased by another process). Its `health` is not counted, because it
   * does not describe the endpoint's present state.
   */
  complete(completions: readonly Completion[], nowMs: number): Promise<Completed>;

  /**
   * Ends leases without an attempt: the actions are due at `dueAtMs`. Leases that were lost meanwhile do not change.
   */
  giveBack(leases: readonly Pick<LeasedAction, 'id' | 'token'>[], dueAtMs: number): Promise<void>;

  /**
   * Whether the action that ends a hold can be sent, by the state of the action that asked for the hold. The answer
   * `unneeded` also drops an action that would have asked for it later.
   */
  readiness(holdId: string, nowMs: number): Promise<EndingReadiness>;

  /** Notes that an answer to the bank contained these actions: the bank may have held their payments. */
  noteAnswered(ids: readonly string[]): Promise<void>;

  /**
   * Periodic work, needed at least every second from any process: expires what is too late, and makes due the waiting
   * actions that a crash or a race left behind.
   */
  tidy(nowMs: number): Promise<TidyResult>;

  /** Outcomes that are not in the log yet and that no caller has claimed within 10 s. At most `batchMax`. */
  claimOutcomes(nowMs: number): Promise<readonly PendingOutcome[]>;

  /** Confirms that these outcomes are in the log. */
  outcomesAppended(outcomes: readonly PendingOutcome[]): Promise<void>;

  /**
   * Removes actions that finished before an instant, with their attempts, oldest first, at most `limit` (1 to
   * `batchMax`). The age of those that were never to be sent counts from their decision. Actions that are still to be
   * sent, held, or whose outcome is not in the log yet are kept regardless of age. Returns the number removed.
   */
  removeFinished(of: {
    readonly workspaceId: string;
    readonly beforeMs: number;
    readonly limit: number;
  }): Promise<number>;

  /** Sets the endpoints of workspaces; the breaker of a changed target is closed. */
  setTargets(targets: readonly EndpointTarget[]): Promise<void>;

  /** Calls the listener with a workspace soon after any process committed a due action of it. May call too often. */
  onDue(listener: (workspaceId: string) => void): () => void;

  /** Number of queued actions by state: `waiting`, `due`, `leased`, `held`. The cost grows with the queue. */
  queued(): Promise<ReadonlyMap<ActionState, number>>;
}
