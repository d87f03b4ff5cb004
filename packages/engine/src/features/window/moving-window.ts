import type { LayoutFeature } from '../store/layout.ts';
import { counts, type Rows } from '../store/rows.ts';

/** The window to read: `(edgeMs, nowMs]`, of one currency (-1 for all). */
export interface Window {
  edgeMs: number;
  nowMs: number;
  currency: number;
}

/**
 * A window over an entity's rows that is updated instead of being read again: entering rows are added, and leaving
 * rows subtracted. It can move back for a late event. Subclasses define what is computed from the rows.
 */
export abstract class MovingWindow {
  protected abstract readonly feature: LayoutFeature;
  /** First row of the window, and the row after its last. */
  protected abstract low: number;
  protected abstract high: number;
  /** Currency of its rows; -1 for all. */
  protected abstract currency: number;
  /** Edge of the last read; Infinity before the first. */
  protected abstract edgeMs: number;

  move(rows: Rows, window: Window): void {
    if (window.currency !== this.currency) this.#restart(rows, window.currency);
    const { edgeMs, nowMs } = window;
    const { head, end } = rows;
    // An empty window jumps over rows that are too old for it; after a sweep or an idle period these would be all rows.
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
   * Must be called after a row was inserted at this index and filled; later rows have moved up by one. A row of the
   * window is added now, not at the next read: it may be moved to the tails before, and would then be subtracted.
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

  /** Must be called when the rows have moved to the front by `by` places. */
  shifted(by: number): void {
    this.low -= by;
    this.high -= by;
  }

  /**
   * Must be called before the rows before `head` are dropped: they leave the window.
   * @returns false if the window ends before `head`, and must begin again
   */
  leaveUntil(rows: Rows, head: number): boolean {
    if (this.high < head) return false;
    while (this.low < head) this.#leave(rows, this.low++);
    return true;
  }

  /** Whether a row between `low` and `high` belongs to the window. */
  protected holds(rows: Rows, row: number): boolean {
    if (!counts(this.feature, rows, row)) return false;
    const { currency } = this.feature;
    return currency < 0 || rows.value(row, currency) === this.currency;
  }

  /** Adds a row that counts. */
  protected abstract enter(rows: Rows, row: number): void;

  /** Subtracts a row that counts. */
  protected abstract leave(rows: Rows, row: number): void;

  /** Makes the window empty. */
  protected abstract clear(): void;

  /** Moves an empty window to the first row after this time. */
  #jump(rows: Rows, edgeMs: number): void {
    let behind = rows.end;
    while (this.low < behind) {
      const middle = (this.low + behind) >>> 1;
      if (rows.atMs(middle) > edgeMs) behind = middle;
      else this.low = middle + 1;
    }
    this.high = this.low;
  }

  /** Adds the rows before its first that belong to the window. */
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

/** A moving window that is an object, for state that does not fit into a few numbers. */
export abstract class ObjectWindow extends MovingWindow {
  protected override readonly feature: LayoutFeature;
  protected override low: number;
  protected override high: number;
  protected override currency = -1;
  protected override edgeMs = Infinity;

  /** @param index of the feature in the layout */
  constructor(rows: Rows, index: number) {
    super();
    this.feature = rows.layout.features[index]!;
    this.low = rows.head;
    this.high = rows.head;
  }
}
