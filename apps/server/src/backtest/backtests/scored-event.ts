import type { Decision, Label } from '@ringfence/engine';
import { HistoryReader, type HistoryWriter } from '../../history/history-bytes.ts';

/** A decided event with its score, as a line of the file of scores shows it. */
export interface ScoredEvent {
  readonly offset: number;
  /** The client's random id; `undefined` if the event names no client. */
  readonly subject: string | undefined;
  /** The event's own time, as features use it. */
  readonly eventAtMs: number;
  readonly label: Label | undefined;
  /** NaN if it is missing. */
  readonly score: number;
}

/** What is written as the score of an event: the sum of the scores of its rules, or a result of a model. */
export type ScoreChoice = 'rules' | `model.${string}`;

const labels: readonly (Label | undefined)[] = [undefined, 'fraud', 'legitimate'];

/** Bytes instead of objects: they pass from the worker's thread without being copied member by member. */
export function packScored(
  writer: HistoryWriter,
  decision: Decision,
  { label, score }: Pick<ScoredEvent, 'label' | 'score'>,
): void {
  writer.uint(decision.offset);
  writer.text(decision.subject ?? '');
  writer.int(decision.eventAtMs);
  writer.uint(labels.indexOf(label));
  writer.double(score);
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

/** The columns of the file of scores. */
export const scoreColumns = ['offset', 'client', 'at', 'label', 'score'];

/** The lines of the file of scores for events that were packed by `packScored`. */
export function scoreLines(packed: Uint8Array): readonly string[] {
  const reader = new HistoryReader(packed);
  const lines: string[] = [];
  while (!reader.done) lines.push(lineOf(unpackScored(reader)));
  return lines;
}

/** No cell needs quotes: numbers, times, words, and random ids of letters and digits. */
function lineOf({ offset, subject, eventAtMs, label, score }: ScoredEvent): string {
  return `${offset},${subject ?? ''},${new Date(eventAtMs).toISOString()},${label ?? ''},${Number.isNaN(score) ? '' : score}\n`;
}
