import { assert } from '@ringfence/contract';

/** Steps per power of two: a value is known to within 1/128, that is 0.8 %. */
const subBits = 7;
const sub = 2 ** subBits;
/** Values of up to 2^31 us (36 minutes) have 24 powers of two above the exact range. */
const slots = sub * (31 - subBits + 1);

/**
 * Counts of whole microseconds, exact below 128 us and within 0.8 % above (the idea of HdrHistogram: linear steps
 * inside each power of two). Recording costs a few nanoseconds and never allocates.
 */
export class Histogram {
  readonly #counts: Float64Array;
  #count = 0;
  #maxUs = 0;

  constructor(counts: ArrayLike<number> = new Float64Array(slots), maxUs = 0) {
    this.#counts = Float64Array.from(counts);
    this.#count = this.#counts.reduce((sum, count) => sum + count, 0);
    this.#maxUs = maxUs;
  }

  get count(): number {
    return this.#count;
  }

  /** The largest value recorded, exactly. */
  get maxUs(): number {
    return this.#maxUs;
  }

  record(valueUs: number): void {
    const value = Math.max(0, Math.min(2 ** 31 - 1, Math.round(valueUs)));
    const slot = slotOf(value);
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
    this.#count++;
    if (value > this.#maxUs) this.#maxUs = value;
  }

  /** The value that the share `q` (0 to 1) of all recordings does not exceed, rounded up to its step. 0 when empty. */
  quantileUs(q: number): number {
    assert(q >= 0 && q <= 1, 'a quantile is a share');
    const wanted = Math.ceil(q * this.#count);
    let seen = 0;
    for (let slot = 0; slot < slots; slot++) {
      seen += this.#counts[slot] ?? 0;
      if (seen >= wanted && seen > 0) return Math.min(this.#maxUs, highestOf(slot));
    }
    return 0;
  }

  /** What another process needs to build it again: the constructor's arguments. */
  toParts(): { readonly counts: readonly number[]; readonly maxUs: number } {
    return { counts: [...this.#counts], maxUs: this.#maxUs };
  }
}

function slotOf(value: number): number {
  if (value < sub) return value;
  const shift = 31 - Math.clz32(value) - subBits;
  return (shift + 1) * sub + ((value >>> shift) & (sub - 1));
}

function highestOf(slot: number): number {
  if (slot < sub) return slot;
  const shift = Math.floor(slot / sub) - 1;
  return (sub + (slot % sub) + 1) * 2 ** shift - 1;
}
