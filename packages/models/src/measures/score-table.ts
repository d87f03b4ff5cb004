import { assert } from '@ringfence/contract';
import type { ScoreTable } from '../artifact.ts';

/** The highest margins each have a knot: where scores are near 1000, single events count. */
const singleKnots = 200;
/** Further down, knots are apart by this part of the events above them. */
const step = 0.01;

/**
 * For margins the share of these legitimate events that lie below; fine at the top, coarse below. Of a million events
 * about 1,050 knots remain, of a billion 1,750. Above the highest event the share is 1.
 */
export function scoreTable(legitimateMargins: Float64Array): ScoreTable {
  const sorted = legitimateMargins.map((margin) => margin + 0).sort();
  const count = sorted.length;
  assert(count > 0 && Number.isFinite(sorted[0]!) && Number.isFinite(sorted[count - 1]!), 'margins are finite');
  const margins = [nextAbove(sorted[count - 1]!)];
  const shares = [1];
  let above = 0;
  while (above < count) {
    above = above < singleKnots ? above + 1 : Math.min(count, Math.ceil(above * (1 + step)));
    // The first of equal events has all that are lower below it.
    const place = firstOf(sorted, sorted[count - above]!);
    margins.push(sorted[place]!);
    shares.push(place / count);
    above = count - place;
  }
  return { margins: margins.reverse(), shares: shares.reverse() };
}

/** The next number above. */
function nextAbove(value: number): number {
  let gap = Math.abs(value) / 2 ** 52 || Number.MIN_VALUE;
  while (value + gap / 2 > value) gap /= 2;
  return value + gap;
}

/** Where the value begins in the sorted ones. */
function firstOf(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
