import type { ActionState, FirstState } from './action-state.ts';

/** What stays the same about an action from its decision on. Instants are epoch milliseconds. */
export interface ActionCore {
  /** `actionId` of its identity; also its `webhook-id`. */
  readonly id: string;
  readonly workspaceId: string;
  readonly epoch: number;
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  readonly subject: string | undefined;
  readonly channelId: number;
  /** Sealed `ActionPayload`. */
  readonly payload: Uint8Array;
  readonly format: 'text' | 'html';
  readonly decidedAtMs: number;
}

/** An action as the engine's host writes it. */
export interface NewAction extends ActionCore {
  /** Keyed hash of the session's id: first attempts of it, with one client and in one channel, are made in order. */
  readonly sessionIndex: Uint8Array | undefined;
  /** `hashActionContent` of what was sealed: tells a repeat from another content under the same id. */
  readonly contentHash: Uint8Array;
  readonly state: FirstState;
  /** From when on it may be sent, by the clock of who decides; the decision's time may be ahead of that by a second. */
  readonly dueAtMs: number;
  readonly expiresAtMs: number;
}

/** An action that one process may send now, until its lease ends. */
export interface LeasedAction extends ActionCore {
  readonly expiresAtMs: number;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Attempts made since it was decided or a person sent it again: the place in the retry schedule. */
  readonly round: number;
  /** Those of them that were answered with code 0, which have a schedule of their own. */
  readonly roundNotExecuted: number;
  /** Grows with every lease; a completion with an older one changes nothing, unless the action was executed. */
  readonly token: number;
  /** Sent to see whether an endpoint with an open breaker is back. */
  readonly probe: boolean;
}

/** An action as people see it. */
export interface StoredAction extends ActionCore {
  /** Order of insertion; grows. */
  readonly sequence: number;
  readonly state: ActionState;
  readonly attempts: number;
  readonly expiresAtMs: number;
  /** When it will be sent next; only while it is due. */
  readonly dueAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
}
