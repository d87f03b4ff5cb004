import type { DistinctTail } from './distinct-tail.ts';
import { MovingWindow } from './moving-window.ts';
import type { Rows } from './rows.ts';

const none = -1;
/** Never changed: there is nothing in it. */
const noOccurrences = new Int32Array(0);
const occurrencesMin = 16;

/** A window's count, sum or extreme. Exact, because ticks are whole numbers whose sums stay safe. */
export class Cursor extends MovingWindow {
  /** Rows in the window that count; for `distinct` the values among them. */
  count = 0;
  ticks = 0;
  /** The row with the smallest or largest value; -1 when it is not known. */
  #extreme = none;
  /** Of `distinct`: how often each value stands in the window's rows, by number. */
  #occurrences = noOccurrences;

  constructor(rows: Rows, index: number) {
    super(rows, index);
    rows.distinctTails[index]?.restart();
  }

  /** Whether a value stands in the window's rows. */
  covers(number: number): boolean {
    return (this.#occurrences[number] ?? 0) > 0;
  }

  /** The smallest or largest value of the window, in ticks; the window holds at least one. */
  extremeTicks(rows: Rows): number {
    if (this.#extreme === none) {
      for (let row = this.low; row < this.high; row++) if (this.holds(rows, row)) this.#weigh(rows, row);
    }
    return rows.value(this.#extreme, this.feature.column);
  }

  override inserted(rows: Rows, row: number): void {
    if (row < this.high && this.#extreme >= row) this.#extreme++;
    super.inserted(rows, row);
  }

  override shifted(by: number): void {
    super.shifted(by);
    if (this.#extreme !== none) this.#extreme -= by;
  }

  protected override clear(): void {
    this.count = 0;
    this.ticks = 0;
    this.#extreme = none;
  }

  protected override enter(rows: Rows, row: number): void {
    const { kind, column } = this.feature;
    if (kind === 'distinct') {
      this.#enterValue(rows.value(row, column), rows.distinctTails[this.index]);
      return;
    }
    this.count++;
    if (column < 0) return;
    if (kind !== 'min' && kind !== 'max') this.ticks += rows.value(row, column);
    else if (this.count === 1 || this.#extreme !== none) this.#weigh(rows, row);
  }

  protected override leave(rows: Rows, row: number): void {
    const { kind, column } = this.feature;
    if (kind === 'distinct') {
      this.#leaveValue(rows.value(row, column), rows.distinctTails[this.index]);
      return;
    }
    this.count--;
    if (column < 0) return;
    if (kind !== 'min' && kind !== 'max') this.ticks -= rows.value(row, column);
    else if (this.#extreme === row) this.#extreme = none;
  }

  #enterValue(number: number, tail: DistinctTail | undefined): void {
    if (number >= this.#occurrences.length) {
      const grown = new Int32Array(Math.max(occurrencesMin, number + (number >>> 1)));
      grown.set(this.#occurrences);
      this.#occurrences = grown;
    }
    if (++this.#occurrences[number]! > 1) return;
    this.count++;
    tail?.covered(number);
  }

  #leaveValue(number: number, tail: DistinctTail | undefined): void {
    if (--this.#occurrences[number]! > 0) return;
    this.count--;
    tail?.uncovered(number);
  }

  /** Of equal values the later row is kept: it stays in the window for longer. */
  #weigh(rows: Rows, row: number): void {
    const { kind, column } = this.feature;
    if (this.#extreme !== none) {
      const difference = rows.value(row, column) - rows.value(this.#extreme, column);
      if (kind === 'max' ? difference < 0 : difference > 0) return;
    }
    this.#extreme = row;
  }
}
