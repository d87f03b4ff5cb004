import type { ActionState, Redeliverable } from './action-state.ts';
import type { StoredAction } from './action.ts';
import type { Breaker } from './breaker.ts';
import type { Attempt } from './outbox.ts';

/** Most actions in one list: a page of 200, plus one that shows there is a next page. */
export const listedMax = 201;
/** Most actions that one call redelivers, releases or drops; callers repeat the call until it returns 0. */
export const changeMax = 10_000;

/** Filters the actions of one workspace; omitted members do not filter. */
export interface ActionFilter {
  readonly workspaceId: string;
  readonly states?: readonly ActionState[];
  readonly subject?: string;
  readonly sessionIndex?: Uint8Array;
  /** The offset of the decided event. */
  readonly offset?: number;
  readonly reason?: number;
  /** Decided at or after `fromMs`, and before `toMs`. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Finished at or after `finishedFromMs`, and before `finishedToMs`. */
  readonly finishedFromMs?: number;
  readonly finishedToMs?: number;
}

/** The actions that a person selected: by id, or everything that matches a filter. */
export type Selection =
  | { readonly workspaceId: string; readonly ids: readonly string[] }
  | { readonly filter: ActionFilter };

/** All deliveries, or those of one workspace. */
export type PauseScope = { readonly kind: 'all' } | { readonly kind: 'workspace'; readonly workspaceId: string };

export interface Pause {
  readonly scope: PauseScope;
  readonly sinceMs: number;
}

/** Whether this pause stops the deliveries of the workspace. */
export function isPauseOf({ scope }: Pause, workspaceId: string): boolean {
  return scope.kind === 'all' || scope.workspaceId === workspaceId;
}

/** The scope as its stored text: `*` for all. */
export function scopeText(scope: PauseScope): string {
  return scope.kind === 'all' ? '*' : scope.workspaceId;
}

export interface NumberedAttempt extends Attempt {
  /** Starts at 1. */
  readonly number: number;
}

/**
 * The outbox as people use it: list, pause, redeliver. Implemented together with `Outbox`, with one conformance suite.
 */
export interface Deliveries {
  find(workspaceId: string, id: string): Promise<StoredAction | undefined>;

  /** Newest first; `before` is the `sequence` of the last action of the previous page. At most `listedMax`. */
  list(filter: ActionFilter, limit: number, before?: number): Promise<readonly StoredAction[]>;

  /** Oldest first. */
  attempts(workspaceId: string, id: string): Promise<readonly NumberedAttempt[]>;

  /**
   * Redelivers: actions in the given states become due, with a new schedule and their original lifetime, and keep their
   * ids. For an action that is already due only the due time is brought forward. Erased, held and leased ones do not
   * change, and executed ones only if `states` contains `executed`; while they wait for it, they are no longer executed,
   * and may end in another state.
   *
   * @param states `redeliveredByDefault` when omitted
   * @returns how many were changed
   */
  redeliver(selection: Selection, nowMs: number, states?: readonly Redeliverable[]): Promise<number>;

  /** Releases held actions with their original lifetime. */
  release(selection: Selection, nowMs: number): Promise<number>;

  /** Ends held actions without sending them. */
  drop(selection: Selection, nowMs: number): Promise<number>;

  /** From now on no process begins an attempt. Attempts under way are not cancelled. */
  pause(scope: PauseScope, nowMs: number): Promise<void>;

  resume(scope: PauseScope): Promise<void>;

  /** Oldest first; of pauses that began together, the one for all first, then by workspace. */
  pauses(): Promise<readonly Pause[]>;

  /** The breaker of a workspace's endpoint; a closed one when nothing is recorded. */
  endpoint(workspaceId: string): Promise<Breaker>;

  /** Closes the breaker, even of a disabled endpoint: everything queued becomes due. */
  enableEndpoint(workspaceId: string): Promise<void>;
}
