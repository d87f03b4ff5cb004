import { operatingPoint, type OperatingPoint } from './curves.ts';
import type { Ranking } from './ranking.ts';
import { type Interval, wilson } from './wilson.ts';

/** A threshold for what a team can work or a client can bear, and what to expect of it. */
export interface ThresholdChoice extends OperatingPoint {
  readonly alertsADay: number;
  readonly precisionInterval: Interval;
  readonly recallInterval: Interval;
}

/**
 * The lowest threshold with at most `alertsADay` alerts, on the average of these days. Undefined if already those
 * with the highest score are more. To count clients instead of events, rank them by `worstOfEach`.
 */
export function thresholdForAlerts(
  ranking: Ranking,
  { alertsADay, days }: { readonly alertsADay: number; readonly days: number },
): ThresholdChoice | undefined {
  const { frauds, legitimate } = ranking;
  return choiceAt(
    ranking,
    lastWithin(frauds, (at) => frauds[at]! + legitimate[at]! <= alertsADay * days),
    days,
  );
}

/** The lowest threshold that at most this share of the legitimate reach: 0.001 is one good client in 1,000. */
export function thresholdForLegitimate(
  ranking: Ranking,
  { share, days }: { readonly share: number; readonly days: number },
): ThresholdChoice | undefined {
  const { legitimate } = ranking;
  const bearable = share * (legitimate.at(-1) ?? 0);
  return choiceAt(
    ranking,
    lastWithin(legitimate, (at) => legitimate[at]! <= bearable),
    days,
  );
}

/** What to expect of a threshold that was chosen otherwise; undefined if nothing reaches it. */
export function choiceFrom(ranking: Ranking, threshold: number, days: number): ThresholdChoice | undefined {
  return choiceAt(
    ranking,
    lastWithin(ranking.thresholds, (at) => ranking.thresholds[at]! >= threshold),
    days,
  );
}

function choiceAt(ranking: Ranking, at: number, days: number): ThresholdChoice | undefined {
  if (at === -1) return undefined;
  const point = operatingPoint(ranking, at);
  return {
    ...point,
    alertsADay: point.alerts / days,
    precisionInterval: wilson(point.precision, ranking.rows[at]!),
    recallInterval: wilson(point.recall, ranking.fraudRows.at(-1)!),
  };
}

/** Counts only grow along a ranking, and thresholds only fall. */
function lastWithin(counts: Float64Array, isWithin: (at: number) => boolean): number {
  let low = 0;
  let high = counts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isWithin(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
