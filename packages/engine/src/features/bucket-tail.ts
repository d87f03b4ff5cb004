import type { KeptKind } from '@ringfence/policy';
import { bucketShareMax } from '../limits.ts';
import { BigColumn, NumberColumn } from './columns.ts';
import { less, type Moments, nothing, spreadOf, together } from './moments.ts';

/** What is newer than a bucket, and in every window that the bucket's edge is in. */
export interface Newer {
  readonly count: number;
  /** Sum of the magnitudes; for extremes the largest value, `undefined` for none. */
  readonly weight: bigint | undefined;
  /** Of a deviation: what it is made of; of all others nothing. */
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

const noPart: TailPart = { count: 0, amount: undefined };

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
  readonly #fromMs = new NumberColumn();
  readonly #toMs = new NumberColumn();
  readonly #counts = new NumberColumn();
  /** What is only counted has none of these. */
  readonly #amounts: BigColumn | undefined;
  readonly #weights: BigColumn | undefined;
  /** Of a deviation; all others have none. */
  readonly #squares: BigColumn | undefined;
  /** Sums, or largest values, from each bucket to the newest, and behind them one more of nothing; right when it is folded. */
  #ends: Ends | undefined;
  #isFolded = false;
  #lastMs = 0;
  /** The bucket that the last window began in: most begin there, or in the next. */
  #firstOfLast = 0;

  constructor(of: { readonly feature: number; readonly currency: number; readonly kind: KeptKind }) {
    this.feature = of.feature;
    this.currency = of.currency;
    this.kind = of.kind;
    const isCounted = of.kind === 'count' || of.kind === 'fraudShare';
    this.#amounts = isCounted ? undefined : new BigColumn();
    this.#weights = isCounted ? undefined : new BigColumn();
    this.#squares = of.kind === 'stddev' ? new BigColumn() : undefined;
  }

  get buckets(): number {
    return this.#counts.length;
  }

  /** End of its newest bucket; 0 when there is none. */
  get lastMs(): number {
    return this.#lastMs;
  }

  bucketAt(index: number): Bucket {
    return {
      fromMs: this.#fromMs.at(index),
      toMs: this.#toMs.at(index),
      count: this.#counts.at(index),
      amount: this.#amounts?.at(index) ?? 0n,
      weight: this.#weights?.at(index) ?? 0n,
      squares: this.#squares?.at(index) ?? 0n,
    };
  }

  /** One row more, of any time. */
  add(atMs: number, value: bigint): void {
    const amount = this.kind === 'min' ? -value : value;
    const index = atMs >= this.#lastMs ? this.buckets : this.#toMs.firstAbove(atMs);
    if (index < this.buckets && this.#fromMs.at(index) <= atMs) {
      this.#addTo(index, amount);
      return;
    }
    const weight = this.#isExtreme ? amount : magnitudeOf(amount);
    const squares = this.#squares === undefined ? 0n : amount * amount;
    this.#insert(index, { fromMs: atMs, toMs: atMs, count: 1, amount, weight, squares });
  }

  #addTo(index: number, amount: bigint): void {
    const known = this.bucketAt(index);
    this.#isFolded = false;
    this.#counts.set(index, known.count + 1);
    this.#amounts?.set(index, this.#isExtreme ? larger(known.amount, amount) : known.amount + amount);
    if (!this.#isExtreme) this.#weights?.set(index, known.weight + magnitudeOf(amount));
    this.#squares?.set(index, known.squares + amount * amount);
  }

  #insert(index: number, { fromMs, toMs, count, amount, weight, squares }: Bucket): void {
    this.#isFolded = false;
    this.#lastMs = Math.max(this.#lastMs, toMs);
    this.#fromMs.insert(index, fromMs);
    this.#toMs.insert(index, toMs);
    this.#counts.insert(index, count);
    this.#amounts?.insert(index, amount);
    this.#weights?.insert(index, weight);
    this.#squares?.insert(index, squares);
  }

  /** A bucket as it was kept, newer than all that are here. */
  append(bucket: Bucket): void {
    this.#insert(this.buckets, bucket);
  }

  /** Drops what ended at or before this instant. */
  dropUntil(atMs: number): void {
    const dropped = this.#toMs.firstAbove(atMs);
    if (dropped === 0) return;
    this.#isFolded = false;
    for (const column of this.#columns) column.dropFirst(dropped);
    if (this.buckets === 0) this.#lastMs = 0;
  }

  /** Merges neighbours as far as the error allows; `newer` is what the rows still hold. Costs one look at each bucket. */
  merge(newer: Newer): void {
    if (this.buckets === 0) return;
    const columns = this.#columns;
    let behind = newer;
    // The bucket that grows; those behind it are done.
    let into = this.buckets - 1;
    for (let older = into - 1; older >= 0; older--) {
      if (this.#mayMerge(older, into, behind)) {
        this.#mergeInto(into, older);
        continue;
      }
      behind = this.#with(into, behind);
      into--;
      if (into > older) for (const column of columns) column.copy(older, into);
    }
    for (const column of columns) column.dropFirst(into);
    this.#isFolded = false;
  }

  /** What lies in `(edgeMs, nowMs]`: of a bucket that an end cuts, half; for extremes the whole. */
  part(edgeMs: number, nowMs: number): TailPart {
    // Most windows begin behind all of it, and hardly any ends within it.
    if (this.lastMs <= edgeMs) return noPart;
    const first = this.#toMs.firstAbove(edgeMs, this.#firstOfLast);
    this.#firstOfLast = first;
    const end = this.#fromMs.firstAbove(nowMs, this.buckets);
    if (first >= end) return noPart;
    const ends = this.#folded();
    const count = ends.counts.at(first) - ends.counts.at(end);
    if (this.#isExtreme) {
      const amount = end === this.buckets ? ends.amounts!.at(first) : this.#largest(first, end);
      return { count, amount: this.kind === 'min' ? -amount : amount };
    }
    const low = this.#isCut(first, edgeMs, nowMs) ? first : undefined;
    const high = end - 1 !== first && this.#isCut(end - 1, edgeMs, nowMs) ? end - 1 : undefined;
    return {
      count: count - half(this.#counts, low, high),
      amount: ends.amounts && ends.amounts.at(first) - ends.amounts.at(end) - halfBig(this.#amounts!, low, high),
    };
  }

  /** The same of a deviation: of a bucket that an end cuts, half of its rows, as they are on the average. */
  moments(edgeMs: number, nowMs: number): Moments {
    const first = this.#toMs.firstAbove(edgeMs);
    const end = this.#fromMs.firstAbove(nowMs);
    if (first >= end) return nothing;
    const ends = this.#folded();
    let moments = less(momentsIn(ends, first), momentsIn(ends, end));
    for (const index of first === end - 1 ? [first] : [first, end - 1]) {
      if (!this.#isCut(index, edgeMs, nowMs)) continue;
      const bucket = this.#momentsAt(index);
      moments = together(less(moments, bucket), halfOf(bucket));
    }
    return moments;
  }

  get #columns(): readonly (NumberColumn | BigColumn)[] {
    const all = [this.#fromMs, this.#toMs, this.#counts, this.#amounts, this.#weights, this.#squares];
    return all.filter((column) => column !== undefined);
  }

  get #isExtreme(): boolean {
    return this.kind === 'min' || this.kind === 'max';
  }

  #isCut(index: number, edgeMs: number, nowMs: number): boolean {
    return this.#fromMs.at(index) <= edgeMs || this.#toMs.at(index) > nowMs;
  }

  #largest(first: number, end: number): bigint {
    let { amount } = this.bucketAt(first);
    for (let index = first + 1; index < end; index++) amount = larger(amount, this.bucketAt(index).amount);
    return amount;
  }

  #mergeInto(into: number, older: number): void {
    this.#fromMs.set(into, this.#fromMs.at(older));
    this.#counts.set(into, this.#counts.at(older) + this.#counts.at(into));
    const [amounts, weights, squares] = [this.#amounts, this.#weights, this.#squares];
    if (amounts === undefined || weights === undefined) return;
    const [amount, other] = [amounts.at(into), amounts.at(older)];
    amounts.set(into, this.#isExtreme ? larger(amount, other) : amount + other);
    if (!this.#isExtreme) weights.set(into, weights.at(into) + weights.at(older));
    squares?.set(into, squares.at(into) + squares.at(older));
  }

  /** What is newer than a bucket, and the bucket. */
  #with(index: number, { count, weight, moments }: Newer): Newer {
    return {
      count: count + this.#counts.at(index),
      weight: this.#isExtreme
        ? larger(this.#amounts!.at(index), weight)
        : this.#weights && (weight ?? 0n) + this.#weights.at(index),
      moments: this.kind === 'stddev' ? together(moments, this.#momentsAt(index)) : moments,
    };
  }

  #mayMerge(older: number, into: number, newer: Newer): boolean {
    if (this.#isExtreme) {
      const amount = larger(this.#amounts!.at(older), this.#amounts!.at(into));
      const floor = larger(this.#weights!.at(into), newer.weight);
      return (amount - floor) * partsPerWhole <= magnitudeOf(amount);
    }
    if (this.#counts.at(older) + this.#counts.at(into) > newer.count * bucketShareMax) return false;
    if (this.kind === 'stddev') {
      const both = together(this.#momentsAt(older), this.#momentsAt(into));
      return distanceOf(both, newer.moments) * partsPerWhole <= spreadOf(newer.moments);
    }
    const weights = this.#weights;
    return weights === undefined || (weights.at(older) + weights.at(into)) * partsPerWhole <= (newer.weight ?? 0n);
  }

  #momentsAt(index: number): Moments {
    return { count: this.#counts.at(index), sum: this.#amounts!.at(index), squares: this.#squares!.at(index) };
  }

  #folded(): Ends {
    const ends = (this.#ends ??= {
      counts: new NumberColumn(),
      amounts: this.#amounts && new BigColumn(),
      squares: this.#squares && new BigColumn(),
    });
    if (this.#isFolded) return ends;
    const { counts, amounts, squares } = ends;
    counts.becomeSumsOf(this.#counts);
    if (this.#isExtreme) amounts!.becomeLargestOf(this.#amounts!);
    else amounts?.becomeSumsOf(this.#amounts!);
    squares?.becomeSumsOf(this.#squares!);
    this.#isFolded = true;
    return ends;
  }
}

function momentsIn({ counts, amounts, squares }: Ends, index: number): Moments {
  return { count: counts.at(index), sum: amounts!.at(index), squares: squares!.at(index) };
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
  readonly counts: NumberColumn;
  readonly amounts: BigColumn | undefined;
  readonly squares: BigColumn | undefined;
}

function half(counts: NumberColumn, low: number | undefined, high: number | undefined): number {
  return (
    Math.floor((low === undefined ? 0 : counts.at(low)) / 2) +
    Math.floor((high === undefined ? 0 : counts.at(high)) / 2)
  );
}

function halfBig(amounts: BigColumn, low: number | undefined, high: number | undefined): bigint {
  return (low === undefined ? 0n : amounts.at(low) / 2n) + (high === undefined ? 0n : amounts.at(high) / 2n);
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function larger(value: bigint, other: bigint | undefined): bigint {
  return other !== undefined && other > value ? other : value;
}
