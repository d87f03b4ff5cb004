import type { ActionState, Redeliverable } from './action-state.ts';
import type { StoredAction } from './action.ts';
import type { Breaker } from './breaker.ts';
import type { Attempt } from './outbox.ts';

/** Actions of one list: a page of 200, and one more that says that there is a next page. */
export const listedMax = 201;
/** Actions that one call sends again, releases or drops; callers repeat it until it answers 0. */
export const changeMax = 10_000;

/** Narrows actions of one workspace; what is left out does not narrow. */
export interface ActionFilter {
  readonly workspaceId: string;
  readonly states?: readonly ActionState[];
  readonly subject?: string;
  readonly sessionIndex?: Uint8Array;
  /** The event that was decided. */
  readonly offset?: number;
  readonly reason?: number;
  /** Decided at or after, and before. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Which actions a person means: named ones, or all that a filter finds. */
export type Selection =
  | { readonly workspaceId: string; readonly ids: readonly string[] }
  | { readonly filter: ActionFilter };

/** Everything outgoing, or that of one workspace. */
export type PauseScope = { readonly kind: 'all' } | { readonly kind: 'workspace'; readonly workspaceId: string };

export interface Pause {
  readonly scope: PauseScope;
  readonly sinceMs: number;
}

/** Whether it stops what goes out of this workspace. */
export function isPauseOf({ scope }: Pause, workspaceId: string): boolean {
  return scope.kind === 'all' || scope.workspaceId === workspaceId;
}

/** A scope as one text, by which it is kept: `*` for all. */
export function scopeText(scope: PauseScope): string {
  return scope.kind === 'all' ? '*' : scope.workspaceId;
}

export interface NumberedAttempt extends Attempt {
  /** 1 for the first. */
  readonly number: number;
}

/** The outbox as people use it: look, stop, send again. Implemented beside `Outbox`; same conformance suite. */
export interface Deliveries {
  find(workspaceId: string, id: string): Promise<StoredAction | undefined>;

  /** Newest first; `before` is the `sequence` of the last one of the page before. At most `listedMax`. */
  list(filter: ActionFilter, limit: number, before?: number): Promise<readonly StoredAction[]>;

  /** Oldest first. */
  attempts(workspaceId: string, id: string): Promise<readonly NumberedAttempt[]>;

  /**
   * Sends again: actions in the given states become due, with a fresh schedule and the lifetime they had at first, and
   * keep their ids. A due one is only sent at once. Executed, erased, held and leased ones are left alone.
   *
   * @param states `redeliveredByDefault` when left out
   * @returns how many were changed
   */
  redeliver(selection: Selection, nowMs: number, states?: readonly Redeliverable[]): Promise<number>;

  /** Lets held actions go, with the lifetime they had at first. */
  release(selection: Selection, nowMs: number): Promise<number>;

  /** Ends held actions unsent. */
  drop(selection: Selection, nowMs: number): Promise<number>;

  /** No attempt begins from now on, in any process. What is being sent is not called back. */
  pause(scope: PauseScope, nowMs: number): Promise<void>;

  resume(scope: PauseScope): Promise<void>;

  /** Those that last the longest first; of some that began together, that of all first, then by their workspaces. */
  pauses(): Promise<readonly Pause[]>;

  /** What is known of a workspace's endpoint; a closed breaker when nothing is. */
  endpoint(workspaceId: string): Promise<Breaker>;

  /** Closes the breaker, also of a disabled endpoint: everything queued is due. */
  enableEndpoint(workspaceId: string): Promise<void>;
}
