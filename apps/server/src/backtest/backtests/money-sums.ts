import { assert, type Decimal, formatDecimal, parseDecimal } from '@ringfence/contract';
import type { FiredOnEvent } from './worker-report.ts';
import type { Money } from './result.ts';

type Kind = Exclude<keyof Money, 'currency'>;

/** For amounts without a currency. */
const noCurrency = '';

interface Sums extends Record<Kind, Decimal> {
  /** Minimum decimal places to print: as many as the amounts were sent with. */
  places: number;
}

/** Exact sums of amounts, by currency and label. */
export class MoneySums {
  readonly #sums = new Map<string, Sums>();

  add({ amount, currency = noCurrency, label }: FiredOnEvent): void {
    if (amount === undefined) return;
    const value = parseDecimal(amount);
    assert(value !== undefined, 'an accepted amount is a decimal');
    const sums = this.#sums.get(currency) ?? { fraud: zero, legitimate: zero, unlabelled: zero, places: 0 };
    const kind: Kind = label ?? 'unlabelled';
    sums[kind] = (sums[kind] + value) as Decimal;
    sums.places = Math.max(sums.places, placesOf(amount));
    this.#sums.set(currency, sums);
  }

  /** By the currency's code. */
  result(): readonly Money[] {
    return [...this.#sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, { fraud, legitimate, unlabelled, places }]) => ({
        currency,
        fraud: printed(fraud, places),
        legitimate: printed(legitimate, places),
        unlabelled: printed(unlabelled, places),
      }));
  }
}

const zero = 0n as Decimal;

/** As many as ISO 4217 defines for any currency: one odd amount does not fill sums with zeros. */
const placesMax = 4;

/** `10.10` has two; a number with an exponent counts as none. */
function placesOf(amount: string): number {
  const places = /^-?\d+\.(\d+)$/.exec(amount)?.[1]?.length ?? 0;
  return Math.min(places, placesMax);
}

function printed(sum: Decimal, places: number): string {
  const [whole = '', fraction = ''] = formatDecimal(sum).split('.');
  return places === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(places, '0')}`;
}
