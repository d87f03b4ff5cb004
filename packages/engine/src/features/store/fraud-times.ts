import { labelledMax } from '../../limits.ts';
import { firstAbove } from './columns.ts';

/** A fraudulent event: when it happened, and its offset in the log. */
export type FraudTime = readonly [atMs: number, offset: number];

/**
 * The events of one entity and feature that are labelled as fraud, by time. They are few, so each is kept
 * individually, even after its row was merged into a bucket. A repeated label changes nothing, and a withdrawn one
 * only its event.
 */
export class FraudTimes {
  #timesMs: number[] = [];
  #offsets: number[] = [];

  get all(): readonly FraudTime[] {
    return this.#timesMs.map((atMs, place) => [atMs, this.#offsets[place]!]);
  }

  /** Adds a fraudulent event. */
  add(atMs: number, offset: number): void {
    if (this.#placeOf(atMs, offset) >= 0) return;
    const place = firstAbove(this.#timesMs, atMs);
    this.#timesMs.splice(place, 0, atMs);
    this.#offsets.splice(place, 0, offset);
    if (this.#timesMs.length > labelledMax) this.#drop(1);
  }

  /** Removes an event that is not fraud after all. */
  remove(atMs: number, offset: number): void {
    const place = this.#placeOf(atMs, offset);
    if (place < 0) return;
    this.#timesMs.splice(place, 1);
    this.#offsets.splice(place, 1);
  }

  /** Number of events in `(edgeMs, nowMs]`. */
  count(edgeMs: number, nowMs: number): number {
    return Math.max(0, firstAbove(this.#timesMs, nowMs) - firstAbove(this.#timesMs, edgeMs));
  }

  /** Time of the newest event that is not later than `nowMs`; there must be one. */
  newestMs(nowMs: number): number {
    return this.#timesMs[firstAbove(this.#timesMs, nowMs) - 1]!;
  }

  /** Time of the first event later than `atMs`; there must be one. */
  firstAfterMs(atMs: number): number {
    return this.#timesMs[firstAbove(this.#timesMs, atMs)]!;
  }

  /** Number of events at `atMs`. */
  countAt(atMs: number): number {
    let place = firstAbove(this.#timesMs, atMs);
    const end = place;
    while (place > 0 && this.#timesMs[place - 1] === atMs) place--;
    return end - place;
  }

  dropUntil(atMs: number): void {
    this.#drop(firstAbove(this.#timesMs, atMs));
  }

  #drop(count: number): void {
    this.#timesMs.splice(0, count);
    this.#offsets.splice(0, count);
  }

  #placeOf(atMs: number, offset: number): number {
    for (let place = firstAbove(this.#timesMs, atMs) - 1; this.#timesMs[place] === atMs; place--) {
      if (this.#offsets[place] === offset) return place;
    }
    return -1;
  }
}
