import type { DecimalText, EpochMs, EventKind } from '@ringfence/contract';
import type { EngineSettings, FiredRule, Label, ListChange, SubjectId } from '@ringfence/engine';

/** The start of a source. */
export interface WorkerStart {
  readonly offset: number;
  readonly logTimeMs: EpochMs;
  readonly settings: EngineSettings | undefined;
  /** Contents of live lists; omitted for none. */
  readonly lists?: readonly ListChange[] | undefined;
  /** Whether features know a label as soon as its event is decided. */
  readonly labelsAtOnce: boolean;
}

/** An event on which a rule fired, live, in shadow or within its cooldown; or one labelled fraud. */
export interface FiredOnEvent {
  readonly offset: number;
  /** Time of arrival. */
  readonly atMs: EpochMs;
  readonly event: EventKind;
  readonly subject: SubjectId | undefined;
  readonly client: string | undefined;
  readonly label: Label | undefined;
  readonly amount: DecimalText | undefined;
  readonly currency: string | undefined;
  readonly rules: readonly FiredRule[];
  readonly actions: readonly { readonly reason: number; readonly action: number; readonly isCapped: boolean }[];
}

/** Counts of one batch, without events outside the requested period. */
export interface WorkerTotals {
  /** Decided events, and how many of them have each label. */
  readonly decided: number;
  readonly fraud: number;
  readonly legitimate: number;
  /** Retries, which are stored but not applied. */
  readonly repeats: number;
  /** Events of erased clients, in any period. */
  readonly unreadable: number;
}

/** The result of one batch of records. */
export interface WorkerReport {
  /** In the order of the decisions. */
  readonly fired: readonly FiredOnEvent[];
  readonly totals: WorkerTotals;
  /** Every decision's canonical bytes, each after its length; empty unless requested. */
  readonly chain: Uint8Array;
  /** Every counted event with its score, packed by `packScored`; empty unless requested. */
  readonly scores: Uint8Array;
  /** What the model that is trained reads of every counted event, packed by `packTrainingEvent`; empty unless requested. */
  readonly training: Uint8Array;
  /** Operations that wait for their login at its end, by offset. */
  readonly waiting: readonly number[];
  /** Log time of its last record. */
  readonly atMs: EpochMs;
}
