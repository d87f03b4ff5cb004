/*
 * Lists of numbers that lie in one piece of memory each: the garbage collector does not look through them. What crowded
 * entities keep of older rows are thousands of such numbers.
 */
const roomMin = 16;

/** Numbers one behind the other. */
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

  /** Becomes the sums of another one from each of its numbers to the last; behind them stands 0. */
  becomeSumsOf(other: NumberColumn): void {
    const { length } = other;
    if (this.#values.length <= length) this.#values = new Float64Array(roomFor(length + 1));
    const [of, sums] = [other.#values, this.#values];
    sums[length] = 0;
    for (let index = length - 1; index >= 0; index--) sums[index] = sums[index + 1]! + of[index]!;
    this.#length = length + 1;
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
  #values: BigInt64Array<ArrayBuffer> = new BigInt64Array(roomMin);
  /** All of them, once one was too large. */
  #large: bigint[] | undefined;
  #length = 0;

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

  /** Becomes the sums of another one from each of its numbers to the last; behind them stands 0. */
  becomeSumsOf(other: BigColumn): void {
    this.#makeRoomBehind(other);
    this.#large = other.#large === undefined && this.#haveSumsOf(other) ? undefined : largeSumsOf(other.#all());
  }

  /** Becomes the largest of another one's numbers from each to the last; what stands behind them is not to be asked for. */
  becomeLargestOf(other: BigColumn): void {
    this.#makeRoomBehind(other);
    this.#large = undefined;
    if (other.#large !== undefined) {
      this.#large = largestOf(other.#large);
      return;
    }
    const [of, largest] = [other.#values, this.#values];
    const last = other.#length - 1;
    if (last >= 0) largest[last] = of[last]!;
    for (let index = last - 1; index >= 0; index--) {
      largest[index] = of[index]! > largest[index + 1]! ? of[index]! : largest[index + 1]!;
    }
  }

  #makeRoomBehind(other: BigColumn): void {
    this.#length = other.#length + 1;
    if (this.#values.length < this.#length) this.#values = new BigInt64Array(roomFor(this.#length));
  }

  /** Quick because no number of these loops is an object. @returns whether all sums have 64 bits */
  #haveSumsOf(other: BigColumn): boolean {
    const [of, sums] = [other.#values, this.#values];
    let isWhole = true;
    sums[other.#length] = 0n;
    for (let index = other.#length - 1; index >= 0; index--) {
      const [before, added] = [sums[index + 1]!, of[index]!];
      const sum = BigInt.asIntN(64, before + added);
      sums[index] = sum;
      // Too large is what has another sign than both.
      if (((before ^ sum) & (added ^ sum)) < 0n) isWhole = false;
    }
    return isWhole;
  }

  #all(): bigint[] {
    return this.#large ?? Array.from(this.#values.subarray(0, this.#length));
  }

  /** Whether they are kept as large ones, from now on at the latest when this value is one. */
  #isLarge(value: bigint): boolean {
    if (this.#large !== undefined) return true;
    if (BigInt.asIntN(64, value) === value) return false;
    this.#large = this.#all();
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

function largeSumsOf(values: readonly bigint[]): bigint[] {
  const sums = [...values, 0n];
  for (let index = values.length - 1; index >= 0; index--) sums[index] = sums[index]! + sums[index + 1]!;
  return sums;
}

/** Apart from the loop over numbers of 64 bits: compiled for these, one for both took larger ones for their lowest bits (V8 of Node 26). */
function largestOf(values: readonly bigint[]): bigint[] {
  const largest = [...values];
  for (let index = values.length - 2; index >= 0; index--) {
    if (largest[index + 1]! > largest[index]!) largest[index] = largest[index + 1]!;
  }
  return largest;
}

function roomFor(length: number): number {
  return length + (length >>> 1);
}
