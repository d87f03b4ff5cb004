/*
 * Lists of numbers that lie in one piece of memory each: the garbage collector does not look through them. What crowded
 * entities keep of older rows are thousands of such numbers.
 */
const roomMin = 16;

/** Numbers one behind the other. */
export class NumberColumn {
  #values: Float64Array<ArrayBuffer>;
  #length: number;

  /** @param zeros that it begins with */
  constructor(zeros = 0) {
    this.#values = new Float64Array(Math.max(roomMin, zeros));
    this.#length = zeros;
  }

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

  /** Those from here on move up by one. */
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

  /**
   * Index of the first value above the limit, where values rise; the length when there is none.
   *
   * @param near is looked at first, and the next one: an index up to the length
   */
  firstAbove(limit: number, near = 0): number {
    if (this.#isFirstAbove(limit, near)) return near;
    if (this.#isFirstAbove(limit, near + 1)) return near + 1;
    return firstAbove(this.#values, limit, this.#length);
  }

  #isFirstAbove(limit: number, index: number): boolean {
    if (index > this.#length || (index > 0 && this.#values[index - 1]! > limit)) return false;
    return index === this.#length || this.#values[index]! > limit;
  }
}

/** Whole numbers one behind the other, of any size: as long as all have 64 bits they take no more. */
export class BigColumn {
  #values: BigInt64Array<ArrayBuffer>;
  /** All of them, once one was too large. */
  #large: bigint[] | undefined;
  #length: number;

  /** @param zeros that it begins with */
  constructor(zeros = 0) {
    this.#values = new BigInt64Array(Math.max(roomMin, zeros));
    this.#length = zeros;
  }

  at(index: number): bigint {
    return this.#large === undefined ? this.#values[index]! : this.#large[index]!;
  }

  set(index: number, value: bigint): void {
    if (this.#isLarge(value)) this.#large![index] = value;
    else this.#values[index] = value;
  }

  copy(from: number, to: number): void {
    if (this.#large === undefined) this.#values[to] = this.#values[from]!;
    else this.#large[to] = this.#large[from]!;
  }

  /** Those from here on move up by one. */
  insert(index: number, value: bigint): void {
    if (this.#isLarge(value)) {
      this.#large!.splice(index, 0, value);
      return;
    }
    if (this.#length === this.#values.length) {
      const grown = new BigInt64Array(roomFor(this.#length));
      grown.set(this.#values);
      this.#values = grown;
    }
    if (index < this.#length) this.#values.copyWithin(index + 1, index, this.#length);
    this.#values[index] = value;
    this.#length++;
  }

  dropFirst(count: number): void {
    if (this.#large !== undefined) {
      this.#large.splice(0, count);
      return;
    }
    this.#values.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  /** Whether they are kept as large ones, from now on at the latest when this value is one. */
  #isLarge(value: bigint): boolean {
    if (this.#large !== undefined) return true;
    if (BigInt.asIntN(64, value) === value) return false;
    this.#large = Array.from(this.#values.subarray(0, this.#length));
    return true;
  }
}

/** Index of the first value above the limit, in a list that rises; its length when there is none. */
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
