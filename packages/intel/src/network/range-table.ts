/**
 * A value for each range of addresses of one version, found by binary search: 20 steps for a million ranges. Ranges are
 * stored in one array of numbers, so that they cost a few bytes each and no garbage collection.
 */
export class RangeTable {
  /** Words that distinguish two addresses here; further ones are ignored. */
  readonly #width: number;
  /** First address of each range, ascending; a range ends where the next one begins. */
  readonly #starts: Uint32Array;
  /** The value of each range; 0 for none. */
  readonly #values: Uint32Array;

  constructor(width: number, starts: Uint32Array, values: Uint32Array) {
    this.#width = width;
    this.#starts = starts;
    this.#values = values;
  }

  get size(): number {
    return this.#values.length;
  }

  /** The value at an address; 0 if there is none. */
  at(words: readonly number[]): number {
    let low = 0;
    let high = this.#values.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, words) <= 0) low = middle + 1;
      else high = middle - 1;
    }
    return high < 0 ? 0 : this.#values[high]!;
  }

  #compare(stretch: number, words: readonly number[]): number {
    const from = stretch * this.#width;
    for (let at = 0; at < this.#width; at++) {
      const difference = this.#starts[from + at]! - words[at]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

/** A range as in a file, both ends included. */
export interface Range {
  readonly first: bigint;
  readonly last: bigint;
  /** 1 or more. */
  readonly value: number;
}

/** Builds the table of these ranges. If they overlap, the narrower one wins. */
export function tableOf(ranges: readonly Range[], width: number): RangeTable {
  const starts: number[] = [];
  const values: number[] = [];
  const put = (first: bigint, value: number): void => {
    const isBehindAll = first >> BigInt(32 * width) !== 0n;
    if (isBehindAll || values.at(-1) === value || (values.length === 0 && value === 0)) return;
    for (let word = width - 1; word >= 0; word--) starts.push(Number((first >> BigInt(32 * word)) & 0xffff_ffffn));
    values.push(value);
  };
  for (const { first, value } of flattened(ranges)) put(first, value);
  return new RangeTable(width, Uint32Array.from(starts), Uint32Array.from(values));
}

interface Start {
  readonly first: bigint;
  readonly value: number;
}

/** Larger than any address. */
const behindAll = 1n << 129n;

/** The start of each value, ascending; of equal starts the last one counts. */
function flattened(ranges: readonly Range[]): readonly Start[] {
  // Wider ones first, so that narrower ones inside them override them.
  const sorted = ranges.toSorted((a, b) => (a.first === b.first ? compare(b.last, a.last) : compare(a.first, b.first)));
  const starts: Start[] = [];
  const open: Range[] = [];
  const begin = (first: bigint, value: number): void => {
    if (starts.at(-1)?.first === first) starts.pop();
    starts.push({ first, value });
  };
  const closeBefore = (first: bigint): void => {
    for (let top = open.at(-1); top !== undefined && top.last < first; top = open.at(-1)) {
      open.pop();
      while (open.length > 0 && open.at(-1)!.last <= top.last) open.pop();
      begin(top.last + 1n, open.at(-1)?.value ?? 0);
    }
  };
  for (const range of sorted) {
    closeBefore(range.first);
    open.push(range);
    begin(range.first, range.value);
  }
  closeBefore(behindAll);
  return starts;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
