/** Objects looked at in one go: more than a record brings into use. */
const looksMax = 64;
/** One place in so many is for newcomers. */
const newcomerShare = 256;

/** An object that stands for an entity while it is in use. */
export interface Usable {
  /** Whether it was asked for since it came, or since it was looked at last. */
  touched: boolean;
}

/**
 * Objects in use. Beyond a number some are put away, one by one. Most of those that come are asked for once and not again
 * for long: a newcomer that nobody asks for a second time leaves after a short while, while it is young to the collector.
 * The others become regulars, each of whom leaves when it has not been asked for since its last turn. Who comes back soon
 * after leaving is a regular at once (S3-FIFO; Yang and others, SOSP 2023).
 *
 * So the collector walks few objects, whatever is in memory.
 */
export class InUse<E extends Usable> {
  readonly #newcomers = new Fifo<E>();
  readonly #regulars = new Fifo<E>();
  /** Hashes of newcomers that left, each in the place that its last bits name until another one takes it. */
  readonly #left: Int32Array;
  readonly #max: number;
  readonly #hashOf: (entity: E) => number;
  readonly #putAway: (entity: E) => void;

  /**
   * @param hashOf of what it is known by when it comes back, 32 bits
   * @param putAway is told of objects that were dropped in the meantime as well
   */
  constructor(max: number, hashOf: (entity: E) => number, putAway: (entity: E) => void) {
    this.#max = max;
    this.#hashOf = hashOf;
    this.#putAway = putAway;
    this.#left = new Int32Array(1 << (31 - Math.clz32(max | 1)));
  }

  add(entity: E): void {
    entity.touched = false;
    const hash = this.#hashOf(entity) | 0;
    const hasLeft = this.#left[hash & (this.#left.length - 1)] === hash;
    (hasLeft ? this.#regulars : this.#newcomers).push(entity);
  }

  /** To be called while nobody holds an object: at the beginning of a step. */
  rest(): void {
    const [newcomers, regulars] = [this.#newcomers, this.#regulars];
    for (let look = 0; look < looksMax && newcomers.length + regulars.length > this.#max; look++) {
      const isCrowded = newcomers.length * newcomerShare > this.#max;
      this.#look(isCrowded || regulars.length === 0 ? newcomers : regulars);
    }
  }

  #look(queue: Fifo<E>): void {
    const entity = queue.shift();
    if (entity.touched) {
      entity.touched = false;
      this.#regulars.push(entity);
      return;
    }
    if (queue === this.#newcomers) {
      const hash = this.#hashOf(entity) | 0;
      this.#left[hash & (this.#left.length - 1)] = hash;
    }
    this.#putAway(entity);
  }
}

/** First come, first served. */
class Fifo<E> {
  /** Those that come, and those before them the other way round. */
  #coming: E[] = [];
  #leaving: E[] = [];

  get length(): number {
    return this.#coming.length + this.#leaving.length;
  }

  push(entity: E): void {
    this.#coming.push(entity);
  }

  /** Takes out the first; there must be one. */
  shift(): E {
    if (this.#leaving.length === 0) {
      this.#leaving = this.#coming.reverse();
      this.#coming = [];
    }
    return this.#leaving.pop()!;
  }
}
