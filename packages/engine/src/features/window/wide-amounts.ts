import type { KeptKind } from '@ringfence/policy';
import {
  type BucketAmount,
  type BucketAmounts,
  type Newer,
  type PartAmount,
  partsPerWhole,
  type Span,
} from '../tail/bucket-amounts.ts';
import type { NumberColumn } from '../store/columns.ts';
import { isExtreme } from '../store/layout.ts';
import { less, type Moments, nothing, spreadOf, together } from './moments.ts';
import type { ColumnKind } from '../store/row-shape.ts';
import { widened } from './ticks.ts';

const bigPartsPerWhole = BigInt(partsPerWhole);
const none: BucketAmount = { amount: 0n, weight: 0n, squares: 0n };

/** Amounts of any size, as bigints, and the moments of deviations. */
export class WideAmounts implements BucketAmounts {
  readonly #column: ColumnKind;
  readonly #isExtreme: boolean;
  readonly #isDeviation: boolean;
  /** Row counts of the same buckets. */
  readonly #counts: NumberColumn;
  readonly #all: BucketAmount[] = [];
  /** Sums, or largest values, from each bucket to the newest. */
  #ends: readonly BucketAmount[] = [none];
  /** Total of everything newer than the bucket passed to `mayMerge`; `undefined` for nothing. */
  #newer: bigint | undefined;
  #newerMoments = nothing;

  constructor(of: { readonly column: ColumnKind; readonly kind: KeptKind; readonly counts: NumberColumn }) {
    this.#column = of.column;
    this.#isExtreme = isExtreme(of.kind);
    this.#isDeviation = of.kind === 'stddev';
    this.#counts = of.counts;
  }

  insert(index: number, amount: bigint): void {
    this.restore(index, this.#ofOne(amount));
  }

  /** Restores a bucket from a snapshot. */
  restore(index: number, bucket: BucketAmount): void {
    this.#all.splice(index, 0, bucket);
  }

  /** Adds a value to a bucket. */
  add(index: number, amount: bigint): void {
    this.#all[index] = this.#joined(this.at(index), this.#ofOne(amount));
  }

  at(index: number): BucketAmount {
    return this.#all[index]!;
  }

  copy(from: number, to: number): void {
    this.#all[to] = this.at(from);
  }

  dropFirst(count: number): void {
    this.#all.splice(0, count);
  }

  beginMerge({ ticks, wide, moments }: Newer): void {
    this.#newer = wide ?? (ticks === undefined ? undefined : widened(this.#column, ticks));
    this.#newerMoments = moments;
  }

  mayMerge(older: number, into: number): boolean {
    const both = this.#joined(this.at(into), this.at(older));
    if (this.#isExtreme) {
      const floor = larger(both.weight, this.#newer);
      return (both.amount - floor) * bigPartsPerWhole <= magnitudeOf(both.amount);
    }
    if (!this.#isDeviation) return both.weight * bigPartsPerWhole <= (this.#newer ?? 0n);
    const moments = together(this.#momentsAt(older), this.#momentsAt(into));
    return distanceOf(moments, this.#newerMoments) * bigPartsPerWhole <= spreadOf(this.#newerMoments);
  }

  mergeInto(into: number, older: number): void {
    this.#all[into] = this.#joined(this.at(into), this.at(older));
  }

  pass(index: number): void {
    const { amount, weight } = this.at(index);
    this.#newer = this.#isExtreme ? larger(amount, this.#newer) : weight + (this.#newer ?? 0n);
    if (this.#isDeviation) this.#newerMoments = together(this.#newerMoments, this.#momentsAt(index));
  }

  fold(): void {
    const ends = [...this.#all, none];
    for (let index = this.#all.length - 2; index >= 0; index--)
      ends[index] = this.#joined(ends[index]!, ends[index + 1]!);
    this.#ends = ends;
  }

  sumOf({ first, end, low, high }: Span): PartAmount {
    const sum = this.#ends[first]!.amount - this.#ends[end]!.amount;
    return { ticks: undefined, wide: sum - this.#halfOf(low) - this.#halfOf(high) };
  }

  largestOf(first: number, end: number): PartAmount {
    if (end === this.#all.length) return { ticks: undefined, wide: this.#ends[first]!.amount };
    let wide = this.at(first).amount;
    for (let index = first + 1; index < end; index++) wide = larger(wide, this.at(index).amount);
    return { ticks: undefined, wide };
  }

  /** Half the rows of a bucket that is cut count, assuming that they are average rows. @param count of all rows */
  momentsOf({ first, end, low, high }: Span, count: number): Moments {
    const [from, to] = [this.#ends[first]!, this.#ends[end]!];
    let moments: Moments = { count, sum: from.amount - to.amount, squares: from.squares - to.squares };
    for (const index of [low, high]) {
      if (index === undefined) continue;
      const bucket = this.#momentsAt(index);
      moments = together(less(moments, bucket), halfOf(bucket));
    }
    return moments;
  }

  #ofOne(amount: bigint): BucketAmount {
    return {
      amount,
      weight: this.#isExtreme ? amount : magnitudeOf(amount),
      squares: this.#isDeviation ? amount * amount : 0n,
    };
  }

  /** Merges two amounts; the newer one first. */
  #joined(newer: BucketAmount, older: BucketAmount): BucketAmount {
    if (this.#isExtreme) return { amount: larger(newer.amount, older.amount), weight: newer.weight, squares: 0n };
    return {
      amount: newer.amount + older.amount,
      weight: newer.weight + older.weight,
      squares: newer.squares + older.squares,
    };
  }

  #momentsAt(index: number): Moments {
    const { amount, squares } = this.at(index);
    return { count: this.#counts.at(index), sum: amount, squares };
  }

  #halfOf(index: number | undefined): bigint {
    return index === undefined ? 0n : this.at(index).amount / 2n;
  }
}

function halfOf({ count, sum, squares }: Moments): Moments {
  const half = Math.floor(count / 2);
  const [part, whole] = [BigInt(half), BigInt(count)];
  return { count: half, sum: (sum * part) / whole, squares: (squares * part) / whole };
}

/**
 * Squared distance of the bucket's values from the mean of what is newer, in the unit in which `spreadOf` measures
 * that.
 */
function distanceOf(bucket: Moments, newer: Moments): bigint {
  if (newer.count === 0) return 1n;
  const count = BigInt(newer.count);
  return count * bucket.squares - 2n * newer.sum * bucket.sum + (BigInt(bucket.count) * newer.sum * newer.sum) / count;
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function larger(value: bigint, other: bigint | undefined): bigint {
  return other !== undefined && other > value ? other : value;
}
