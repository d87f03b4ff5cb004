/*
 * Lists of numbers in typed arrays, which the garbage collector does not scan. The older rows of crowded entities take
 * thousands of such numbers.
 */
const roomMin = 16;

/** A growable array of numbers. */
export class NumberColumn {
  #values: Float64Array<ArrayBuffer> = new Float64Array(roomMin);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @param index from 0 to `length - 1`, here and below */
  at(index: number): number {
    return this.#values[index]!;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  copy(from: number, to: number): void {
    this.#values[to] = this.#values[from]!;
  }

  /** Inserts a value; those from `index` on move up by one. */
  insert(index: number, value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Float64Array(roomFor(this.#length));
      grown.set(this.#values);
      this.#values = grown;
    }
    if (index < this.#length) this.#values.copyWithin(index + 1, index, this.#length);
    this.#values[index] = value;
    this.#length++;
  }

  dropFirst(count: number): void {
    this.#values.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  keepFirst(count: number): void {
    this.#length = count;
  }

  /** Sum of all values. */
  get sum(): number {
    let sum = 0;
    for (let index = 0; index < this.#length; index++) sum += this.#values[index]!;
    return sum;
  }

  /** Sets each value to the sum of the other column from that index to its end; one more value, 0, follows. */
  becomeSumsOf(other: NumberColumn): void {
    const { length } = other;
    this.#reserveBehind(length);
    const [of, sums] = [other.#values, this.#values];
    sums[length] = 0;
    for (let index = length - 1; index >= 0; index--) sums[index] = sums[index + 1]! + of[index]!;
  }

  /**
   * Sets each value to the largest of the other column from that index to its end; the value after the last is
   * undefined.
   */
  becomeLargestOf(other: NumberColumn): void {
    const { length } = other;
    this.#reserveBehind(length);
    const [of, largest] = [other.#values, this.#values];
    if (length > 0) largest[length - 1] = of[length - 1]!;
    for (let index = length - 2; index >= 0; index--) {
      largest[index] = of[index]! > largest[index + 1]! ? of[index]! : largest[index + 1]!;
    }
  }

  /** Makes room for `length + 1` values; previous values may be lost. */
  #reserveBehind(length: number): void {
    if (this.#values.length <= length) this.#values = new Float64Array(roomFor(length + 1));
    this.#length = length + 1;
  }

  /** Index of the first value above the limit, for ascending values; the length if there is none. */
  firstAbove(limit: number): number {
    return firstAbove(this.#values, limit, this.#length);
  }
}

/** Index of the first value above the limit in an ascending list; its length if there is none. */
export function firstAbove(values: ArrayLike<number>, limit: number, length = values.length): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

function roomFor(length: number): number {
  return length + (length >>> 1);
}
