import { assert } from '@ringfence/contract';

/** Marks of an entity: where it is in the lists of changed ones. */
export interface Marks<E> {
  /** Number of the checkpoint before which it changed; 0 for never. */
  changedIn(entity: E): number;
  /** Its index in the list that it was added to last. */
  placeOf(entity: E): number;
  mark(entity: E, changedIn: number, place: number): void;
}

/** Entities that are read before the first of them is captured. */
const lookedAtTogether = 64;

/**
 * The entities that changed since the last checkpoint, and those of the checkpoint that is being captured. A capture
 * contains their state at its beginning: an entity that is about to change before its turn is captured first.
 */
export class ChangedList<E> {
  readonly #marks: Marks<E>;
  #changed: (E | undefined)[] = [];
  /** Entities still to be captured; `undefined` for those already captured. */
  #pending: (E | undefined)[] = [];
  #next = 0;
  #capture: (entity: E) => void = () => {};

  constructor(marks: Marks<E>) {
    this.#marks = marks;
  }

  /** Must be called before the entity changes. */
  change(entity: E, generation: number): void {
    if (this.#marks.changedIn(entity) === generation) return;
    this.#captureFirst(entity);
    this.#marks.mark(entity, generation, this.#changed.push(entity) - 1);
  }

  /** Begins a capture of everything that has changed; `captureSome` continues it. */
  begin(capture: (entity: E) => void): void {
    assert(this.#next === this.#pending.length, 'a checkpoint must not begin before the previous one is captured');
    this.#pending = this.#changed;
    this.#next = 0;
    this.#changed = [];
    this.#capture = capture;
  }

  /** Captures at most `countMax` entities. Returns how many were handled. */
  captureSome(countMax: number): number {
    const end = Math.min(this.#pending.length, this.#next + countMax);
    const count = end - this.#next;
    while (this.#next < end) this.#captureUntil(Math.min(end, this.#next + lookedAtTogether));
    return count;
  }

  /** Reads all of them first, so that the processor waits for their cache misses at the same time. */
  #captureUntil(end: number): void {
    for (let place = this.#next; place < end; place++) {
      const entity = this.#pending[place];
      assert(entity === undefined || this.#marks.placeOf(entity) === place, 'the place of a changed entity is wrong');
    }
    while (this.#next < end) {
      const entity = this.#pending[this.#next];
      this.#pending[this.#next++] = undefined;
      if (entity !== undefined) this.#capture(entity);
    }
  }

  /** Removes an entity that is about to be deleted; it is captured first if necessary. */
  remove(entity: E): void {
    this.#captureFirst(entity);
    const place = this.#marks.placeOf(entity);
    if (this.#changed[place] === entity) this.#changed[place] = undefined;
  }

  /** Replaces the identity of an entity; its marks must already be copied. */
  rename(from: E, to: E): void {
    const place = this.#marks.placeOf(to);
    if (this.#changed[place] === from) this.#changed[place] = to;
    if (this.#pending[place] === from) this.#pending[place] = to;
  }

  /** Captures the entity now, if a running capture has not done so. */
  #captureFirst(entity: E): void {
    const place = this.#marks.placeOf(entity);
    if (this.#pending[place] !== entity) return;
    this.#pending[place] = undefined;
    this.#capture(entity);
  }
}
