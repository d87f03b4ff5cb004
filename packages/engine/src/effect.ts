import type { EpochMs, EventKind } from '@ringfence/contract';
import type { HoldEnd, SummaryPart } from '@ringfence/policy';
import type { KeptBecause, Resolution } from './holds/hold.ts';
import type { ActionRef, SubjectId } from './record.ts';

/** Why an operation found no session. */
export type SessionMismatch = 'noLogin' | 'otherClient' | 'otherChannel' | 'closed' | 'expired';

export interface FiredRule {
  readonly reason: number;
  readonly name: string;
  readonly mode: 'live' | 'shadow';
  /**
   * Why it fired without its actions: the rule was within its cooldown, or a person had suppressed it for the client
   * or the payee. `hold`: it is a repeat of a payment that is held already, and joins it. `control`: the event is in the
   * control group of a model, without whose result the rule would not have fired.
   */
  readonly suppressed: 'cooldown' | 'suppression' | 'hold' | 'control' | undefined;
  /** The actions that a suppressed live rule did not request, in order. */
  readonly withheld?: readonly number[];
  /** What it added to the event's score; omitted if the rule has no score. */
  readonly score?: number;
  /** The facts that its condition read, printed; missing values are omitted. */
  readonly facts: Readonly<Record<string, string>>;
  /** What happened, for analysts, in each language of the rule; only if the rule acted live and has a summary. */
  readonly summary?: readonly RuleSummary[];
}

/** The summary of a rule in one language, with the values of its event. */
export interface RuleSummary {
  /** A language tag of BCP 47. */
  readonly language: string;
  readonly parts: readonly SummaryPart[];
}

/** The conclusion for one event. Each event gets exactly one, possibly after waiting. */
export interface Decision {
  readonly kind: 'decision';
  readonly offset: number;
  readonly event: EventKind;
  readonly subject: SubjectId | undefined;
  /** The log time at which it was decided (for a waiting operation, when its login arrived or its grace ended). */
  readonly atMs: EpochMs;
  /** The event's own time, as used by features. */
  readonly eventAtMs: EpochMs;
  readonly policyVersion: number;
  /**
   * `repeat`: a retry, stored but not applied; `repeatOf` is the event that was applied. `unreadable`: its client was
   * erased.
   */
  readonly outcome: 'decided' | 'repeat' | 'unreadable';
  readonly repeatOf: number | undefined;
  readonly session: { readonly matched: boolean; readonly mismatch: SessionMismatch | undefined } | undefined;
  readonly fired: readonly FiredRule[];
  /** Reasons of the rules whose condition met a missing fact. */
  readonly missing: readonly number[];
  /** The sum of the scores of the rules that fired live. */
  readonly score: number;
  /** `ip.country`, by which people find it. Not part of the chain of decisions. */
  readonly country: string | undefined;
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
  /** `held`: capped by the rule's maxActions, waits for a person. `notAddressable`: the event named no client. */
  readonly state: 'due' | 'held' | 'observed' | 'notAddressable';
  readonly channelId: number;
  /** "" for the unnamed session. */
  readonly session: string;
  readonly client: string | undefined;
  readonly subject: SubjectId | undefined;
  /** `transaction.reference` of an operation. */
  readonly reference: string | undefined;
  readonly message: string;
  readonly format: 'text' | 'html';
  readonly atMs: EpochMs;
}

/** The bank was asked to hold a payment. Its action has the same identity. */
export interface HoldOpened {
  readonly kind: 'holdOpened';
  readonly hold: ActionRef;
  readonly subject: SubjectId;
  readonly channelId: number;
  /** Units of 10^-12. */
  readonly amount: bigint | undefined;
  readonly currency: string | undefined;
  readonly payee: string | undefined;
  readonly otherwise: HoldEnd;
  readonly atMs: EpochMs;
  readonly dueMs: EpochMs;
}

/** A repeat of a held payment joined its hold. */
export interface HoldJoined {
  readonly kind: 'holdJoined';
  readonly hold: ActionRef;
  readonly member: ActionRef;
  readonly otherwise: HoldEnd;
  readonly atMs: EpochMs;
  readonly dueMs: EpochMs;
}

/** The time of a hold is over, and the payment stays held. */
export interface HoldKept {
  readonly kind: 'holdKept';
  readonly hold: ActionRef;
  readonly because: KeptBecause;
  readonly atMs: EpochMs;
  /** When it ends unresolved. */
  readonly dueMs: EpochMs;
}

/** The bank said what it did with one of several operations of a hold; the others are still held. */
export interface HoldLeft {
  readonly kind: 'holdLeft';
  readonly hold: ActionRef;
  readonly member: ActionRef;
  readonly resolution: Resolution['resolution'];
  readonly atMs: EpochMs;
}

/** A hold ended. */
export interface HoldResolved extends Resolution {
  readonly kind: 'holdResolved';
  readonly hold: ActionRef;
  /** One action for each operation that is still held, unless the bank needs none. */
  readonly actions: readonly Action[];
}

export type HoldEffect = HoldOpened | HoldJoined | HoldKept | HoldLeft | HoldResolved;

export type Effect = Decision | Waiting | Action | HoldEffect;
