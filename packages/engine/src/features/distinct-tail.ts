import { NumberColumn } from './columns.ts';

/** Says whether a value stands in the window's rows. */
export interface Covering {
  covers(number: number): boolean;
}

/** A value, by its number in the entity's dictionary, and the last time that it was seen. */
export type Sighting = readonly [number: number, atMs: number];

/** Earlier than any event. */
const never = -Infinity;
const noTimes = new Float64Array(0);
const timesMin = 16;

/**
 * What a `distinct` feature keeps of rows that were too many: per value the last time among them, oldest first.
 *
 * A value in the window counts once. Those that the rows hold are counted by the cursor; `alone` are the values that
 * the window's older part holds and no row in it does. The cursor tells when a value comes into its rows (`covered`)
 * and when the last one leaves (`uncovered`). Exact for every event that is not older than all rows.
 */
export class DistinctTail {
  /** Sightings by time; one that a later one of the same value has replaced stays until there are many such. */
  readonly #numbers = new NumberColumn();
  readonly #timesMs = new NumberColumn();
  /** By number, the last time of each value that it keeps; of all others `never`. */
  #lastMs = noTimes;
  #size = 0;
  /** The window's edge and the first place behind it; values behind it that no row covers are `#alone`. */
  #edgeMs = Infinity;
  #first = 0;
  #alone = 0;

  /** How many values it keeps. */
  get size(): number {
    return this.#size;
  }

  get lastMs(): number {
    const { length } = this.#timesMs;
    return length === 0 ? 0 : this.#timesMs.at(length - 1);
  }

  /** All that it keeps, by time. */
  *sightings(): Generator<Sighting> {
    for (let place = 0; place < this.#numbers.length; place++) {
      if (this.#isCurrent(place)) yield [this.#numbers.at(place), this.#timesMs.at(place)];
    }
  }

  /** Takes values of rows that are dropped. The cursor must begin again. */
  add(sightings: readonly Sighting[]): void {
    let isInOrder = true;
    for (const sighting of sightings.toSorted(byTime)) {
      const [number, atMs] = sighting;
      const knownMs = this.#lastOf(number);
      if (knownMs >= atMs) continue;
      isInOrder &&= this.#numbers.length === 0 || byTime(this.#newest, sighting) < 0;
      this.#note(number, atMs);
    }
    if (!isInOrder) this.#sort();
    else if (this.#numbers.length > 2 * this.size) this.#keepCurrent((number) => number);
    this.restart();
  }

  /** Drops what was last seen until this instant. The cursor must begin again. */
  dropUntil(atMs: number): void {
    const dropped = this.#timesMs.firstAbove(atMs);
    for (let place = 0; place < dropped; place++) {
      if (!this.#isCurrent(place)) continue;
      this.#lastMs[this.#numbers.at(place)] = never;
      this.#size--;
    }
    this.#numbers.dropFirst(dropped);
    this.#timesMs.dropFirst(dropped);
    this.restart();
  }

  /** Keeps some of the values, under the numbers that `numberOf` gives; `undefined` drops one. */
  renumber(numberOf: (number: number) => number | undefined): void {
    this.#keepCurrent(numberOf);
    this.restart();
  }

  /** The cursor begins again, with no value in its rows. */
  restart(): void {
    this.#edgeMs = Infinity;
    this.#first = this.#numbers.length;
    this.#alone = 0;
  }

  /** How many values later than `edgeMs` stand in no row of the window. */
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

  get #newest(): Sighting {
    return [this.#numbers.at(this.#numbers.length - 1), this.lastMs];
  }

  /** A sighting behind all others, later than those of its value. */
  #note(number: number, atMs: number): void {
    this.#reserve(number);
    if (this.#lastMs[number] === never) this.#size++;
    this.#lastMs[number] = atMs;
    this.#numbers.insert(this.#numbers.length, number);
    this.#timesMs.insert(this.#timesMs.length, atMs);
  }

  #reserve(number: number): void {
    if (number < this.#lastMs.length) return;
    const grown = new Float64Array(Math.max(timesMin, number + (number >>> 1))).fill(never, this.#lastMs.length);
    grown.set(this.#lastMs);
    this.#lastMs = grown;
  }

  /** Forgets sightings that a later one of the same value has replaced, and values that get no number. */
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
    this.#size = kept;
    this.#lastMs = noTimes;
    this.#reserve(most);
    for (let place = 0; place < kept; place++) this.#lastMs[this.#numbers.at(place)] = this.#timesMs.at(place);
  }

  #sort(): void {
    const sorted = [...this.sightings()].toSorted(byTime);
    this.#keepCurrent(() => undefined);
    for (const [number, atMs] of sorted) this.#note(number, atMs);
  }
}

/** By time, then by number, so that the order never depends on the way it came about. */
function byTime([number, atMs]: Sighting, [otherNumber, otherMs]: Sighting): number {
  return atMs - otherMs || number - otherNumber;
}
