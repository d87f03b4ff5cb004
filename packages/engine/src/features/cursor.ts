import type { DistinctTail } from './distinct-tail.ts';
import type { LayoutFeature } from './layout.ts';
import { counts, type Rows } from './rows.ts';

/** The window of one question: `(edgeMs, nowMs]`, of one currency (-1 for all). */
export interface Window {
  edgeMs: number;
  nowMs: number;
  currency: number;
}

const none = -1;

/**
 * A window over an entity's rows that moves instead of being read again: what enters is added, what leaves is taken
 * away. It may move back for a late event. Exact, because ticks are whole numbers whose sums stay safe.
 */
export class Cursor {
  readonly #feature: LayoutFeature;
  readonly #index: number;
  /** First row of the window, and the row behind its last. */
  #low: number;
  #high: number;
  #currency = none;
  /** Rows in the window that count; for `distinct` the values among them. */
  count = 0;
  ticks = 0;
  /** The row with the smallest or largest value; -1 when it is not known. */
  #extreme = none;
  readonly #occurrences: number[] = [];

  /** @param index the feature's among those of the layout */
  constructor(rows: Rows, index: number) {
    this.#feature = rows.layout.features[index]!;
    this.#index = index;
    this.#low = rows.head;
    this.#high = rows.head;
    rows.distinctTails[index]?.restart();
  }

  /** Whether a value stands in the window's rows. */
  covers(number: number): boolean {
    return (this.#occurrences[number] ?? 0) > 0;
  }

  move(rows: Rows, window: Window): void {
    if (window.currency !== this.#currency) this.#restart(rows, window.currency);
    const { edgeMs, nowMs } = window;
    const { head, end } = rows;
    while (this.#high < end && rows.atMs(this.#high) <= nowMs) this.#enter(rows, this.#high++);
    while (this.#high > head && rows.atMs(this.#high - 1) > nowMs) {
      this.#high--;
      if (this.#high >= this.#low) this.#leave(rows, this.#high);
      else this.#low = this.#high;
    }
    while (this.#low < this.#high && rows.atMs(this.#low) <= edgeMs) this.#leave(rows, this.#low++);
    while (this.#low > head && rows.atMs(this.#low - 1) > edgeMs) this.#enter(rows, --this.#low);
  }

  /** The smallest or largest value of the window, in ticks; the window holds at least one. */
  extremeTicks(rows: Rows): number {
    if (this.#extreme === none) {
      for (let row = this.#low; row < this.#high; row++) {
        if (counts(this.#feature, rows, row) && this.#ofCurrency(rows, row)) this.#weigh(rows, row);
      }
    }
    return rows.value(this.#extreme, this.#feature.column);
  }

  /** A row was put in at this index, filled; rows behind it have moved by one. */
  inserted(rows: Rows, row: number): void {
    if (row >= this.#high) return;
    if (this.#extreme >= row) this.#extreme++;
    this.#high++;
    if (row <= this.#low) this.#low++;
    else this.#enter(rows, row);
  }

  /** The rows have moved to the front by so many. */
  shifted(by: number): void {
    this.#low -= by;
    this.#high -= by;
    if (this.#extreme !== none) this.#extreme -= by;
  }

  /** Whether rows before `head` are dropped without it noticing. */
  survives(head: number): boolean {
    return this.#low >= head;
  }

  #restart(rows: Rows, currency: number): void {
    this.#low = rows.head;
    this.#high = rows.head;
    this.#currency = currency;
    this.count = 0;
    this.ticks = 0;
    this.#extreme = none;
  }

  #enter(rows: Rows, row: number): void {
    const feature = this.#feature;
    if (!counts(feature, rows, row) || !this.#ofCurrency(rows, row)) return;
    if (feature.kind === 'distinct') {
      this.#enterValue(rows.value(row, feature.column), rows.distinctTails[this.#index]);
      return;
    }
    this.count++;
    if (feature.column < 0) return;
    if (feature.kind !== 'min' && feature.kind !== 'max') this.ticks += rows.value(row, feature.column);
    else if (this.count === 1 || this.#extreme !== none) this.#weigh(rows, row);
  }

  #leave(rows: Rows, row: number): void {
    const feature = this.#feature;
    if (!counts(feature, rows, row) || !this.#ofCurrency(rows, row)) return;
    if (feature.kind === 'distinct') {
      this.#leaveValue(rows.value(row, feature.column), rows.distinctTails[this.#index]);
      return;
    }
    this.count--;
    if (feature.column < 0) return;
    if (feature.kind !== 'min' && feature.kind !== 'max') this.ticks -= rows.value(row, feature.column);
    else if (this.#extreme === row) this.#extreme = none;
  }

  #enterValue(number: number, tail: DistinctTail | undefined): void {
    const before = this.#occurrences[number] ?? 0;
    while (this.#occurrences.length <= number) this.#occurrences.push(0);
    this.#occurrences[number] = before + 1;
    if (before > 0) return;
    this.count++;
    tail?.covered(number);
  }

  #leaveValue(number: number, tail: DistinctTail | undefined): void {
    const after = this.#occurrences[number]! - 1;
    this.#occurrences[number] = after;
    if (after > 0) return;
    this.count--;
    tail?.uncovered(number);
  }

  /** Of equal values the later row is kept: it stays in the window for longer. */
  #weigh(rows: Rows, row: number): void {
    const feature = this.#feature;
    if (this.#extreme !== none) {
      const difference = rows.value(row, feature.column) - rows.value(this.#extreme, feature.column);
      if (feature.kind === 'max' ? difference < 0 : difference > 0) return;
    }
    this.#extreme = row;
  }

  #ofCurrency(rows: Rows, row: number): boolean {
    const { currency } = this.#feature;
    return currency < 0 || rows.value(row, currency) === this.#currency;
  }
}
