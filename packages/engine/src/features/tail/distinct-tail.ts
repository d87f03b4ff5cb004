import { NumberColumn } from '../store/columns.ts';

/** Whether a value occurs in the window's rows. */
export interface Covering {
  covers(number: number): boolean;
}

/** A value, by its number in the entity's dictionary, and the last time it was seen. */
export type Sighting = readonly [number: number, atMs: number];

/** Earlier than any event. */
const never = -Infinity;
const noTimes = new Float64Array(0);
const timesMin = 16;

/**
 * What a `distinct` feature keeps of old rows beyond the bound: for each value its last time among them, oldest first.
 *
 * A value in the window counts once. The moving window counts the values of its rows. `alone` is the number of values
 * that occur in the older part of the window, but in none of its rows. The moving window reports when a value enters
 * its rows (`covered`) and when the last row with it leaves (`uncovered`). Exact for every event that is not older
 * than all rows.
 */
export class DistinctTail {
  /** Sightings by time. Dropped sightings, and those replaced by a later one of the same value, are removed in bulk. */
  readonly #numbers = new NumberColumn();
  readonly #timesMs = new NumberColumn();
  /** How many of the oldest were dropped. */
  #dropped = 0;
  /** The last time of each kept value, by its number; `never` for others. */
  #lastMs = noTimes;
  #size = 0;
  /** The window's edge, and the first place after it. `#alone` counts the values from there on that no row covers. */
  #edgeMs = Infinity;
  #first = 0;
  #alone = 0;

  /** Number of kept values. */
  get size(): number {
    return this.#size;
  }

  get lastMs(): number {
    const { length } = this.#timesMs;
    return length === 0 ? 0 : this.#timesMs.at(length - 1);
  }

  /** All kept sightings, by time. */
  *sightings(): Generator<Sighting> {
    for (let place = 0; place < this.#numbers.length; place++) {
      if (this.#isCurrent(place)) yield [this.#numbers.at(place), this.#timesMs.at(place)];
    }
  }

  /** Marks each kept value, by its number, with 1. */
  mark(marks: Uint8Array): void {
    for (let place = 0; place < this.#numbers.length; place++) {
      if (this.#isCurrent(place)) marks[this.#numbers.at(place)] = 1;
    }
  }

  /**
   * Adds the values of rows that are about to be dropped. Those later than the window's edge are still covered by its
   * rows, and become alone with `uncovered`.
   */
  add(sightings: readonly Sighting[]): void {
    for (const [number, atMs] of sightings.toSorted(byTime)) if (this.#lastOf(number) < atMs) this.#note(number, atMs);
    if (this.#numbers.length > 2 * this.size) this.#keepCurrent((number) => number);
    this.#first = this.#timesMs.firstAbove(this.#edgeMs);
  }

  /** Drops values last seen at or before this time. */
  dropUntil(atMs: number): void {
    const dropped = this.#timesMs.firstAbove(atMs);
    for (; this.#dropped < dropped; this.#dropped++) {
      if (!this.#isCurrent(this.#dropped)) continue;
      this.#lastMs[this.#numbers.at(this.#dropped)] = never;
      this.#size--;
    }
    if (this.#first < dropped) this.restart();
  }

  /**
   * Renumbers the values; those for which `numberOf` returns `undefined` are dropped. The moving window must begin
   * again.
   */
  renumber(numberOf: (number: number) => number | undefined): void {
    this.#keepCurrent(numberOf);
    this.restart();
  }

  /** The next call of `alone` counts from scratch. */
  restart(): void {
    this.#edgeMs = Infinity;
    this.#first = this.#numbers.length;
    this.#alone = 0;
  }

  /** Number of values later than `edgeMs` that occur in no row of the window. */
  alone(edgeMs: number, rows: Covering): number {
    const first = this.#timesMs.firstAbove(edgeMs);
    while (this.#first > first) this.#alone += this.#countsAlone(--this.#first, rows);
    while (this.#first < first) this.#alone -= this.#countsAlone(this.#first++, rows);
    this.#edgeMs = edgeMs;
    return this.#alone;
  }

  covered(number: number): void {
    if (this.#isBehindEdge(number)) this.#alone--;
  }

  uncovered(number: number): void {
    if (this.#isBehindEdge(number)) this.#alone++;
  }

  #isBehindEdge(number: number): boolean {
    return this.#lastOf(number) > this.#edgeMs;
  }

  #countsAlone(place: number, rows: Covering): number {
    return this.#isCurrent(place) && !rows.covers(this.#numbers.at(place)) ? 1 : 0;
  }

  #isCurrent(place: number): boolean {
    return this.#lastMs[this.#numbers.at(place)] === this.#timesMs.at(place);
  }

  #lastOf(number: number): number {
    return number < this.#lastMs.length ? this.#lastMs[number]! : never;
  }

  /** Records a sighting later than the previous one of its value. */
  #note(number: number, atMs: number): void {
    this.#reserve(number);
    if (this.#lastMs[number] === never) this.#size++;
    this.#lastMs[number] = atMs;
    let place = atMs > this.lastMs ? this.#timesMs.length : this.#timesMs.firstAbove(atMs);
    // Sightings of equal time are sorted by number, so that the order does not depend on how they were added.
    while (place > 0 && this.#timesMs.at(place - 1) === atMs && this.#numbers.at(place - 1) > number) place--;
    this.#numbers.insert(place, number);
    this.#timesMs.insert(place, atMs);
  }

  #reserve(number: number): void {
    if (number < this.#lastMs.length) return;
    const grown = new Float64Array(Math.max(timesMin, number + (number >>> 1))).fill(never, this.#lastMs.length);
    grown.set(this.#lastMs);
    this.#lastMs = grown;
  }

  /** Removes dropped and replaced sightings, and values without a new number. */
  #keepCurrent(numberOf: (number: number) => number | undefined): void {
    let kept = 0;
    let most = -1;
    for (let place = 0; place < this.#numbers.length; place++) {
      if (!this.#isCurrent(place)) continue;
      const number = numberOf(this.#numbers.at(place));
      if (number === undefined) continue;
      most = Math.max(most, number);
      this.#numbers.set(kept, number);
      this.#timesMs.set(kept++, this.#timesMs.at(place));
    }
    this.#numbers.keepFirst(kept);
    this.#timesMs.keepFirst(kept);
    this.#dropped = 0;
    this.#size = kept;
    this.#lastMs = noTimes;
    this.#reserve(most);
    for (let place = 0; place < kept; place++) this.#lastMs[this.#numbers.at(place)] = this.#timesMs.at(place);
  }
}

/** By time, then by number. */
function byTime([number, atMs]: Sighting, [otherNumber, otherMs]: Sighting): number {
  return atMs - otherMs || number - otherNumber;
}
