import type { Hold } from './hold.ts';

/** Number and sums of the open holds of one client or one payee. */
export class HoldTally {
  count = 0;
  /** By currency, units of 10^-12. */
  readonly #sums = new Map<string, bigint>();

  add(hold: Hold, sign: 1 | -1): void {
    this.count += sign;
    if (hold.amount === undefined) return;
    const currency = hold.currency ?? '';
    this.#sums.set(currency, this.sum(currency) + BigInt(sign) * hold.amount);
  }

  sum(currency: string | undefined): bigint {
    return this.#sums.get(currency ?? '') ?? 0n;
  }
}
