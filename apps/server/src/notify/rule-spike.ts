/**
 * Whether a rule fires far more often than in its own week.
 *
 * The number is exact: firings in the last 5 or 60 minutes, of which the last minute has just begun. It is compared
 * with the number to be expected then: the mean of this hour of the day over the last seven days, or of the hour before
 * or after it if that is greater, so that the morning is no spike. A spike has at least the minimum, at least the factor
 * times what is expected, and more than chance makes of it once in a billion (Poisson).
 */

/** A chance that is met once in 20,000 years with a thousand rules that are looked at every minute. */
const chanceMax = 1e-9;

export interface RuleCounts {
  /** Firings in the window. */
  readonly count: number;
  /** Firings in each of the three hours of the day around now, over the last seven days. */
  readonly hours: readonly [before: number, present: number, after: number];
  /** Whole days for which there are counts, 1 to 7. */
  readonly days: number;
}

export interface SpikeRule {
  readonly windowMinutes: number;
  readonly factor: number;
  readonly minimum: number;
  /** Already told: then it is over only at half of what begins it. */
  readonly isTold: boolean;
}

/** The firings to be expected in the window. One more than was seen, so that a rule that never fired has a chance. */
export function expectedFirings({ hours, days }: RuleCounts, windowMinutes: number): number {
  return ((Math.max(...hours) + 1) / days) * (windowMinutes / 60);
}

export function isSpike(counts: RuleCounts, { windowMinutes, factor, minimum, isTold }: SpikeRule): boolean {
  const expected = expectedFirings(counts, windowMinutes);
  const part = isTold ? 0.5 : 1;
  if (counts.count < part * minimum || counts.count < part * factor * expected) return false;
  return isTold || chanceOfAtLeast(counts.count, expected) <= chanceMax;
}

/** P(X >= count) of a Poisson distribution, from its first terms beyond `count`, which fall fast above the mean. */
function chanceOfAtLeast(count: number, mean: number): number {
  if (count <= mean) return 1;
  let logTerm = -mean;
  for (let i = 1; i <= count; i++) logTerm += Math.log(mean / i);
  let [term, sum] = [Math.exp(logTerm), 0];
  for (let i = count; term > sum * 1e-12 || sum === 0; i++) {
    sum += term;
    term *= mean / (i + 1);
    if (term === 0) break;
  }
  return Math.min(1, sum);
}
