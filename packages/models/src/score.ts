import type { ScoreTable } from './artifact.ts';

/** The score of an event that no legitimate one exceeds, in thousandths: 1000.000. */
export const scoreMax = 1_000_000;

/**
 * The score of log-odds in thousandths, 0 to 1,000,000, for a score of 0.000 to 1000.000: the share of legitimate
 * events of the validation weeks that lie below.
 *
 * Between two pairs of the table it lies on the straight line through them, rounded to the nearest thousandth; before
 * the first and after the last pair it is theirs. A greater margin never gives a smaller score.
 */
export function scoreOf(table: ScoreTable, margin: number): number {
  const { margins, shares } = table;
  const last = margins.length - 1;
  if (!(margin > margins[0]!)) return thousandths(shares[0]!);
  if (margin >= margins[last]!) return thousandths(shares[last]!);
  // The last pair whose margin is not above.
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (margins[middle]! <= margin) low = middle;
    else high = middle;
  }
  const part = (margin - margins[low]!) / (margins[high]! - margins[low]!);
  const from = shares[low]!;
  const to = shares[high]!;
  // Rounding may carry the sum past its end by one ulp.
  return thousandths(Math.min(from + (to - from) * part, to));
}

function thousandths(share: number): number {
  return Math.round(share * scoreMax);
}
