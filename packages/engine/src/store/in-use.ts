/** Objects looked at in one go: more than a record brings into use. */
const looksMax = 64;

/** An object that stands for an entity while it is in use. */
export interface Usable {
  /** Whether it was asked for since the hand came by last. */
  touched: boolean;
}

/**
 * Objects in use. Beyond a number those that nobody asked for lately are put away, one by one: a hand goes round and
 * takes what was not touched since its last visit (CLOCK). So the collector walks few objects, whatever is in memory.
 */
export class InUse<E extends Usable> {
  readonly #all: E[] = [];
  readonly #max: number;
  readonly #putAway: (entity: E) => void;
  #hand = 0;

  /** @param putAway is told of objects that were dropped in the meantime as well */
  constructor(max: number, putAway: (entity: E) => void) {
    this.#max = max;
    this.#putAway = putAway;
  }

  add(entity: E): void {
    entity.touched = true;
    this.#all.push(entity);
  }

  /** To be called while nobody holds an object: at the beginning of a step. */
  rest(): void {
    const all = this.#all;
    for (let look = 0; look < looksMax && all.length > this.#max; look++) {
      if (this.#hand >= all.length) this.#hand = 0;
      const entity = all[this.#hand]!;
      if (entity.touched) {
        entity.touched = false;
        this.#hand++;
        continue;
      }
      const last = all.pop()!;
      if (last !== entity) all[this.#hand] = last;
      this.#putAway(entity);
    }
  }
}
