import type { DoorFacts, EpochMs, Event, EventKind } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';

/** A client's random id. What the engine keeps about a client is kept under it, never under the client's name. */
export type SubjectId = string;

/** What was found out about an event later: it was fraud, or it was not. Most events have none. */
export type Label = 'fraud' | 'legitimate';

interface Base {
  readonly offset: number;
  readonly logTimeMs: EpochMs;
}

/** What a workspace has set that changes decisions. */
export interface EngineSettings {
  /** How long an operation waits for its login, 0 to 60,000. */
  readonly sessionGraceMs: number;
  /** How long a block lasts. */
  readonly blockMs: number;
  /** IANA name of the zone whose clocks rules go by. */
  readonly timezone: string;
  /** `observe`: actions are decided and kept, and never sent. */
  readonly deliver: 'live' | 'observe';
  /** Session expiry of channels that nobody configured. */
  readonly sessionDefaults: ChannelSettings;
  readonly channels: Readonly<Record<string, ChannelSettings>>;
}

export interface ChannelSettings {
  readonly idleMs: number;
  readonly absoluteMs: number;
  /** `optional`: operations of this channel are not expected to have a session. */
  readonly sessions: 'required' | 'optional';
  /** Its logins carry no device tokens: there is no fact of a device. */
  readonly device?: 'none';
}

/** How the client's side answered an action, or that it never will. */
export interface Outcome {
  /** The event that was decided. */
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  readonly result: 'executed' | 'notExecuted' | 'failed' | 'expired';
}

/** Items of one live list that come, or stay for another time, and that go. */
export interface ListChange {
  readonly list: string;
  /** By their texts; left out of `untilMs`: for good. `subject` is the client that the item names, and goes with. */
  readonly put: readonly { readonly item: string; readonly untilMs?: number; readonly subject?: SubjectId }[];
  readonly remove: readonly string[];
}

/** What a suppression is about: one client, by its random id, or one payee. */
export type SuppressionOf =
  | { readonly kind: 'client'; readonly subject: SubjectId }
  | { readonly kind: 'payee'; readonly payee: string };

/** From now on until that log time the rule asks nothing of this client or payee; `undefined` ends it. */
export interface Suppression {
  readonly reason: number;
  readonly of: SuppressionOf;
  readonly untilMs: number | undefined;
}

/** What a person said of actions that were held. */
export interface HeldChange {
  readonly change: 'release' | 'drop';
  readonly actions: readonly { readonly offset: number; readonly reason: number; readonly position: number }[];
}

/** Who labelled which event, and what they noted, sealed. */
export interface ToldLabel {
  readonly offset: number;
  readonly epoch: number;
  readonly subject: SubjectId | undefined;
  readonly author: string;
  readonly note: Uint8Array | undefined;
}

/** The history that new features begin with: what was imported, then the log from a record on. */
export interface HistoryStart {
  /** First record of the log that counts. */
  readonly fromOffset: number;
  /** When the history begins. */
  readonly sinceMs: number;
  /** Imported segments, by number, the oldest first. */
  readonly segments: readonly number[];
  /** Settings under which it is folded until the log says otherwise. */
  readonly settings: EngineSettings;
}

/** A state that was stepped through history for the sake of some features: an `EngineState`, of which a record knows no more. */
export interface FoldedHistory {
  /** Of the last record that was stepped. */
  readonly offset: number;
}

/** A record of the log, opened: what `step` takes. */
export type EngineRecord =
  | (Base & {
      readonly kind: 'event';
      readonly event: Event;
      readonly door: DoorFacts;
      /** `undefined` for an operation that names no client. */
      readonly subject: SubjectId | undefined;
      /** Digest of the body as it was received; equal for byte-equal bodies. */
      readonly bodyHash: string;
      /** Offset of the first event with the same Idempotency-Key. */
      readonly retryOf: number | undefined;
    })
  /** An event that can't be opened any more: its client was erased. */
  | (Base & { readonly kind: 'unreadable'; readonly event: EventKind; readonly subject: SubjectId | undefined })
  | (Base & {
      readonly kind: 'policy';
      readonly version: number;
      readonly policy: Policy;
      /** Where its new features begin, when that is not empty. */
      readonly history?: HistoryStart;
      /** What they keep of that history, up to this record: whoever opens the record folds it, when some feature is new. */
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
  /** What an event turned out to be; `undefined` when it can't be opened any more: its client was erased. */
  | (Base & {
      readonly kind: 'label';
      readonly label: Label;
      readonly event: EventRecord | undefined;
      /** What the host writes down of it; decides nothing. */
      readonly told?: ToldLabel;
    })
  | (Base & { readonly kind: 'outcome'; readonly subject: SubjectId | undefined; readonly outcome: Outcome });

export type EventRecord = Extract<EngineRecord, { kind: 'event' }>;
export type LabelRecord = Extract<EngineRecord, { kind: 'label' }>;
