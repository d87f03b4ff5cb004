import { assert } from '@ringfence/contract';

/** What an entity remembers of the lists that it is in. */
export interface Marks<E> {
  /** Number of the checkpoint that it changed before; 0 for never. */
  changedIn(entity: E): number;
  /** Its place in the list that it was put into last. */
  placeOf(entity: E): number;
  mark(entity: E, changedIn: number, place: number): void;
}

/** Entities that are looked at before the first of them is captured. */
const lookedAtTogether = 64;

/**
 * Entities that changed since the last checkpoint, and those of the checkpoint that is being captured. Captured is what
 * they were when the capture began: one that is about to change before its turn is captured first.
 */
export class ChangedList<E> {
  readonly #marks: Marks<E>;
  #changed: (E | undefined)[] = [];
  /** Entities yet to be captured; `undefined` in place of those that were. */
  #pending: (E | undefined)[] = [];
  #next = 0;
  #capture: (entity: E) => void = () => {};

  constructor(marks: Marks<E>) {
    this.#marks = marks;
  }

  /** To be called before the entity changes. */
  change(entity: E, generation: number): void {
    if (this.#marks.changedIn(entity) === generation) return;
    this.#captureFirst(entity);
    this.#marks.mark(entity, generation, this.#changed.push(entity) - 1);
  }

  /** What has changed is captured from now on, one after the other, by `captureSome`. */
  begin(capture: (entity: E) => void): void {
    assert(this.#next === this.#pending.length, 'a checkpoint begins when the one before has been captured');
    this.#pending = this.#changed;
    this.#next = 0;
    this.#changed = [];
    this.#capture = capture;
  }

  /** Captures at most so many. Answers how many are done with. */
  captureSome(countMax: number): number {
    const end = Math.min(this.#pending.length, this.#next + countMax);
    const count = end - this.#next;
    while (this.#next < end) this.#captureUntil(Math.min(end, this.#next + lookedAtTogether));
    return count;
  }

  /** Looks at all of them first: the processor then waits for their memory, which no cache holds, together. */
  #captureUntil(end: number): void {
    for (let place = this.#next; place < end; place++) {
      const entity = this.#pending[place];
      assert(entity === undefined || this.#marks.placeOf(entity) === place, 'an entity knows its place');
    }
    while (this.#next < end) {
      const entity = this.#pending[this.#next];
      this.#pending[this.#next++] = undefined;
      if (entity !== undefined) this.#capture(entity);
    }
  }

  /** The entity is no more: what it was is captured, and that it changed is forgotten. */
  remove(entity: E): void {
    this.#captureFirst(entity);
    const place = this.#marks.placeOf(entity);
    if (this.#changed[place] === entity) this.#changed[place] = undefined;
  }

  /** An entity goes by another name from now on; its marks went with it. */
  rename(from: E, to: E): void {
    const place = this.#marks.placeOf(to);
    if (this.#changed[place] === from) this.#changed[place] = to;
    if (this.#pending[place] === from) this.#pending[place] = to;
  }

  /** Captures it now where its turn has not come yet. */
  #captureFirst(entity: E): void {
    const place = this.#marks.placeOf(entity);
    if (this.#pending[place] !== entity) return;
    this.#pending[place] = undefined;
    this.#capture(entity);
  }
}
