import { bucketShareMax, countedValuesMax } from '../../limits.ts';
import { firstAbove } from '../store/columns.ts';
import { CountsPart } from '../window/counts-part.ts';
import { type Counts, mergeCounts, reduceCounts } from '../window/counts.ts';

/** Several rows merged into one: how many, and how many of them had each key. */
export interface CountsBucket extends Counts {
  readonly fromMs: number;
  readonly toMs: number;
  /** Rows; more than the sum of the counts if rare keys were dropped. */
  readonly count: number;
}

/** Buckets of a window, and their contents. */
interface Span {
  readonly first: number;
  readonly end: number;
  readonly isFirstCut: boolean;
  readonly isLastCut: boolean;
  readonly part: CountsPart;
}

/**
 * Old rows, beyond the bound, of a feature of values or of a spread of numbers, oldest first.
 *
 * Buckets are merged from the newest back. A bucket may contain at most `bucketShareMax` of everything newer. A
 * window's edge cuts one bucket, of which half counts. For a spread, keys are bins of numbers, and all are kept. For
 * values, keys are the numbers of values, and a bucket keeps the `countedValuesMax` most frequent ones; each count is
 * too low by at most the bucket's rows divided by that number, however often buckets were merged.
 * Source: Agarwal, Cormode, Huang, Phillips, Wei, Yi, "Mergeable summaries" (2012).
 */
export class CountsTail {
  readonly feature: number;
  /** Number of the currency in the entity's dictionary; -1 for all. */
  currency: number;
  readonly #keysMax: number;
  #buckets: CountsBucket[] = [];
  #toMs: number[] = [];
  #keys = 0;
  #last: Span | undefined;

  constructor(of: { readonly feature: number; readonly currency: number; readonly kind: 'spread' | 'values' }) {
    this.feature = of.feature;
    this.currency = of.currency;
    this.#keysMax = of.kind === 'values' ? countedValuesMax : Number.MAX_SAFE_INTEGER;
  }

  get buckets(): readonly CountsBucket[] {
    return this.#buckets;
  }

  /** Number of keys in all buckets together. */
  get keys(): number {
    return this.#keys;
  }

  get lastMs(): number {
    return this.#toMs.at(-1) ?? 0;
  }

  /** Adds a row of any time. */
  add(atMs: number, key: number): void {
    const row = { fromMs: atMs, toMs: atMs, count: 1, keys: [key], counts: [1] };
    const index = firstAbove(this.#toMs, atMs);
    const within = this.#buckets[index];
    if (within === undefined) {
      this.append(row);
      return;
    }
    this.#last = undefined;
    const isWithin = within.fromMs <= atMs;
    const bucket = isWithin ? this.#together(within, row, within) : row;
    this.#buckets.splice(index, isWithin ? 1 : 0, bucket);
    this.#toMs.splice(index, isWithin ? 1 : 0, bucket.toMs);
    this.#keys += bucket.keys.length - (isWithin ? within.keys.length : 0);
  }

  /** Restores a bucket from a snapshot, or adds one, newer than all present. */
  append(bucket: CountsBucket): void {
    const last = this.#last;
    const isLonger = last?.end === this.#buckets.length && !last.isLastCut;
    if (isLonger) last.part.add(bucket, 2);
    this.#last = isLonger ? { ...last, end: last.end + 1 } : undefined;
    this.#buckets.push(bucket);
    this.#toMs.push(bucket.toMs);
    this.#keys += bucket.keys.length;
  }

  /** Drops buckets that ended at or before this time. */
  dropUntil(atMs: number): void {
    const dropped = firstAbove(this.#toMs, atMs);
    if (dropped === 0) return;
    const last = this.#last;
    this.#replace(this.#buckets.slice(dropped));
    if (last === undefined || last.first < dropped) return;
    this.#last = { ...last, first: last.first - dropped, end: last.end - dropped };
  }

  /**
   * Merges neighbours as far as the error allows; `newer` is the number of remaining rows. Costs one visit per bucket.
   */
  merge(newer: number): void {
    const merged: CountsBucket[] = [];
    let count = newer;
    let current = this.#buckets.at(-1);
    for (let index = this.#buckets.length - 2; index >= 0 && current !== undefined; index--) {
      const older = this.#buckets[index]!;
      if (older.count + current.count <= count * bucketShareMax) {
        current = this.#together(older, current, { fromMs: older.fromMs, toMs: current.toMs });
        continue;
      }
      merged.push(current);
      count += current.count;
      current = older;
    }
    if (current !== undefined) merged.push(current);
    this.#replace(merged.reverse());
  }

  /** Renumbers the keys; their order must stay the same. */
  renumber(numberOf: (key: number) => number): void {
    this.#replace(this.#buckets.map((bucket) => ({ ...bucket, keys: bucket.keys.map(numberOf) })));
  }

  /** The contribution to `(edgeMs, nowMs]`. */
  part(edgeMs: number, nowMs: number): CountsPart {
    const buckets = this.#buckets;
    const first = firstAbove(this.#toMs, edgeMs);
    let end = buckets.length;
    while (end > first && buckets[end - 1]!.fromMs > nowMs) end--;
    const isCut = (index: number): boolean =>
      index >= first && index < end && (buckets[index]!.fromMs <= edgeMs || buckets[index]!.toMs > nowMs);
    const [isFirstCut, isLastCut] = [isCut(first), isCut(end - 1)];
    const last = this.#last;
    const isSame = last?.first === first && last.end === end;
    if (isSame && last.isFirstCut === isFirstCut && last.isLastCut === isLastCut) return last.part;
    const part = new CountsPart();
    for (let index = first; index < end; index++) {
      const isHalf = (index === first && isFirstCut) || (index === end - 1 && isLastCut);
      part.add(buckets[index]!, isHalf ? 1 : 2);
    }
    this.#last = { first, end, isFirstCut, isLastCut, part };
    return part;
  }

  #together(one: CountsBucket, other: CountsBucket, span: Pick<CountsBucket, 'fromMs' | 'toMs'>): CountsBucket {
    const counts = reduceCounts(mergeCounts(one, other), this.#keysMax);
    return { fromMs: span.fromMs, toMs: span.toMs, count: one.count + other.count, ...counts };
  }

  #replace(buckets: CountsBucket[]): void {
    this.#buckets = buckets;
    this.#toMs = buckets.map(({ toMs }) => toMs);
    this.#keys = buckets.reduce((sum, { keys }) => sum + keys.length, 0);
    this.#last = undefined;
  }
}
