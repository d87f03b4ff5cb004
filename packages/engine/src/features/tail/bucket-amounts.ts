import { bucketShareMax } from '../../limits.ts';
import type { Moments } from '../window/moments.ts';

/** Reciprocal of `bucketShareMax`. */
export const partsPerWhole = Math.round(1 / bucketShareMax);

/** The amount of a bucket, in the unit of a wide column. */
export interface BucketAmount {
  /** The sum of the values; for extremes the largest. */
  readonly amount: bigint;
  /**
   * The sum of the magnitudes. For extremes the value of the newest part, which every window that cuts the bucket
   * contains.
   */
  readonly weight: bigint;
  /** For a deviation the sum of the squares; otherwise 0. */
  readonly squares: bigint;
}

/** Totals of everything newer than a bucket, all of which is in every window whose edge cuts the bucket. */
export interface Newer {
  readonly count: number;
  /** The sum of the magnitudes; for extremes the largest value. In ticks, or in `wide` if that is defined. */
  readonly ticks: number | undefined;
  readonly wide: bigint | undefined;
  /** Moments for a deviation; empty for other features. */
  readonly moments: Moments;
}

/** A sum or an extreme: in ticks, or in `wide` if that is defined; neither if nothing is summed. */
export interface PartAmount {
  readonly ticks: number | undefined;
  readonly wide: bigint | undefined;
}

/** Buckets from `first` to before `end`. A window edge cuts `low` and `high`, of which half counts. */
export interface Span {
  readonly first: number;
  readonly end: number;
  readonly low: number | undefined;
  readonly high: number | undefined;
}

/**
 * The amounts of a tail's buckets, oldest first. They are added, dropped and merged together with the tail's buckets.
 */
export interface BucketAmounts {
  at(index: number): BucketAmount;
  copy(from: number, to: number): void;
  dropFirst(count: number): void;
  /** Begins a merge pass from the newest bucket back, for `mayMerge` and `pass`. */
  beginMerge(newer: Newer): void;
  /** Whether `older` may be merged into `into`, considering everything newer. */
  mayMerge(older: number, into: number): boolean;
  mergeInto(into: number, older: number): void;
  /** Adds the bucket to what is newer than the following buckets. */
  pass(index: number): void;
  /** Computes suffix sums. Must be called after changes, before the methods below. */
  fold(): void;
  sumOf(span: Span): PartAmount;
  /** The largest value of the buckets from `first` to before `end`. */
  largestOf(first: number, end: number): PartAmount;
}
