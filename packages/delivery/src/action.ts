import type { ActionState, FirstState } from './action-state.ts';

/** The part of an action that never changes after its decision. Instants are epoch milliseconds. */
export interface ActionCore {
  /** The `actionId` of its identity, also its `webhook-id`. */
  readonly id: string;
  readonly workspaceId: string;
  readonly epoch: number;
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  readonly subject: string | undefined;
  readonly channelId: number;
  /** Encrypted `ActionPayload`. */
  readonly payload: Uint8Array;
  readonly format: 'text' | 'html';
  readonly decidedAtMs: number;
  /** For the action that ends a hold: the id of the action that asked the bank to hold the payment. */
  readonly resolves?: string | undefined;
}

/** An action as the engine host inserts it. */
export interface NewAction extends ActionCore {
  /** Keyed hash of the session id. First attempts of one session, client and channel are made in order. */
  readonly sessionIndex: Uint8Array | undefined;
  /** `hashActionContent` of the encrypted content: distinguishes a repeat from other content under the same id. */
  readonly contentHash: Uint8Array;
  readonly state: FirstState;
  /**
   * The earliest time to send, by the clock of the partition owner; the decision's own time may be up to a second
   * later.
   */
  readonly dueAtMs: number;
  readonly expiresAtMs: number;
}

/** An action that one process may send until its lease ends. */
export interface LeasedAction extends ActionCore {
  readonly expiresAtMs: number;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Attempts since the decision or the last redelivery: the position in the retry schedule. */
  readonly round: number;
  /** Attempts of this round answered with code 0, which have their own schedule. */
  readonly roundNotExecuted: number;
  /**
   * Fencing token: grows with every lease. A completion with an older one is ignored, unless the action was executed.
   */
  readonly token: number;
  /** Sent to test whether an endpoint with an open breaker has recovered. */
  readonly probe: boolean;
}

/** An action as people see it. */
export interface StoredAction extends ActionCore {
  /** Order of insertion, ascending. */
  readonly sequence: number;
  readonly state: ActionState;
  readonly attempts: number;
  readonly expiresAtMs: number;
  /** When it will be sent next; set only while it is due. */
  readonly dueAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
}
