import type { CountsPart } from './counts-part.ts';

/**
 * The weight of the most frequent value, in rows and in the tail's part of a window together. If there is a new part,
 * all values of the rows are compared; otherwise only those whose number of rows has changed. A part grows only by
 * former rows, so the values that it gained are among these.
 */
export class HeaviestValue {
  #part: CountsPart | undefined;
  #weight = 0;
  /** The value with that weight; -1 if it occurs in no row. */
  #number = -1;
  readonly #changed = new Set<number>();

  /** Must be called when the number of rows with this value has changed. */
  changed(number: number): void {
    if (this.#part !== undefined) this.#changed.add(number);
  }

  /** Discards the result. */
  clear(): void {
    this.#part = undefined;
    this.#changed.clear();
  }

  /** @param counts rows by value */
  find(counts: ReadonlyMap<number, number>, part: CountsPart): number {
    if (part !== this.#part || this.#isLighter(counts, part)) this.#lookAtAll(counts, part);
    else for (const number of this.#changed) this.#weigh(number, weightIn(counts, part, number));
    this.#changed.clear();
    return this.#weight;
  }

  /** Whether the previously heaviest value has become lighter. */
  #isLighter(counts: ReadonlyMap<number, number>, part: CountsPart): boolean {
    return this.#changed.has(this.#number) && weightIn(counts, part, this.#number) < this.#weight;
  }

  #lookAtAll(counts: ReadonlyMap<number, number>, part: CountsPart): void {
    this.#part = part;
    this.#weight = part.top;
    this.#number = -1;
    for (const number of counts.keys()) this.#weigh(number, weightIn(counts, part, number));
  }

  #weigh(number: number, weight: number): void {
    if (weight <= this.#weight) return;
    this.#weight = weight;
    this.#number = number;
  }
}

function weightIn(counts: ReadonlyMap<number, number>, part: CountsPart, number: number): number {
  return 2 * (counts.get(number) ?? 0) + (part.weights.get(number) ?? 0);
}
