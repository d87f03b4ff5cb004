import { HashSet } from './hash-set.ts';

/** Of so many names that left, 4 to 12 bytes each, all are forgotten. */
const leftMax = 1_000_000;

/**
 * What is known of names that are not in memory. As long as all that exists was in memory once, a name that neither is
 * there nor has left is absent, and nobody has to ask. After a restart, and when too many have left, nothing is known.
 */
export class LeftNames {
  readonly #max: number;
  #isWhole: boolean;
  #left = new HashSet();

  /** @param isWhole whether all that exists is in memory */
  constructor(isWhole: boolean, max = leftMax) {
    this.#isWhole = isWhole;
    this.#max = max;
  }

  /** Whether all that exists is in memory. */
  get areNone(): boolean {
    return this.#isWhole && this.#left.size === 0;
  }

  /** Whether a name that is not in memory is known to be absent. */
  isAbsent(hash: number): boolean {
    return this.#isWhole && !this.#left.has(hash);
  }

  /** A name leaves memory. */
  add(hash: number): void {
    if (!this.#isWhole) return;
    this.#left.add(hash);
    if (this.#left.size <= this.#max) return;
    this.#isWhole = false;
    this.#left = new HashSet();
  }
}
