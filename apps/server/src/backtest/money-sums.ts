import { assert, type Decimal, formatDecimal, parseDecimal } from '@ringfence/contract';
import type { FiredOnEvent } from './lane-report.ts';
import type { Money } from './result.ts';

type Kind = Exclude<keyof Money, 'currency'>;

/** For amounts that name no currency. */
const noCurrency = '';

/** Exact sums of amounts, by currency and by what their events turned out to be. */
export class MoneySums {
  readonly #sums = new Map<string, Record<Kind, Decimal>>();

  add({ amount, currency = noCurrency, label }: FiredOnEvent): void {
    if (amount === undefined) return;
    const value = parseDecimal(amount);
    assert(value !== undefined, 'an amount that was accepted is a decimal');
    const sums = this.#sums.get(currency) ?? { fraud: zero, legitimate: zero, unlabelled: zero };
    const kind: Kind = label ?? 'unlabelled';
    sums[kind] = (sums[kind] + value) as Decimal;
    this.#sums.set(currency, sums);
  }

  /** By the currency's code. */
  result(): readonly Money[] {
    return [...this.#sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, { fraud, legitimate, unlabelled }]) => ({
        currency,
        fraud: formatDecimal(fraud),
        legitimate: formatDecimal(legitimate),
        unlabelled: formatDecimal(unlabelled),
      }));
  }
}

const zero = 0n as Decimal;
