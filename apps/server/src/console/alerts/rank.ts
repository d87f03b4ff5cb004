/**
 * The position of an alert in the queue, as one number that does not change while it waits, so that an index keeps the
 * queue in order. Each hour of waiting counts as much as one point of risk. All alerts age at the same rate, so the
 * time of opening is enough to compare them.
 *
 *     risk (0 to 100) + money (0 to 30) + hours before the year 2100
 *
 * Source: docs/internals/console-queries.md
 */
import { hourMs } from '@ringfence/contract';

const pointsForDigit = 5;
/** A million times the ordinary amount; anything above is a data error. */
const digitsMax = 6;
/** Later than any date in use, so that ranks are positive. */
const horizonMs = Date.UTC(2_100, 0);
/** Ranks are whole numbers: thousandths of a point, with a tie-breaker below. */
const thousandths = 1_000;
const ties = 65_536;

export interface Ranked {
  readonly risk: number;
  /** `moneyPoints` of its greatest order. */
  readonly money: number;
  readonly openedAtMs: number;
  /** Different for most alerts, so that hardly any two have the same rank. */
  readonly tie: number;
}

export function rankOf({ risk, money, openedAtMs, tie }: Ranked): number {
  const points = risk + money + (horizonMs - openedAtMs) / hourMs;
  return Math.round(points * thousandths) * ties + (tie % ties);
}

/**
 * The points of an amount: five for each digit that it has more than the ordinary amount of its currency. Amounts of
 * different currencies are never compared with each other.
 *
 * @param ordinary `undefined` if no order of the currency is known
 */
export function moneyPoints(amount: number, ordinary: number | undefined): number {
  if (ordinary === undefined || ordinary <= 0 || amount <= ordinary) return 0;
  return pointsForDigit * Math.min(digitsMax, Math.log10(amount / ordinary));
}
