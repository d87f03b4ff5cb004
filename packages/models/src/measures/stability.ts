import type { PopulationBins } from '../artifact.ts';
import { naturalLog } from './natural-log.ts';

/**
 * Above it, the population has shifted somewhat; above the other, it is another one.
 * Source: Siddiqi, "Credit Risk Scorecards" (2006), chapter on scorecard monitoring
 */
export const stabilityWarns = 0.1;
export const stabilityAlarms = 0.25;

/** Weights say how many values each is for, where only a share was kept. Absent: one each. */
export interface PopulationOptions {
  readonly binsMax?: number;
  readonly weights?: Float64Array;
}

/** Bins with about as many rows each. A value that is too frequent for one is alone in its own. */
export function populationBins(
  values: Float64Array,
  { binsMax = 10, weights }: PopulationOptions = {},
): PopulationBins {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const edges: number[] = [];
  let from = 0;
  for (let at = 0; at + 1 < sorted.length && edges.length + 1 < binsMax; at++) {
    // An infinite edge would separate values that no number lies between.
    if (sorted[at] === sorted[at + 1] || sorted[at] === -Infinity) continue;
    if ((at + 1 - from) * (binsMax - edges.length) < sorted.length - from) continue;
    edges.push(sorted[at]! + 0);
    from = at + 1;
  }
  return { edges, counts: binCounts(edges, values, weights) };
}

/** A category with few texts has a bin for each, so that its edges are their positions. */
const textBinsMax = 20;

/** Bins of an input. @param texts of a category */
export function inputPopulation(
  column: Float64Array,
  texts: readonly string[] | undefined,
  weights?: Float64Array,
): PopulationBins {
  const weighted = weights === undefined ? {} : { weights };
  if (texts === undefined || texts.length > textBinsMax) return populationBins(column, weighted);
  const edges = Array.from({ length: texts.length - 1 }, (_, position) => position);
  return { edges, counts: binCounts(edges, column, weights) };
}

/** How many values fall into each bin, and how many are missing; whole numbers. */
export function binCounts(edges: readonly number[], values: Float64Array, weights?: Float64Array): readonly number[] {
  const counts = Array.from({ length: edges.length + 2 }, () => 0);
  for (const [row, value] of values.entries()) counts[populationBin(edges, value)]! += weights?.[row] ?? 1;
  return weights === undefined ? counts : counts.map((count) => Math.round(count));
}

export function populationBin(edges: readonly number[], value: number): number {
  if (Number.isNaN(value)) return edges.length + 1;
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value <= edges[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Fewer values than this say nothing: of `n` values of the same population, chance alone makes an index of about
 * (bins - 1) / n, here at most 0.01, with a standard deviation below half of that.
 */
export function stabilityValuesMin(bins: number): number {
  return Math.max(1_000, 100 * bins);
}

/**
 * Population stability index of counts in the same bins: 0 for equal shares. Undefined if one has no values. Half a
 * value more in each bin keeps an empty one from being infinitely surprising.
 */
export function stabilityIndex(before: readonly number[], now: readonly number[]): number | undefined {
  const [of, total] = [sumOf(before), sumOf(now)];
  if (of === 0 || total === 0) return undefined;
  return before.reduce((sum, count, bin) => {
    if (count === 0 && now[bin] === 0) return sum;
    const expected = (count + 0.5) / (of + 0.5 * before.length);
    const actual = (now[bin]! + 0.5) / (total + 0.5 * before.length);
    return sum + (actual - expected) * naturalLog(actual / expected);
  }, 0);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
