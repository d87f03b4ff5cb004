import type { MoneySums, VariedResult } from '../../api/operations.generated.ts';

/** The sums in a currency. A currency without sums has zeros. */
export function moneyOf(sums: readonly MoneySums[], currency: string): MoneySums {
  return sums.find((one) => one.currency === currency) ?? { currency, fraud: '0', legitimate: '0', unlabelled: '0' };
}

/** The currencies of the matched events, the one of most values first. */
export function currenciesOf({ values }: VariedResult): readonly string[] {
  const counts = new Map<string, number>();
  for (const { matches } of values) {
    for (const { currency } of matches.money) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .map(([currency]) => currency);
}

/** The place of the value that is nearest to this one. */
export function nearestTo({ values }: VariedResult, x: number): number {
  const distances = values.map(({ value }) => Math.abs(Number(value) - x));
  return distances.indexOf(Math.min(...distances));
}
