import {
  type Action,
  type Decision,
  type Effect,
  encodeDecision,
  type EngineRecord,
  type LabelRecord,
  type ToldLabel,
} from '@ringfence/engine';
import { assert, isEventKind } from '@ringfence/contract';
import type { LogRecord } from '@ringfence/log';
import { nextDigest } from './digest.ts';
import type { LabelRow } from '../console/labels/stored-labels.ts';
import type { Position } from './batch-writer.ts';
import type { RuleCounts } from './rule-counts.ts';
import { chainedTogether } from '@ringfence/engine/thread-tuning';

/** The decision of one event, with the actions that follow from it. */
export interface Conclusion {
  readonly decision: Decision;
  readonly actions: readonly Action[];
}

/** One event of the batch: its decision, or `undefined` while it waits for its login. */
export interface SteppedEvent {
  readonly record: EngineRecord & { readonly kind: 'event' | 'unreadable' };
  readonly epoch: number;
  conclusion: Conclusion | undefined;
}

/** Collects the effects of a batch of records in stepping order. */
export class SteppedBatch {
  readonly events = new Map<number, SteppedEvent>();
  /** Decisions of events of earlier batches that had waited. */
  readonly late: Conclusion[] = [];
  /** Labels, in record order. */
  readonly labels: LabelRow[] = [];
  /** Quarantined events: stored, never stepped. */
  readonly aside: LogRecord[] = [];
  /** Decisions in the order in which they were made. */
  readonly #conclusions: Conclusion[] = [];
  /** How many of them are in the chain; `#digest` is the link after these. */
  #chained = 0;
  #digest: Uint8Array;
  readonly #decidedBefore: number;
  readonly #counts: RuleCounts;

  constructor({ decided, digest }: Pick<Position, 'decided' | 'digest'>, counts: RuleCounts) {
    this.#counts = counts;
    this.#decidedBefore = decided;
    this.#digest = digest;
  }

  /** Adds the effects of one record; counts every decision. */
  add(record: EngineRecord, epoch: number, effects: readonly Effect[]): void {
    if (record.kind === 'event' || record.kind === 'unreadable') {
      this.events.set(record.offset, { record, epoch, conclusion: undefined });
    }
    if (record.kind === 'label' && record.told !== undefined) this.labels.push(labelRow(record, record.told));
    for (const conclusion of conclusionsOf(effects)) {
      this.#conclusions.push(conclusion);
      this.#counts.add(conclusion.decision);
      const event = this.events.get(conclusion.decision.offset);
      if (event === undefined) this.late.push(conclusion);
      else event.conclusion = conclusion;
    }
    if (this.#conclusions.length - this.#chained >= chainedTogether) this.#chain();
  }

  putAside(record: LogRecord): void {
    if (isEventKind(record.kind)) this.aside.push(record);
  }

  /** The engine's position after the batch, including all its decisions. */
  positionAt(nextOffset: number): Position {
    this.#chain();
    return { nextOffset, decided: this.#decidedBefore + this.#chained, digest: this.#digest };
  }

  #chain(): void {
    this.#digest = chainOf(this.#conclusions.slice(this.#chained), this.#digest);
    this.#chained = this.#conclusions.length;
  }
}

function labelRow({ offset, logTimeMs, label }: LabelRecord, told: ToldLabel): LabelRow {
  return { ...told, recordOffset: offset, label, atMs: logTimeMs };
}

/**
 * The link of the chain after these decisions. They are encoded and hashed in groups: alternating with the engine's
 * steps, the code of each would evict the other's from the processor's cache.
 */
export function chainOf(conclusions: readonly Conclusion[], before: Uint8Array): Uint8Array {
  let digest = before;
  for (const { decision, actions } of conclusions) digest = nextDigest(digest, encodeDecision(decision, actions));
  return digest;
}

/** Decisions with their actions; the engine emits an event's actions directly after its decision. */
export function conclusionsOf(effects: readonly Effect[]): readonly Conclusion[] {
  const conclusions: { decision: Decision; actions: Action[] }[] = [];
  for (const effect of effects) {
    if (effect.kind === 'decision') conclusions.push({ decision: effect, actions: [] });
    else if (effect.kind === 'action') {
      const last = conclusions.at(-1);
      assert(last?.decision.offset === effect.offset, 'an action follows the decision that it belongs to');
      last.actions.push(effect);
    }
  }
  return conclusions;
}
