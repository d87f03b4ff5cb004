import { assert } from '@ringfence/contract';

/** Knots are this many events apart at the top, where alerts are, and this part of the events above them further down. */
const eventsApart = 20;
const partApart = 0.02;

/**
 * Brings the log-odds of one model to the scale of another of the same settings, by rows that both were trained on: what
 * as many of them reach is equal. A model of more history is surer of the same events, so that without it a threshold
 * of older models gives too many alerts.
 *
 * @param from,to log-odds of the same rows by the two models
 * @param weights how many events each row is for
 * @returns a map that rises everywhere: straight between knots, beyond them with a slope of 1
 */
export function scaleBetween(from: Float64Array, to: Float64Array, weights: Float64Array): (margin: number) => number {
  assert(from.length === to.length && from.length === weights.length && from.length > 0, 'both have the same rows');
  const [theirs, ours] = [knotsOf(from, weights), knotsOf(to, weights)];
  const [xs, ys]: [number[], number[]] = [[], []];
  // From the highest down; of equal ones the first, so that the map rises everywhere.
  theirs.forEach((x, at) => {
    const y = ours[at]!;
    if (xs.length > 0 && !(x < xs.at(-1)! && y < ys.at(-1)!)) return;
    xs.push(x);
    ys.push(y);
  });
  return (margin) => mapped(xs, ys, margin);
}

/** The log-odds that 20, 40, 60 events reach, and so on; at last the lowest. As many for all margins of these rows. */
function knotsOf(margins: Float64Array, weights: Float64Array): readonly number[] {
  const order = Uint32Array.from(margins, (_, row) => row);
  order.sort((a, b) => margins[b]! - margins[a]! || a - b);
  // Summed up in one order, so that the last digits of the sum do not depend on the margins.
  const wanted = countsUpTo(weights.reduce((sum, weight) => sum + weight, 0));
  const lowest = margins[order.at(-1)!]!;
  const knots: number[] = [];
  let reached = 0;
  for (const row of order) {
    reached += weights[row]!;
    while (reached >= wanted[knots.length]!) knots.push(margins[row]!);
  }
  while (knots.length <= wanted.length) knots.push(lowest);
  return knots;
}

function countsUpTo(total: number): readonly number[] {
  const counts: number[] = [];
  for (let next = eventsApart; next < total; next += Math.max(eventsApart, next * partApart)) counts.push(next);
  return counts;
}

/** @param xs,ys from the highest to the lowest */
function mapped(xs: readonly number[], ys: readonly number[], margin: number): number {
  const last = xs.length - 1;
  if (margin >= xs[0]!) return ys[0]! + (margin - xs[0]!);
  if (margin <= xs[last]!) return ys[last]! + (margin - xs[last]!);
  // The first knot that is not above.
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (xs[middle]! > margin) low = middle;
    else high = middle;
  }
  const part = (margin - xs[high]!) / (xs[low]! - xs[high]!);
  return ys[high]! + (ys[low]! - ys[high]!) * part;
}
