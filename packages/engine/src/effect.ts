import type { EpochMs, EventKind } from '@ringfence/contract';
import type { SubjectId } from './record.ts';

/** Why an operation found no session. */
export type SessionMismatch = 'noLogin' | 'otherClient' | 'otherChannel' | 'closed' | 'expired';

export interface FiredRule {
  readonly reason: number;
  readonly name: string;
  readonly mode: 'live' | 'shadow';
  /**
   * It fired, and its actions were left out: it had fired within its cooldown, or a person has suppressed it for the
   * client or the payee.
   */
  readonly suppressed: 'cooldown' | 'suppression' | undefined;
  /** What it added to the event's score; left out where it has none. */
  readonly score?: number;
  /** What its condition read, printed; missing values are left out. */
  readonly facts: Readonly<Record<string, string>>;
}

/** What was concluded for one event. Exactly one per event, sooner or later. */
export interface Decision {
  readonly kind: 'decision';
  readonly offset: number;
  readonly event: EventKind;
  readonly subject: SubjectId | undefined;
  /** The logTime at which it was decided (a waiting operation: when its login came or its grace ended). */
  readonly atMs: EpochMs;
  /** The event's own time as features saw it. */
  readonly eventAtMs: EpochMs;
  readonly policyVersion: number;
  /** `repeat`: a retry, kept and not applied; `repeatOf` is the one that was applied. `unreadable`: its client was erased. */
  readonly outcome: 'decided' | 'repeat' | 'unreadable';
  readonly repeatOf: number | undefined;
  readonly session: { readonly matched: boolean; readonly mismatch: SessionMismatch | undefined } | undefined;
  readonly fired: readonly FiredRule[];
  /** Reasons of the rules whose condition met a missing fact. */
  readonly missing: readonly number[];
  /** The scores, added up, of the rules that fired live. */
  readonly score: number;
}

/** The event waits for its login; its decision follows at or before `untilMs`. */
export interface Waiting {
  readonly kind: 'waiting';
  readonly offset: number;
  readonly untilMs: EpochMs;
}

/** What the client is asked to do. Its identity is (workspace, epoch, offset, reason, position). */
export interface Action {
  readonly kind: 'action';
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  /** `held`: beyond the rule's maxActions, waits for a person. `notAddressable`: the event named no client. */
  readonly state: 'due' | 'held' | 'observed' | 'notAddressable';
  readonly channelId: number;
  /** "" for the unnamed session. */
  readonly session: string;
  readonly client: string | undefined;
  readonly subject: SubjectId | undefined;
  readonly message: string;
  readonly format: 'text' | 'html';
  readonly atMs: EpochMs;
}

export type Effect = Decision | Waiting | Action;
