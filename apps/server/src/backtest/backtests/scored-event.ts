import type { Decision, Label } from '@ringfence/engine';
import type { HistoryReader, HistoryWriter } from '../../history/history-bytes.ts';

/** A decided event with its score, as a line of the file of scores shows it. */
export interface ScoredEvent {
  readonly offset: number;
  /** The client's random id; `undefined` if the event names no client. */
  readonly subject: string | undefined;
  /** The event's own time, as features use it. */
  readonly eventAtMs: number;
  readonly label: Label | undefined;
  readonly score: number;
}

/** The number that is written as an event's score. This is the place to choose another one. */
export function scoreOf({ score }: Decision): number {
  return score;
}

const labels: readonly (Label | undefined)[] = [undefined, 'fraud', 'legitimate'];

/** Bytes instead of objects: they pass from the worker's thread without being copied member by member. */
export function packScored(writer: HistoryWriter, decision: Decision, label: Label | undefined): void {
  writer.uint(decision.offset);
  writer.text(decision.subject ?? '');
  writer.int(decision.eventAtMs);
  writer.uint(labels.indexOf(label));
  writer.double(scoreOf(decision));
}

export function unpackScored(reader: HistoryReader): ScoredEvent {
  const offset = reader.uint();
  const subject = reader.text();
  return {
    offset,
    subject: subject === '' ? undefined : subject,
    eventAtMs: reader.int(),
    label: labels[reader.uint()],
    score: reader.double(),
  };
}
