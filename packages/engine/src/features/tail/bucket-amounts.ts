import { bucketShareMax } from '../../limits.ts';
import type { Moments } from '../window/moments.ts';

/** One part in so many: `bucketShareMax`. */
export const partsPerWhole = Math.round(1 / bucketShareMax);

/** What a bucket holds of an amount; as a wide column holds it. */
export interface BucketAmount {
  /** The sum of the values; for extremes the largest. */
  readonly amount: bigint;
  /** The sum of the magnitudes; for extremes the value of the newest part, which every window that cuts the bucket holds. */
  readonly weight: bigint;
  /** Of a deviation: the sum of the squares; else 0. */
  readonly squares: bigint;
}

/** What is newer than a bucket, and in every window that the bucket's edge is in. */
export interface Newer {
  readonly count: number;
  /** The sum of the magnitudes; for extremes the largest value. In ticks, or in `wide` where that is not undefined. */
  readonly ticks: number | undefined;
  readonly wide: bigint | undefined;
  /** Of a deviation: what it is made of; of all others nothing. */
  readonly moments: Moments;
}

/** A sum, or an extreme: in ticks, or in `wide` where that is not undefined; neither where nothing is summed up. */
export interface PartAmount {
  readonly ticks: number | undefined;
  readonly wide: bigint | undefined;
}

/** Buckets from `first` on, before `end`; and which of them an end of a window cuts, so that half of it counts. */
export interface Span {
  readonly first: number;
  readonly end: number;
  readonly low: number | undefined;
  readonly high: number | undefined;
}

/** What the buckets of a tail hold of an amount, oldest first. Buckets come, go and merge as those of the tail do. */
export interface BucketAmounts {
  at(index: number): BucketAmount;
  copy(from: number, to: number): void;
  dropFirst(count: number): void;
  /** A look at all buckets begins, from the newest back: for `mayMerge` and `pass`. */
  beginMerge(newer: Newer): void;
  /** Whether one bucket may become part of the next, beside all that is newer. */
  mayMerge(older: number, into: number): boolean;
  mergeInto(into: number, older: number): void;
  /** The bucket is newer than those that are asked about from now on. */
  pass(index: number): void;
  /** Sums up: to be called when buckets have changed, before anything below is asked for. */
  fold(): void;
  sumOf(span: Span): PartAmount;
  /** The largest value of the buckets from `first` on, before `end`. */
  largestOf(first: number, end: number): PartAmount;
}
