/** Objects visited per call: more than a record brings into use. */
const looksMax = 64;
/** One place in 256 is for new objects. */
const newcomerShare = 256;

/** An object that represents an entity while it is in use. */
export interface Usable {
  /** Whether it was accessed since it was added or last visited. */
  touched: boolean;
}

/**
 * Cache of the objects in use (S3-FIFO; Yang and others, SOSP 2023). Above `max`, objects are put away one by one.
 * Most objects are accessed once and then not for a long time: a new object without a second access is put away soon,
 * while it is still in the young generation of the garbage collector. Others move to the main queue, which they leave
 * if they were not accessed since their last visit. An object that returns soon after leaving goes straight to the
 * main queue.
 *
 * So the garbage collector scans few objects, however many entities are in memory.
 */
export class InUse<E extends Usable> {
  readonly #newcomers = new Fifo<E>();
  readonly #regulars = new Fifo<E>();
  /**
   * Hashes of objects that left the short queue, each at the index of its low bits, until another one overwrites it.
   */
  readonly #left: Int32Array;
  readonly #max: number;
  readonly #hashOf: (entity: E) => number;
  readonly #putAway: (entity: E) => void;

  /**
   * @param hashOf identifies an object when it returns, 32 bits
   * @param putAway is also called for objects that were dropped in the meantime
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

  /** Must be called while no code holds an object: at the beginning of a step. */
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

/** First-in, first-out queue. */
class Fifo<E> {
  /** Objects added last, in order; and those added before them, in reverse. */
  #coming: E[] = [];
  #leaving: E[] = [];

  get length(): number {
    return this.#coming.length + this.#leaving.length;
  }

  push(entity: E): void {
    this.#coming.push(entity);
  }

  /** Removes the first object; the queue must not be empty. */
  shift(): E {
    if (this.#leaving.length === 0) {
      this.#leaving = this.#coming.reverse();
      this.#coming = [];
    }
    return this.#leaving.pop()!;
  }
}
