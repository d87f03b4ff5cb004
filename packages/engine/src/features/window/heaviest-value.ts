import type { CountsPart } from './counts-part.ts';

/**
 * What the most frequent value weighs, in rows and in the tail's part of a window together. Looks at all values of the
 * rows when the part is another, and then only at those whose rows have changed: what is added to a part has been a row
 * before.
 */
export class HeaviestValue {
  #part: CountsPart | undefined;
  #weight = 0;
  /** Whose that is; -1 for a value that stands in no row. */
  #number = -1;
  readonly #changed = new Set<number>();

  /** Another number of rows has this value. */
  changed(number: number): void {
    if (this.#part !== undefined) this.#changed.add(number);
  }

  /** It begins again. */
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

  /** Whether the one that was the heaviest has become lighter. */
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
