/**
 * Where an alert stands in the queue, as one number that does not change while it waits, so that an index holds the
 * queue in its order. Each hour of waiting is worth as much as one point of risk: since all alerts wait at the same pace,
 * that is said by when each was opened.
 *
 *     risk (0 to 100) + 5 for every digit of money + hours before the year 2100
 */

const pointsForDigit = 5;
/** Beyond any date that is asked about, so that ranks are positive. */
const horizonMs = Date.UTC(2_100, 0);
const hourMs = 3_600_000;
/** Ranks are whole numbers: thousandths of a point, then the order of those that are equal. */
const thousandths = 1_000;
const ties = 65_536;

export interface Ranked {
  readonly risk: number;
  /** Of the greatest order, in its currency. */
  readonly amount: number;
  readonly openedAtMs: number;
  /** Different for most alerts, so that no two have the same rank. */
  readonly tie: number;
}

export function rankOf({ risk, amount, openedAtMs, tie }: Ranked): number {
  const money = pointsForDigit * digitsOf(amount);
  const points = risk + money + (horizonMs - openedAtMs) / hourMs;
  return Math.round(points * thousandths) * ties + (tie % ties);
}

/** 0 for nothing, 1 for 10, 6 for a million. */
function digitsOf(amount: number): number {
  return amount <= 1 ? 0 : Math.log10(amount);
}
