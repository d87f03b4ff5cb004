import type { ChargebackStage, Enrichment, EpochMs, Event, EventKind, OutcomeName } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';

/** A client's random id. The engine keeps everything about a client under it, never under the client's name. */
export type SubjectId = string;

/** What an event turned out to be. Most events have no label. */
export type Label = 'fraud' | 'legitimate';

interface Base {
  readonly offset: number;
  readonly logTimeMs: EpochMs;
  /** Of the log; another one begins with a restore. */
  readonly epoch?: number;
}

/** Settings of a workspace that affect decisions. */
export interface EngineSettings {
  /** How long an operation waits for its login, 0 to 60,000. */
  readonly sessionGraceMs: number;
  /** How long a block lasts. */
  readonly blockMs: number;
  /** IANA name of the time zone that rules use. */
  readonly timezone: string;
  /** `observe`: actions are decided and stored, but never sent. */
  readonly deliver: 'live' | 'observe';
  /** Session expiry of channels without their own settings. */
  readonly sessionDefaults: ChannelSettings;
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  /** How long a rejected payment is held again; a day by default. */
  readonly heldAgainMs?: number;
}

export interface ChannelSettings {
  readonly idleMs: number;
  readonly absoluteMs: number;
  /** `optional`: operations of this channel are not expected to have a session. */
  readonly sessions: 'required' | 'optional';
  /** Its logins carry no device tokens, so they have no device facts. */
  readonly device?: 'none';
}

/** The result of an action on the client's side, or that there will be none. */
export interface Outcome {
  /** The event that was decided. */
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  readonly result: 'executed' | 'notExecuted' | 'failed' | 'expired';
}

/** Items that are added to one live list or get another expiry, and items that are removed. */
export interface ListChange {
  readonly list: string;
  /**
   * By their texts; without `untilMs` an item never expires. `subject` is the client that it names, and is erased
   * with.
   */
  readonly put: readonly { readonly item: string; readonly untilMs?: number; readonly subject?: SubjectId }[];
  readonly remove: readonly string[];
}

/** What a suppression applies to: one client, by its random id, or one payee. */
export type SuppressionOf =
  | { readonly kind: 'client'; readonly subject: SubjectId }
  | { readonly kind: 'payee'; readonly payee: string };

/** Until that log time the rule requests no action for this client or payee; `undefined` ends the suppression. */
export interface Suppression {
  readonly reason: number;
  readonly of: SuppressionOf;
  readonly untilMs: number | undefined;
}

/** What a person decided about capped actions. */
export interface HeldChange {
  readonly change: 'release' | 'drop';
  readonly actions: readonly ActionRef[];
}

/** Identifies an action within its workspace and epoch. */
export interface ActionRef {
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
}

export function sameAction(a: ActionRef, b: ActionRef): boolean {
  return a.offset === b.offset && a.reason === b.reason && a.position === b.position;
}

/** What happened to an event on the bank's side, possibly long after the answer to its webhook. */
export interface OutcomeReport {
  readonly outcome: OutcomeName;
  /** The action that it names by its webhook id: required for the result of a step-up. */
  readonly action?: ActionRef;
  /** How a step-up was done, such as `passkey`. */
  readonly method?: string;
  /** The type of fraud. */
  readonly type?: string;
  /** The code of a chargeback. */
  readonly code?: string;
  readonly stage?: ChargebackStage;
  /** Decimal texts. */
  readonly loss?: string;
  readonly recovered?: string;
  readonly currency?: string;
  /** What it makes the event, by the workspace's settings; `none` takes back what an earlier report made it. */
  readonly label?: Label | 'none';
}

/** Who reported an outcome, and when it happened; decides nothing. */
export interface ToldReport {
  readonly offset: number;
  readonly epoch: number;
  readonly subject: SubjectId | undefined;
  /** Such as `license key lk_…` or `token backoffice`. */
  readonly author: string;
  readonly atMs: number | undefined;
  /** Sealed under the client's key. */
  readonly note: Uint8Array | undefined;
}

/** A step of the decision about a hold, by a person. `hold` is the action that asked the bank to hold the payment. */
export interface HoldChange {
  readonly hold: ActionRef;
  /**
   * `propose`: a person decided, and the decision can still be withdrawn or needs a second person; until then nothing
   * is released automatically.
   */
  readonly change: 'propose' | 'withdraw' | 'release' | 'reject';
  readonly author: string;
}

/** Who labelled which event, and their note, sealed. */
export interface ToldLabel {
  readonly offset: number;
  readonly epoch: number;
  readonly subject: SubjectId | undefined;
  readonly author: string;
  readonly note: Uint8Array | undefined;
}

/** The history of new features: imported segments, then the log from a record on. */
export interface HistoryStart {
  /** First record of the log that counts. */
  readonly fromOffset: number;
  /** When the history begins. */
  readonly sinceMs: number;
  /** Numbers of the imported segments, oldest first. */
  readonly segments: readonly number[];
  /** Settings in force at the beginning; records of the log may change them. */
  readonly settings: EngineSettings;
}

/**
 * A state that was stepped through history for a feature backfill: an `EngineState`, but records know only this part.
 */
export interface FoldedHistory {
  /** Of the last record that was stepped. */
  readonly offset: number;
}

/** A record of the log, decrypted and parsed: the input of `step`. */
export type EngineRecord =
  | (Base & {
      readonly kind: 'event';
      readonly event: Event;
      readonly enrichment: Enrichment;
      /** `undefined` for an operation that names no client. */
      readonly subject: SubjectId | undefined;
      /** Digest of the body as it was received; equal for byte-equal bodies. */
      readonly bodyHash: string;
      /** Offset of the first event with the same Idempotency-Key. */
      readonly retryOf: number | undefined;
    })
  /** An event that can no longer be decrypted, because its client was erased. */
  | (Base & { readonly kind: 'unreadable'; readonly event: EventKind; readonly subject: SubjectId | undefined })
  | (Base & {
      readonly kind: 'policy';
      readonly version: number;
      readonly policy: Policy;
      /** The history that its new features begin with; without it they begin empty. */
      readonly history?: HistoryStart;
      /** The state of the new features after that history, up to this record; required if some feature is new. */
      readonly folded?: FoldedHistory;
    })
  | (Base & { readonly kind: 'settings'; readonly settings: EngineSettings })
  | (Base & { readonly kind: 'engine'; readonly version: string })
  | (Base & { readonly kind: 'tick' })
  | (Base & { readonly kind: 'unblock'; readonly subject: SubjectId })
  | (Base & { readonly kind: 'list'; readonly change: ListChange })
  | (Base & { readonly kind: 'suppress'; readonly suppression: Suppression })
  | (Base & { readonly kind: 'held'; readonly subject: SubjectId | undefined; readonly held: HeldChange })
  | (Base & { readonly kind: 'erase'; readonly subject: SubjectId })
  /** The label of an event; `event` is undefined if it can no longer be decrypted, because its client was erased. */
  | (Base & {
      readonly kind: 'label';
      readonly label: Label;
      readonly event: EventRecord | undefined;
      /** What the host stores about the label; decides nothing. */
      readonly told?: ToldLabel;
    })
  /** `event` is undefined if it can no longer be decrypted, because its client was erased. */
  | (Base & {
      readonly kind: 'report';
      readonly report: OutcomeReport;
      readonly event: EventRecord | undefined;
      readonly told?: ToldReport;
    })
  | (Base & { readonly kind: 'hold'; readonly subject: SubjectId | undefined; readonly hold: HoldChange })
  | (Base & { readonly kind: 'outcome'; readonly subject: SubjectId | undefined; readonly outcome: Outcome });

export type EventRecord = Extract<EngineRecord, { kind: 'event' }>;
export type ReportRecord = Extract<EngineRecord, { kind: 'report' }>;
export type LabelRecord = Extract<EngineRecord, { kind: 'label' }>;
