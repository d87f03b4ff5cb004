import { assert } from '@ringfence/contract';
import { rank, type Ranking, type ScoredEvents } from './ranking.ts';

/** What happens if everything from a threshold on is alerted. A point of the ROC and of the precision-recall curve. */
export interface OperatingPoint {
  readonly threshold: number;
  /** By weight. */
  readonly alerts: number;
  readonly frauds: number;
  readonly precision: number;
  /** Of all frauds; also called the true positive rate. */
  readonly recall: number;
  /** Of all legitimate events; also called the false positive rate. */
  readonly legitimateShare: number;
}

/** At most `pointsMax` points from the highest threshold to the lowest, about evenly along the ROC curve. */
export function operatingPoints(ranking: Ranking, pointsMax: number): readonly OperatingPoint[] {
  return spread(ranking, pointsMax).map((at) => operatingPoint(ranking, at));
}

export function operatingPoint({ thresholds, frauds, legitimate }: Ranking, at: number): OperatingPoint {
  const alerts = frauds[at]! + legitimate[at]!;
  return {
    threshold: thresholds[at]!,
    alerts,
    frauds: frauds[at]!,
    precision: frauds[at]! / alerts,
    recall: shareOf(frauds, at),
    legitimateShare: shareOf(legitimate, at),
  };
}

export interface CostPoint extends OperatingPoint {
  /** Amount of the frauds below the threshold. */
  readonly missed: number;
  /** What is missed, and the work on all alerts. */
  readonly cost: number;
}

/** What each threshold costs, if an alert costs its work and a fraud that is not alerted its amount. */
export function costCurve(
  events: ScoredEvents & { readonly amounts: Float64Array },
  costs: { readonly perAlert: number; readonly pointsMax: number },
): readonly CostPoint[] {
  const { amounts, weights } = events;
  const ranking = rank(events);
  const byAmount = rank({ ...events, weights: amounts.map((amount, row) => amount * (weights?.[row] ?? 1)) });
  const all = byAmount.frauds.at(-1) ?? 0;
  return spread(ranking, costs.pointsMax).map((at) => {
    const point = operatingPoint(ranking, at);
    const missed = all - byAmount.frauds[at]!;
    return { ...point, missed, cost: missed + point.alerts * costs.perAlert };
  });
}

/** Places so that recall and the legitimate share move by about as much between any two; the ends are among them. */
function spread(ranking: Ranking, pointsMax: number): readonly number[] {
  assert(pointsMax >= 3, 'a curve has three points at least');
  const last = ranking.thresholds.length - 1;
  const step = 2 / (pointsMax - 2);
  const places: number[] = [];
  let reached = -Infinity;
  for (let at = 0; at <= last; at++) {
    const way = shareOf(ranking.frauds, at) + shareOf(ranking.legitimate, at);
    if (way - reached < step && at !== last) continue;
    places.push(at);
    reached = way;
  }
  return places;
}

function shareOf(cumulative: Float64Array, at: number): number {
  const all = cumulative.at(-1)!;
  return all === 0 ? 0 : cumulative[at]! / all;
}
