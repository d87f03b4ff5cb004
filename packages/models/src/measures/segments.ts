import { assert } from '@ringfence/contract';
import type { ScoredEvents } from './ranking.ts';

/**
 * The events of each segment, such as a channel, a band of amounts or a currency, by the number that it was given. The
 * lowest number comes first.
 */
export function segmentsOf(events: ScoredEvents, segments: ArrayLike<number>): ReadonlyMap<number, ScoredEvents> {
  const { scores, labels, weights } = events;
  assert(segments.length === scores.length, 'each score has a segment');
  const rows = new Map<number, number[]>();
  for (let row = 0; row < scores.length; row++) {
    const segment = rows.get(segments[row]!) ?? [];
    rows.set(segments[row]!, segment);
    segment.push(row);
  }
  const sorted = [...rows].sort(([a], [b]) => a - b);
  return new Map(
    sorted.map(([segment, own]) => [
      segment,
      {
        scores: Float64Array.from(own, (row) => scores[row]!),
        labels: Uint8Array.from(own, (row) => labels[row]!),
        ...(weights === undefined ? {} : { weights: Float64Array.from(own, (row) => weights[row]!) }),
      },
    ]),
  );
}
