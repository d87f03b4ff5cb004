import type { Ranking } from './ranking.ts';

/**
 * Area under the ROC curve: how probable it is that a fraud has a higher score than a legitimate event; equal scores
 * count half. Undefined without both.
 */
export function areaUnderRoc({ frauds, legitimate }: Ranking): number | undefined {
  const pairs = (frauds.at(-1) ?? 0) * (legitimate.at(-1) ?? 0);
  if (pairs === 0) return undefined;
  let won = 0;
  for (let at = 0; at < frauds.length; at++) {
    const before = at === 0 ? 0 : frauds[at - 1]!;
    const passed = legitimate[at]! - (at === 0 ? 0 : legitimate[at - 1]!);
    won += (passed * (before + frauds[at]!)) / 2;
  }
  return won / pairs;
}

/**
 * The mean of the precision at each threshold, weighted by the frauds that it adds; as scikit-learn's
 * `average_precision_score`, without interpolation. Undefined without fraud.
 */
export function averagePrecision({ frauds, legitimate }: Ranking): number | undefined {
  const all = frauds.at(-1) ?? 0;
  if (all === 0) return undefined;
  let sum = 0;
  for (let at = 0; at < frauds.length; at++) {
    const added = frauds[at]! - (at === 0 ? 0 : frauds[at - 1]!);
    if (added > 0) sum += (added * frauds[at]!) / (frauds[at]! + legitimate[at]!);
  }
  return sum / all;
}
