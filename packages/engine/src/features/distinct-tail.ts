import { firstAbove } from './columns.ts';

/** Says whether a value stands in the window's rows. */
export interface Covering {
  covers(number: number): boolean;
}

/** A value, by its number in the entity's dictionary, and the last time that it was seen. */
export type Sighting = readonly [number: number, atMs: number];

/**
 * What a `distinct` feature keeps of rows that were too many: per value the last time among them, oldest first.
 *
 * A value in the window counts once. Those that the rows hold are counted by the cursor; `alone` are the values that
 * the window's older part holds and no row in it does. The cursor tells when a value comes into its rows (`covered`)
 * and when the last one leaves (`uncovered`). Exact for every event that is not older than all rows.
 */
export class DistinctTail {
  /** Sightings by time; one that a later one of the same value has replaced stays until there are many such. */
  #numbers: number[] = [];
  #timesMs: number[] = [];
  #lastMs = new Map<number, number>();
  /** The window's edge and the first place behind it; values behind it that no row covers are `#alone`. */
  #edgeMs = Infinity;
  #first = 0;
  #alone = 0;

  /** How many values it keeps. */
  get size(): number {
    return this.#lastMs.size;
  }

  get lastMs(): number {
    return this.#timesMs.at(-1) ?? 0;
  }

  /** All that it keeps, by time. */
  *sightings(): Generator<Sighting> {
    for (let place = 0; place < this.#numbers.length; place++) {
      if (this.#isCurrent(place)) yield [this.#numbers[place]!, this.#timesMs[place]!];
    }
  }

  /** Takes values of rows that are dropped. The cursor must begin again. */
  add(sightings: readonly Sighting[]): void {
    let isInOrder = true;
    for (const [number, atMs] of sightings.toSorted(byTime)) {
      const knownMs = this.#lastMs.get(number);
      if (knownMs !== undefined && knownMs >= atMs) continue;
      isInOrder &&= this.#numbers.length === 0 || byTime([this.#numbers.at(-1)!, this.lastMs], [number, atMs]) < 0;
      this.#lastMs.set(number, atMs);
      this.#numbers.push(number);
      this.#timesMs.push(atMs);
    }
    if (!isInOrder || this.#numbers.length > 2 * this.size) this.#rebuild([...this.#lastMs].toSorted(byTime));
    this.restart();
  }

  /** Drops what was last seen until this instant. The cursor must begin again. */
  dropUntil(atMs: number): void {
    const dropped = firstAbove(this.#timesMs, atMs);
    for (let place = 0; place < dropped; place++) {
      if (this.#isCurrent(place)) this.#lastMs.delete(this.#numbers[place]!);
    }
    this.#numbers.splice(0, dropped);
    this.#timesMs.splice(0, dropped);
    this.restart();
  }

  /** Keeps some of the values, under the numbers that `numberOf` gives; `undefined` drops one. */
  renumber(numberOf: (number: number) => number | undefined): void {
    const kept: Sighting[] = [];
    for (const [number, atMs] of this.sightings()) {
      const to = numberOf(number);
      if (to !== undefined) kept.push([to, atMs]);
    }
    this.#rebuild(kept);
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
    const first = firstAbove(this.#timesMs, edgeMs);
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
    const lastMs = this.#lastMs.get(number);
    return lastMs !== undefined && lastMs > this.#edgeMs;
  }

  #countsAlone(place: number, rows: Covering): number {
    return this.#isCurrent(place) && !rows.covers(this.#numbers[place]!) ? 1 : 0;
  }

  #isCurrent(place: number): boolean {
    return this.#lastMs.get(this.#numbers[place]!) === this.#timesMs[place];
  }

  #rebuild(sorted: readonly Sighting[]): void {
    this.#numbers = sorted.map(([number]) => number);
    this.#timesMs = sorted.map(([, atMs]) => atMs);
    this.#lastMs = new Map(sorted);
  }
}

/** By time, then by number, so that the order never depends on the way it came about. */
function byTime([number, atMs]: Sighting, [otherNumber, otherMs]: Sighting): number {
  return atMs - otherMs || number - otherNumber;
}
