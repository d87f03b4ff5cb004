import {
  type Action,
  type Decision,
  type Effect,
  encodeDecision,
  encodeHoldEffect,
  type EngineRecord,
  type HoldEffect,
  type LabelRecord,
  type ReportRecord,
  type ToldLabel,
  type ToldReport,
} from '@ringfence/engine';
import { assert, isEventKind } from '@ringfence/contract';
import type { LogRecord } from '@ringfence/log';
import { nextDigest } from './digest.ts';
import type { ReportRow } from '../console/event-reports/stored-reports.ts';
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
  /** Reported outcomes, in record order. */
  readonly reports: ReportRow[] = [];
  /** Quarantined events: stored, never stepped. */
  readonly aside: LogRecord[] = [];
  /** What happened to holds, in order. */
  readonly holds: HoldEffect[] = [];
  /** What the chain is made of, in order. */
  readonly #links: Link[] = [];
  /** How many of them are in the chain; `#digest` is the link after these. */
  #chained = 0;
  #decisions = 0;
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
    if (record.kind === 'report' && record.told !== undefined) this.#report(record, record.told);
    for (const link of linksOf(effects)) {
      this.#links.push(link);
      if (!isConclusion(link)) {
        this.holds.push(link);
        continue;
      }
      this.#decisions++;
      this.#counts.add(link.decision);
      const event = this.events.get(link.decision.offset);
      if (event === undefined) this.late.push(link);
      else event.conclusion = link;
    }
    if (this.#links.length - this.#chained >= chainedTogether) this.#chain();
  }

  /** A report that makes its event fraud or legitimate, or takes that back, is a label as well. */
  #report({ offset: recordOffset, logTimeMs, report }: ReportRecord, told: ToldReport): void {
    this.reports.push({ recordOffset, report, told, reportedAtMs: logTimeMs });
    const { label } = report;
    if (label === undefined) return;
    const { offset, epoch, subject, author } = told;
    // The note is sealed for the report.
    this.labels.push({ offset, epoch, subject, author, note: undefined, recordOffset, label, atMs: logTimeMs });
  }

  putAside(record: LogRecord): void {
    if (isEventKind(record.kind)) this.aside.push(record);
  }

  /** The engine's position after the batch, including all its decisions. */
  positionAt(nextOffset: number): Position {
    this.#chain();
    return { nextOffset, decided: this.#decidedBefore + this.#decisions, digest: this.#digest };
  }

  #chain(): void {
    this.#digest = chainOf(this.#links.slice(this.#chained), this.#digest);
    this.#chained = this.#links.length;
  }
}

function labelRow({ offset, logTimeMs, label }: LabelRecord, told: ToldLabel): LabelRow {
  return { ...told, recordOffset: offset, label, atMs: logTimeMs };
}

/**
 * The link of the chain after these decisions and changes of holds. They are encoded and hashed in groups: alternating with the engine's
 * steps, the code of each would evict the other's from the processor's cache.
 */
export function chainOf(links: readonly Link[], before: Uint8Array): Uint8Array {
  let digest = before;
  for (const link of links) digest = nextDigest(digest, encodeLink(link));
  return digest;
}

/** What the chain of decisions is made of. */
export type Link = Conclusion | HoldEffect;

/** Decisions with their actions, and changes of holds; the engine emits an event's actions directly after its decision. */
export function linksOf(effects: readonly Effect[]): readonly Link[] {
  const links: Link[] = [];
  let last: { readonly decision: Decision; readonly actions: Action[] } | undefined;
  for (const effect of effects) {
    if (effect.kind === 'waiting') continue;
    if (effect.kind === 'decision') {
      last = { decision: effect, actions: [] };
      links.push(last);
    } else if (effect.kind === 'action') {
      assert(last?.decision.offset === effect.offset, 'an action follows the decision that it belongs to');
      last.actions.push(effect);
    } else links.push(effect);
  }
  return links;
}

/** The bytes by which a link enters the chain. */
export function encodeLink(link: Link): Uint8Array {
  return isConclusion(link) ? encodeDecision(link.decision, link.actions) : encodeHoldEffect(link);
}

export function isConclusion(link: Link): link is Conclusion {
  return 'decision' in link;
}
