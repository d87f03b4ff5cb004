import { HashSet } from './hash-set.ts';

/** Beyond this number of evicted names, 4 to 12 bytes each, the filter is given up. */
const leftMax = 1_000_000;

/**
 * Knows whether a name that is not in memory is absent. If memory once contained everything, a name that is neither in
 * memory nor was evicted is absent, and needs no query. After a restart, and after too many evictions, nothing is
 * known.
 */
export class EvictionFilter {
  readonly #max: number;
  #isWhole: boolean;
  #left = new HashSet();

  /** @param isWhole whether everything that exists is in memory */
  constructor(isWhole: boolean, max = leftMax) {
    this.#isWhole = isWhole;
    this.#max = max;
  }

  /** Whether everything that exists is in memory. */
  get areNone(): boolean {
    return this.#isWhole && this.#left.size === 0;
  }

  /** Whether a name that is not in memory is known to be absent. */
  isAbsent(hash: number): boolean {
    return this.#isWhole && !this.#left.has(hash);
  }

  /** Records that a name was evicted. */
  add(hash: number): void {
    if (!this.#isWhole) return;
    this.#left.add(hash);
    if (this.#left.size <= this.#max) return;
    this.#isWhole = false;
    this.#left = new HashSet();
  }
}
