import type { ScoredEvents } from './ranking.ts';
import { type Interval, wilson } from './wilson.ts';

/** Events whose predicted probability is from `from` to below `to`. */
export interface CalibrationBin {
  readonly from: number;
  readonly to: number;
  readonly events: number;
  readonly meanPredicted: number;
  readonly observed: number;
  /** Of the observed share. */
  readonly interval: Interval;
}

/** Fraud is rare: half of these bins are below one in fifty. */
export const probabilityEdges: readonly number[] = [
  0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 1,
];

/** Whether a probability is what happens: for each bin with events the mean predicted, and the share of fraud. */
export function calibrationBins(
  { scores, labels, weights }: ScoredEvents,
  edges: readonly number[] = probabilityEdges,
): readonly CalibrationBin[] {
  const bins = edges.slice(0, -1).map(() => ({ rows: 0, events: 0, predicted: 0, frauds: 0 }));
  for (let row = 0; row < scores.length; row++) {
    const bin =
      bins[
        Math.max(
          0,
          Math.min(
            edges.findLastIndex((edge) => edge <= scores[row]!),
            bins.length - 1,
          ),
        )
      ]!;
    const weight = weights === undefined ? 1 : weights[row]!;
    bin.rows++;
    bin.events += weight;
    bin.predicted += weight * scores[row]!;
    bin.frauds += weight * labels[row]!;
  }
  return bins.flatMap(({ rows, events, predicted, frauds }, at) => {
    if (events === 0) return [];
    const observed = frauds / events;
    const place = { from: edges[at]!, to: edges[at + 1]!, events };
    return [{ ...place, meanPredicted: predicted / events, observed, interval: wilson(observed, rows) }];
  });
}
