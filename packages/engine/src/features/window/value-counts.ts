import type { CountsPart } from './counts-part.ts';
import { HeaviestValue } from './heaviest-value.ts';

/** Number of occurrences of the values in a window's rows. */
export interface Occurrences {
  /** Rows. */
  readonly count: number;
  /** Rows with the most frequent value. */
  readonly top: number;
  of(number: number): number;
  /** Weight of the most frequent value, including older rows. */
  heaviest(part: CountsPart): number;
}

/** The occurrences in a few rows, counted again for each window. */
export class ValueCounts implements Occurrences {
  count = 0;
  top = 0;
  readonly #counts = new Map<number, number>();

  of(number: number): number {
    return this.#counts.get(number) ?? 0;
  }

  heaviest(part: CountsPart): number {
    return new HeaviestValue().find(this.#counts, part);
  }

  add(number: number): void {
    const count = this.of(number) + 1;
    this.#counts.set(number, count);
    this.count++;
    if (count > this.top) this.top = count;
  }

  clear(): void {
    this.count = 0;
    this.top = 0;
    this.#counts.clear();
  }
}
