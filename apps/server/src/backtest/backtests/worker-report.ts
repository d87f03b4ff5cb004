import type { DecimalText, EpochMs, EventKind } from '@ringfence/contract';
import type { EngineSettings, FiredRule, Label, ListChange, SubjectId } from '@ringfence/engine';

/** Where a source begins. */
export interface LaneStart {
  readonly offset: number;
  readonly logTimeMs: EpochMs;
  readonly settings: EngineSettings | undefined;
  /** What live lists hold; left out: nothing. */
  readonly lists?: readonly ListChange[] | undefined;
  /** Whether features know a label as soon as its event is decided. */
  readonly labelsAtOnce: boolean;
}

/** An event on which a rule fired, live, in shadow or within its cooldown; or one that is labelled a fraud. */
export interface FiredOnEvent {
  readonly offset: number;
  /** When it came. */
  readonly atMs: EpochMs;
  readonly event: EventKind;
  readonly subject: SubjectId | undefined;
  readonly client: string | undefined;
  readonly label: Label | undefined;
  readonly amount: DecimalText | undefined;
  readonly currency: string | undefined;
  readonly rules: readonly FiredRule[];
  readonly actions: readonly { readonly reason: number; readonly action: number; readonly isHeld: boolean }[];
}

/** Counts of one batch; events outside of the time that is asked for are not in it. */
export interface LaneTotals {
  /** Events that were decided, those labelled so among them. */
  readonly decided: number;
  readonly fraud: number;
  readonly legitimate: number;
  /** Retries, which are kept and not applied. */
  readonly repeats: number;
  /** Events of clients that were erased. Counted whenever they came. */
  readonly unreadable: number;
}

/** What came of one batch of records. */
export interface LaneReport {
  /** In the order in which they were decided. */
  readonly fired: readonly FiredOnEvent[];
  readonly totals: LaneTotals;
  /** Every decision's canonical bytes, each behind its length; empty where nobody asked for them. */
  readonly chain: Uint8Array;
  /** Operations that wait for their login at its end, by offset. */
  readonly waiting: readonly number[];
  /** Log time of its last record. */
  readonly atMs: EpochMs;
}
