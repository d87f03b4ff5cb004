/** A number is split into three digits of 18 bits, so that sums of their products stay safe integers. */
const digit = 2 ** 18;
const digitBits = 18n;

/** The exact sum of squares of up to 8,192 safe integers. Adding and removing one needs no bigint. */
export class Squares {
  readonly #sums = [0, 0, 0, 0, 0];

  /** @param times 1 to add, -1 to remove */
  add(value: number, times: 1 | -1): void {
    const magnitude = Math.abs(value);
    const high = Math.floor(magnitude / (digit * digit));
    const rest = magnitude - high * digit * digit;
    const middle = Math.floor(rest / digit);
    const low = rest - middle * digit;
    this.#sums[0]! += times * low * low;
    this.#sums[1]! += times * 2 * middle * low;
    this.#sums[2]! += times * (2 * high * low + middle * middle);
    this.#sums[3]! += times * 2 * high * middle;
    this.#sums[4]! += times * high * high;
  }

  clear(): void {
    this.#sums.fill(0);
  }

  get total(): bigint {
    return this.#sums.reduceRight((total, sum) => (total << digitBits) + BigInt(sum), 0n);
  }
}
