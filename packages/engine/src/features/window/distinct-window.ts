import type { Covering, DistinctTail } from '../tail/distinct-tail.ts';
import { ObjectWindow } from './moving-window.ts';
import type { Rows } from '../store/rows.ts';

/** Never mutated: it is empty. */
const noOccurrences = new Int32Array(0);
const occurrencesMin = 16;

/** The distinct values of a window's rows. */
export class DistinctWindow extends ObjectWindow implements Covering {
  readonly #index: number;
  count = 0;
  /** Number of rows in the window with each value, by its number. */
  #occurrences = noOccurrences;

  constructor(rows: Rows, index: number) {
    super(rows, index);
    this.#index = index;
    this.#tailIn(rows)?.restart();
  }

  covers(number: number): boolean {
    return (this.#occurrences[number] ?? 0) > 0;
  }

  protected override clear(): void {
    this.count = 0;
    this.#occurrences = noOccurrences;
  }

  protected override enter(rows: Rows, row: number): void {
    const number = rows.value(row, this.feature.column);
    if (number >= this.#occurrences.length) {
      const grown = new Int32Array(Math.max(occurrencesMin, number + (number >>> 1)));
      grown.set(this.#occurrences);
      this.#occurrences = grown;
    }
    if (++this.#occurrences[number]! > 1) return;
    this.count++;
    this.#tailIn(rows)?.covered(number);
  }

  protected override leave(rows: Rows, row: number): void {
    const number = rows.value(row, this.feature.column);
    if (--this.#occurrences[number]! > 0) return;
    this.count--;
    this.#tailIn(rows)?.uncovered(number);
  }

  #tailIn({ distinctTails }: Rows): DistinctTail | undefined {
    return distinctTails[this.#index];
  }
}
