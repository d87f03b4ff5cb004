import type { LayoutFeature } from '../store/layout.ts';
import { counts, type Rows } from '../store/rows.ts';

/** The window of one question: `(edgeMs, nowMs]`, of one currency (-1 for all). */
export interface Window {
  edgeMs: number;
  nowMs: number;
  currency: number;
}

/**
 * A window over an entity's rows that moves instead of being read again: what enters is added, what leaves is taken
 * away. It may move back for a late event. What it holds of its rows is up to the kinds of feature.
 */
export abstract class MovingWindow {
  protected abstract readonly feature: LayoutFeature;
  /** First row of the window, and the row behind its last. */
  protected abstract low: number;
  protected abstract high: number;
  /** Of its rows; -1 for all. */
  protected abstract currency: number;
  /** Of the last question; Infinity before the first. */
  protected abstract edgeMs: number;

  move(rows: Rows, window: Window): void {
    if (window.currency !== this.currency) this.#restart(rows, window.currency);
    const { edgeMs, nowMs } = window;
    const { head, end } = rows;
    // What is too old for the window need not come in and go again: after a sweep, or a rest, that would be all of it.
    if (this.low === this.high && this.low < end && rows.atMs(this.low) <= edgeMs) this.#jump(rows, edgeMs);
    while (this.high < end && rows.atMs(this.high) <= nowMs) this.#enter(rows, this.high++);
    while (this.high > head && rows.atMs(this.high - 1) > nowMs) {
      this.high--;
      if (this.high >= this.low) this.#leave(rows, this.high);
      else this.low = this.high;
    }
    while (this.low < this.high && rows.atMs(this.low) <= edgeMs) this.#leave(rows, this.low++);
    this.edgeMs = edgeMs;
    this.#reachBack(rows);
  }

  /**
   * A row was put in at this index, filled; rows behind it have moved by one. A row of the window comes in at once: it
   * may go to the tails before anybody asks, and then has to leave.
   */
  inserted(rows: Rows, row: number): void {
    if (row >= this.high) return;
    this.high++;
    if (row > this.low) {
      this.#enter(rows, row);
      return;
    }
    this.low++;
    this.#reachBack(rows);
  }

  /** The rows have moved to the front by so many. */
  shifted(by: number): void {
    this.low -= by;
    this.high -= by;
  }

  /** Rows before `head` are dropped, and still to be read: they leave it. @returns false when it lies before them all, and must begin again */
  leaveUntil(rows: Rows, head: number): boolean {
    if (this.high < head) return false;
    while (this.low < head) this.#leave(rows, this.low++);
    return true;
  }

  /** Whether a row between `low` and `high` is one of the window's. */
  protected holds(rows: Rows, row: number): boolean {
    if (!counts(this.feature, rows, row)) return false;
    const { currency } = this.feature;
    return currency < 0 || rows.value(row, currency) === this.currency;
  }

  /** A row that counts comes in. */
  protected abstract enter(rows: Rows, row: number): void;

  /** A row that counts goes. */
  protected abstract leave(rows: Rows, row: number): void;

  /** Nothing is in the window any more. */
  protected abstract clear(): void;

  /** Begins behind this instant, where nothing is in the window yet. */
  #jump(rows: Rows, edgeMs: number): void {
    let behind = rows.end;
    while (this.low < behind) {
      const middle = (this.low + behind) >>> 1;
      if (rows.atMs(middle) > edgeMs) behind = middle;
      else this.low = middle + 1;
    }
    this.high = this.low;
  }

  /** Takes in what lies before its first row and is of the window. */
  #reachBack(rows: Rows): void {
    while (this.low > rows.head && rows.atMs(this.low - 1) > this.edgeMs) this.#enter(rows, --this.low);
  }

  #restart(rows: Rows, currency: number): void {
    this.low = rows.head;
    this.high = rows.head;
    this.currency = currency;
    this.clear();
  }

  #enter(rows: Rows, row: number): void {
    if (this.holds(rows, row)) this.enter(rows, row);
  }

  #leave(rows: Rows, row: number): void {
    if (this.holds(rows, row)) this.leave(rows, row);
  }
}

/** One that is an object, for what does not fit into a few numbers. */
export abstract class ObjectWindow extends MovingWindow {
  protected override readonly feature: LayoutFeature;
  protected override low: number;
  protected override high: number;
  protected override currency = -1;
  protected override edgeMs = Infinity;

  /** @param index the feature's among those of the layout */
  constructor(rows: Rows, index: number) {
    super();
    this.feature = rows.layout.features[index]!;
    this.low = rows.head;
    this.high = rows.head;
  }
}
