import { assert } from '@ringfence/contract';
import type { Scored } from './ranking.ts';

/** Rows with their customers and days. */
export interface ScoredCards extends Scored {
  readonly customer: Uint32Array;
  /** The number of the day. */
  readonly day: Uint32Array;
}

/** A customer on one day. */
interface Card {
  readonly customer: number;
  readonly score: number;
  readonly isFraud: boolean;
}

/**
 * Card precision: the share of compromised customers among the `top` that people check each day, on average over the
 * days. A customer has the highest score of the day, and is compromised if any row of the day is fraud. Customers who
 * were found are not checked on later days. Of customers with equal scores, those with lower numbers come first.
 *
 * Source: Le Borgne et al., Reproducible Machine Learning for Credit Card Fraud Detection, "Precision top-k metrics"
 */
export function cardPrecision(scored: ScoredCards, top: number): number {
  const found = new Set<number>();
  const days = cardsByDay(scored);
  assert(days.length > 0, 'there is a day');
  let sum = 0;
  for (const cards of days) {
    const compromised = cards
      .filter(({ customer }) => !found.has(customer))
      .toSorted((a, b) => b.score - a.score || a.customer - b.customer)
      .slice(0, top)
      .filter(({ isFraud }) => isFraud);
    for (const { customer } of compromised) found.add(customer);
    sum += compromised.length / top;
  }
  return sum / days.length;
}

/** In the order of the days. */
function cardsByDay({ score, fraud, customer, day }: ScoredCards): readonly (readonly Card[])[] {
  const days = new Map<number, Map<number, Card>>();
  score.forEach((value, row) => {
    const cards = days.get(day[row]!) ?? new Map<number, Card>();
    const before = cards.get(customer[row]!);
    cards.set(customer[row]!, {
      customer: customer[row]!,
      score: Math.max(before?.score ?? -Infinity, value),
      isFraud: before?.isFraud === true || fraud[row] === 1,
    });
    days.set(day[row]!, cards);
  });
  return [...days].toSorted(([a], [b]) => a - b).map(([, cards]) => [...cards.values()]);
}
