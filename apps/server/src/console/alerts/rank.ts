/**
 * Where an alert stands in the queue, as one number that does not change while it waits, so that an index holds the
 * queue in its order. Each hour of waiting is worth as much as one point of risk: since all alerts wait at the same pace,
 * that is said by when each was opened.
 *
 *     risk (0 to 100) + money (0 to 30) + hours before the year 2100
 *
 * Source: docs/internals/console-queries.md
 */
import { hourMs } from '@ringfence/contract';

const pointsForDigit = 5;
/** A million times what is ordinary; more is another mistake, or another world. */
const digitsMax = 6;
/** Beyond any date that is asked about, so that ranks are positive. */
const horizonMs = Date.UTC(2_100, 0);
/** Ranks are whole numbers: thousandths of a point, then the order of those that are equal. */
const thousandths = 1_000;
const ties = 65_536;

export interface Ranked {
  readonly risk: number;
  /** `moneyPoints` of its greatest order. */
  readonly money: number;
  readonly openedAtMs: number;
  /** Different for most alerts, so that no two have the same rank. */
  readonly tie: number;
}

export function rankOf({ risk, money, openedAtMs, tie }: Ranked): number {
  const points = risk + money + (horizonMs - openedAtMs) / hourMs;
  return Math.round(points * thousandths) * ties + (tie % ties);
}

/**
 * What an amount adds: five points for each digit that it has more than the ordinary amount of its currency. Amounts of
 * two currencies are never held against each other, only each against its own.
 *
 * @param ordinary `undefined` where no order of the currency is known
 */
export function moneyPoints(amount: number, ordinary: number | undefined): number {
  if (ordinary === undefined || ordinary <= 0 || amount <= ordinary) return 0;
  return pointsForDigit * Math.min(digitsMax, Math.log10(amount / ordinary));
}
