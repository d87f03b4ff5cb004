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

/** With this many events and predicted frauds, chance alone rarely doubles or halves what is observed. */
const eventsMin = 100;
const fraudsMin = 20;

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

/** Joins neighbours until each bin has 100 events and 20 predicted frauds, for events that weigh 1 each. */
export function joinedBins(bins: readonly CalibrationBin[]): readonly CalibrationBin[] {
  const joined: CalibrationBin[] = [];
  for (const bin of bins) {
    const before = joined.at(-1);
    if (before !== undefined && !isLarge(before)) joined[joined.length - 1] = union(before, bin);
    else joined.push(bin);
  }
  const [last, before] = [joined.at(-1), joined.at(-2)];
  if (last === undefined || before === undefined || isLarge(last)) return joined;
  return [...joined.slice(0, -2), union(before, last)];
}

function isLarge({ events, meanPredicted }: CalibrationBin): boolean {
  return events >= eventsMin && events * meanPredicted >= fraudsMin;
}

function union(a: CalibrationBin, b: CalibrationBin): CalibrationBin {
  const events = a.events + b.events;
  const mean = (ofA: number, ofB: number): number => (a.events * ofA + b.events * ofB) / events;
  const observed = mean(a.observed, b.observed);
  return {
    from: a.from,
    to: b.to,
    events,
    meanPredicted: mean(a.meanPredicted, b.meanPredicted),
    observed,
    interval: wilson(observed, events),
  };
}

/** How far what was predicted is from what was observed, as a part of what was observed; infinite if nothing was. */
export function calibrationError({ meanPredicted, observed }: CalibrationBin): number {
  return Math.abs(meanPredicted - observed) / observed;
}
