import type { ActionState } from './action-state.ts';
import type { LeasedAction, NewAction } from './action.ts';
import type { Breaker, Health } from './breaker.ts';
import type { FailureReason } from './failure-reason.ts';

/** How long a lease lasts. An attempt ends within 15 s; the rest is room for opening, recording, and clocks that differ. */
export const leaseMs = 30_000;
/** Actions of one completing, expiring or claiming call, so that no call holds its locks for long. */
export const batchMax = 1_000;

/** How many actions may be leased of one workspace. Urgent ones (1 and 2) and the others have places of their own. */
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
  /** Sealed transcript: address, headers, body. At most 20 KiB. */
  readonly detail: Uint8Array;
}

/** What becomes of a leased action. Without `attempt` nothing was sent. */
export interface Completion {
  readonly id: string;
  readonly token: number;
  readonly attempt: Attempt | undefined;
  /** `undefined` when the attempt says nothing about the endpoint. */
  readonly health: Health | undefined;
  readonly next:
    | { readonly state: 'executed' | 'notExecuted' | 'dead' | 'erased' }
    | { readonly state: 'due'; readonly dueAtMs: number };
}

export type OutcomeResult = 'executed' | 'notExecuted' | 'failed' | 'expired';

/** How long outcomes that one caller has claimed are not given to another: well beyond any append that succeeds. */
export const outcomeClaimMs = 10_000;

/** What the engine has to be told about an action, as a record of the log. */
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

export interface BreakerChange {
  readonly workspaceId: string;
  readonly before: Breaker;
  readonly after: Breaker;
}

export interface Completed {
  /** Those that were recorded. The others are a zombie's, or repeated: nothing was changed for them. */
  readonly accepted: readonly Completion[];
  /** To be appended to the log; claimed for the caller, as by `claimOutcomes`. */
  readonly outcomes: readonly PendingOutcome[];
  readonly breakers: readonly BreakerChange[];
}

/** Where a workspace's actions go: another target means that what was known of the old one no longer counts. */
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
 * The durable queue of actions on their way to clients, as a dispatcher uses it. States and moves: `action-state.ts`.
 *
 * Several processes may share one outbox. Every implementation passes `outboxConformance`; a promise that is not
 * tested there is not made. `nowMs` is the caller's clock; clocks of processes that share an outbox may differ by up
 * to 10 s without an action being sent twice.
 */
export interface Outbox {
  /**
   * Stores actions, all or none. Idempotent on the id. An action whose session has an earlier one without a first
   * attempt begins as `waiting`, unless it is urgent or has no session.
   *
   * @throws InvariantError when an id is known with another content
   */
  insert(actions: readonly NewAction[]): Promise<void>;

  /**
   * Leases actions that are due for `leaseMs`, of each workspace at most as many as it has places: the longest due.
   * The answer has the urgent ones first, then keeps the order of insertion. Nothing of a workspace that is paused or whose
   * breaker is not closed. Costs the same however many finished or queued actions there are.
   */
  lease(places: readonly LeasePlaces[], nowMs: number): Promise<readonly LeasedAction[]>;

  /**
   * Leases one action, an urgent one if there is any, of each of these workspaces whose breaker is open and whose last
   * probe, of any process, is `probeEveryMs` ago.
   */
  leaseProbes(workspaceIds: readonly string[], nowMs: number): Promise<readonly LeasedAction[]>;

  /**
   * Ends leases: attempt and new state in one transaction, then the next of each session gets its turn. At most
   * `batchMax`.
   *
   * A lease that was lost ends nothing, unless the client executed the action: that is recorded wherever the action is
   * now, expired or with another process, once. It says nothing of the endpoint as that is now: its `health` is not counted.
   */
  complete(completions: readonly Completion[], nowMs: number): Promise<Completed>;

  /** Ends leases of which nothing was sent: they are due at `dueAtMs`. Those lost meanwhile stay as they are. */
  giveBack(leases: readonly Pick<LeasedAction, 'id' | 'token'>[], dueAtMs: number): Promise<void>;

  /**
   * What has to happen from time to time, at least every second, from any process: expires what is too late, and gives
   * turns that a crash or a race left out.
   */
  tidy(nowMs: number): Promise<TidyResult>;

  /** Outcomes that are not in the log yet and that nobody has claimed within 10 s. At most `batchMax`. */
  claimOutcomes(nowMs: number): Promise<readonly PendingOutcome[]>;

  /** These are in the log now. */
  outcomesAppended(outcomes: readonly PendingOutcome[]): Promise<void>;

  /**
   * Removes actions that were finished before an instant, with their attempts, the longest finished first: at most
   * `limit` (1 to `batchMax`). Those that were never to be sent count from their decision. What is still to be sent,
   * held, or whose outcome is not in the log yet stays, however old it is. Returns how many.
   */
  removeFinished(of: {
    readonly workspaceId: string;
    readonly beforeMs: number;
    readonly limit: number;
  }): Promise<number>;

  /** Says where workspaces' actions go; a breaker that watched another target is closed. */
  setTargets(targets: readonly EndpointTarget[]): Promise<void>;

  /** Calls back, soon after a commit of any process, with the workspace that has something due. May call too often. */
  onDue(listener: (workspaceId: string) => void): () => void;

  /** Queued actions by state: `waiting`, `due`, `leased`, `held`. Costs as much as is queued. */
  queued(): Promise<ReadonlyMap<ActionState, number>>;
}
