import type { KeptKind } from '@ringfence/policy';
import { bucketShareMax } from '../limits.ts';
import { type Moments, nothing, spreadOf, together } from './moments.ts';

/** What is newer than a bucket, and in every window that the bucket's edge is in. */
export interface Newer {
  readonly count: number;
  /** Sum of the magnitudes; for extremes the largest value, `undefined` for none. */
  readonly weight: bigint | undefined;
  /** Of a deviation: what it is made of. */
  readonly moments: Moments;
}

export interface TailPart {
  readonly count: number;
  /** The sum, or the extreme; `undefined` for none. */
  readonly amount: bigint | undefined;
}

/** Rows that became one. */
export interface Bucket {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
  /** The sum of the values; for extremes the largest. */
  readonly amount: bigint;
  /** The sum of the magnitudes; for extremes the value of the newest part, which every window that cuts the bucket holds. */
  readonly weight: bigint;
  /** Of a deviation: the sum of the squares; else 0. */
  readonly squares: bigint;
}

/** One part in so many: `bucketShareMax`, for bigints. */
const partsPerWhole = BigInt(Math.round(1 / bucketShareMax));

/**
 * What one feature keeps of rows that were too many, oldest first.
 *
 * Buckets begin as single rows and are merged from the newest back, as long as one holds at most `bucketShareMax` of
 * all that is newer (in number, and in sum of magnitudes). A window's edge can lie in one bucket only, of which half
 * is taken: so count and sum are off by at most half that share of all that is newer than the edge, and the number
 * of buckets grows with the logarithm of what they hold. `min` is kept as `max` of the negated values; a value that a
 * newer one outweighs is merged freely, others when they are within `bucketShareMax` of each other.
 * Source: Datar, Gionis, Indyk, Motwani, "Maintaining stream statistics over sliding windows" (2002).
 */
export class BucketTail {
  readonly feature: number;
  readonly kind: KeptKind;
  /** Number of the currency in the entity's dictionary; -1 for all. */
  currency: number;
  #fromMs: number[] = [];
  #toMs: number[] = [];
  #counts: number[] = [];
  #amounts: bigint[] = [];
  #weights: bigint[] = [];
  #squares: bigint[] = [];
  #ends: Ends | undefined;

  constructor(of: { readonly feature: number; readonly currency: number; readonly kind: KeptKind }) {
    this.feature = of.feature;
    this.currency = of.currency;
    this.kind = of.kind;
  }

  get buckets(): number {
    return this.#counts.length;
  }

  get lastMs(): number {
    return this.#toMs.at(-1) ?? 0;
  }

  bucketAt(index: number): Bucket {
    return {
      fromMs: this.#fromMs[index]!,
      toMs: this.#toMs[index]!,
      count: this.#counts[index]!,
      amount: this.#amounts[index]!,
      weight: this.#weights[index]!,
      squares: this.#squares[index]!,
    };
  }

  /** One row more, of any time. */
  add(atMs: number, value: bigint): void {
    const amount = this.kind === 'min' ? -value : value;
    const index = firstAbove(this.#toMs, atMs);
    this.#ends = undefined;
    if (index < this.buckets && this.#fromMs[index]! <= atMs) {
      this.#counts[index]!++;
      this.#amounts[index] = this.#isExtreme ? larger(this.#amounts[index]!, amount) : this.#amounts[index]! + amount;
      if (!this.#isExtreme) this.#weights[index]! += magnitudeOf(amount);
      this.#squares[index]! += this.#squareOf(amount);
      return;
    }
    this.#fromMs.splice(index, 0, atMs);
    this.#toMs.splice(index, 0, atMs);
    this.#counts.splice(index, 0, 1);
    this.#amounts.splice(index, 0, amount);
    this.#weights.splice(index, 0, this.#isExtreme ? amount : magnitudeOf(amount));
    this.#squares.splice(index, 0, this.#squareOf(amount));
  }

  /** A bucket as it was kept, newer than all that are here. */
  append(bucket: Bucket): void {
    this.#fromMs.push(bucket.fromMs);
    this.#toMs.push(bucket.toMs);
    this.#counts.push(bucket.count);
    this.#amounts.push(bucket.amount);
    this.#weights.push(bucket.weight);
    this.#squares.push(bucket.squares);
    this.#ends = undefined;
  }

  /** Drops what ended at or before this instant. */
  dropUntil(atMs: number): void {
    const dropped = firstAbove(this.#toMs, atMs);
    if (dropped === 0) return;
    for (const cells of [this.#fromMs, this.#toMs, this.#counts, this.#amounts, this.#weights, this.#squares])
      cells.splice(0, dropped);
    this.#ends = undefined;
  }

  /** Merges neighbours as far as the error allows; `newer` is what the rows still hold. Costs one look at each bucket. */
  merge(newer: Newer): void {
    let current = this.buckets === 0 ? undefined : this.bucketAt(this.buckets - 1);
    let { count, weight, moments } = newer;
    const merged: Bucket[] = [];
    for (let index = this.buckets - 2; index >= 0 && current !== undefined; index--) {
      const older = this.bucketAt(index);
      const both = this.#together(older, current);
      if (this.#mayMerge(both, { count, weight, moments })) {
        current = both;
        continue;
      }
      merged.push(current);
      count += current.count;
      weight = this.#newerWeight(current, weight);
      moments = together(moments, momentsOf(current));
      current = older;
    }
    if (current !== undefined) merged.push(current);
    this.dropUntil(this.lastMs);
    for (const bucket of merged.reverse()) this.append(bucket);
  }

  /** All that it holds, as it looks to what is older. */
  whole(): Newer {
    let count = 0;
    let weight: bigint | undefined;
    let moments = nothing;
    for (let index = 0; index < this.buckets; index++) {
      count += this.#counts[index]!;
      weight = this.#newerWeight(this.bucketAt(index), weight);
      moments = together(moments, momentsOf(this.bucketAt(index)));
    }
    return { count, weight, moments };
  }

  /** What lies in `(edgeMs, nowMs]`: of a bucket that an end cuts, half; for extremes the whole. */
  part(edgeMs: number, nowMs: number): TailPart {
    const first = firstAbove(this.#toMs, edgeMs);
    const end = firstAbove(this.#fromMs, nowMs);
    if (first >= end) return { count: 0, amount: undefined };
    const ends = (this.#ends ??= this.#fold());
    const count = ends.counts[first]! - ends.counts[end]!;
    if (this.#isExtreme) {
      const amount = end === this.buckets ? ends.amounts[first]! : this.#largest(first, end);
      return { count, amount: this.kind === 'min' ? -amount : amount };
    }
    const amount = ends.amounts[first]! - ends.amounts[end]!;
    const low = this.#isCut(first, edgeMs, nowMs) ? first : undefined;
    const high = end - 1 !== first && this.#isCut(end - 1, edgeMs, nowMs) ? end - 1 : undefined;
    return { count: count - half(this.#counts, low, high), amount: amount - halfBig(this.#amounts, low, high) };
  }

  /** The same of a deviation: of a bucket that an end cuts, half of its rows, as they are on the average. */
  moments(edgeMs: number, nowMs: number): Moments {
    let moments = nothing;
    const end = firstAbove(this.#fromMs, nowMs);
    for (let index = firstAbove(this.#toMs, edgeMs); index < end; index++) {
      const bucket = momentsOf(this.bucketAt(index));
      moments = together(moments, this.#isCut(index, edgeMs, nowMs) ? halfOf(bucket) : bucket);
    }
    return moments;
  }

  #squareOf(amount: bigint): bigint {
    return this.kind === 'stddev' ? amount * amount : 0n;
  }

  get #isExtreme(): boolean {
    return this.kind === 'min' || this.kind === 'max';
  }

  #isCut(index: number, edgeMs: number, nowMs: number): boolean {
    return this.#fromMs[index]! <= edgeMs || this.#toMs[index]! > nowMs;
  }

  #largest(first: number, end: number): bigint {
    let amount = this.#amounts[first]!;
    for (let index = first + 1; index < end; index++) amount = larger(amount, this.#amounts[index]);
    return amount;
  }

  #together(older: Bucket, newer: Bucket): Bucket {
    return {
      fromMs: older.fromMs,
      toMs: newer.toMs,
      count: older.count + newer.count,
      amount: this.#isExtreme ? larger(older.amount, newer.amount) : older.amount + newer.amount,
      weight: this.#isExtreme ? newer.weight : older.weight + newer.weight,
      squares: older.squares + newer.squares,
    };
  }

  #newerWeight(bucket: Bucket, weight: bigint | undefined): bigint {
    return this.#isExtreme ? larger(bucket.amount, weight) : (weight ?? 0n) + bucket.weight;
  }

  #mayMerge(bucket: Bucket, newer: Newer): boolean {
    if (this.#isExtreme) {
      const floor = larger(bucket.weight, newer.weight);
      return (bucket.amount - floor) * partsPerWhole <= magnitudeOf(bucket.amount);
    }
    if (bucket.count > newer.count * bucketShareMax) return false;
    if (this.kind === 'stddev')
      return distanceOf(momentsOf(bucket), newer.moments) * partsPerWhole <= spreadOf(newer.moments);
    return bucket.weight * partsPerWhole <= (newer.weight ?? 0n);
  }

  /** Sums, or largest values, from each bucket to the newest; one more at the end, of nothing. */
  #fold(): Ends {
    const counts: number[] = Array.from({ length: this.buckets + 1 }, () => 0);
    const amounts: bigint[] = Array.from({ length: this.buckets + 1 }, () => 0n);
    for (let index = this.buckets - 1; index >= 0; index--) {
      counts[index] = counts[index + 1]! + this.#counts[index]!;
      const amount = this.#amounts[index]!;
      const isNewest = index === this.buckets - 1;
      if (!this.#isExtreme) amounts[index] = amounts[index + 1]! + amount;
      else amounts[index] = isNewest ? amount : larger(amount, amounts[index + 1]);
    }
    return { counts, amounts };
  }
}

function momentsOf({ count, amount, squares }: Bucket): Moments {
  return { count, sum: amount, squares };
}

function halfOf({ count, sum, squares }: Moments): Moments {
  const half = Math.floor(count / 2);
  const [part, whole] = [BigInt(half), BigInt(count)];
  return { count: half, sum: (sum * part) / whole, squares: (squares * part) / whole };
}

/** How far the bucket's values lie from the average of what is newer, as `spreadOf` says how far that lies from it itself. */
function distanceOf(bucket: Moments, newer: Moments): bigint {
  if (newer.count === 0) return 1n;
  const count = BigInt(newer.count);
  return count * bucket.squares - 2n * newer.sum * bucket.sum + (BigInt(bucket.count) * newer.sum * newer.sum) / count;
}

interface Ends {
  readonly counts: readonly number[];
  readonly amounts: readonly bigint[];
}

/** Index of the first value above the limit, in a list that rises; its length when there is none. */
export function firstAbove(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

function half(counts: readonly number[], low: number | undefined, high: number | undefined): number {
  return (
    Math.floor((low === undefined ? 0 : counts[low]!) / 2) + Math.floor((high === undefined ? 0 : counts[high]!) / 2)
  );
}

function halfBig(amounts: readonly bigint[], low: number | undefined, high: number | undefined): bigint {
  return (low === undefined ? 0n : amounts[low]! / 2n) + (high === undefined ? 0n : amounts[high]! / 2n);
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function larger(value: bigint, other: bigint | undefined): bigint {
  return other !== undefined && other > value ? other : value;
}
