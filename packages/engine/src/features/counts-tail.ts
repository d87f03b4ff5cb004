import { bucketShareMax, countedValuesMax } from '../limits.ts';
import { firstAbove } from './columns.ts';
import { type Counts, mergeCounts, reduceCounts } from './counts.ts';

/** Rows that became one: how many, and how many of them had each key. */
export interface CountsBucket extends Counts {
  readonly fromMs: number;
  readonly toMs: number;
  /** Rows; more than all counts together where rare keys were left out. */
  readonly count: number;
}

/** What lies in a window, by key. A whole row weighs 2, one of a bucket that the window cuts 1: half of it is meant. */
export interface CountsPart {
  readonly weight: number;
  readonly weights: ReadonlyMap<number, number>;
  /** The greatest of them; 0 for none. */
  readonly top: number;
  /** Keys in order, and the weight of each with all before it. */
  readonly keys: readonly number[];
  readonly upTo: readonly number[];
}

/**
 * What a feature of values, or of a spread of numbers, keeps of rows that were too many, oldest first.
 *
 * Buckets are merged from the newest back, as long as one holds at most `bucketShareMax` of all that is newer. A
 * window's edge lies in one bucket, of which half is taken. Of a spread, keys are bins of numbers, and all are kept. Of
 * values, keys are their numbers, and a bucket keeps the `countedValuesMax` most frequent; each is counted too low by
 * at most one in so many of the bucket, however often buckets were merged.
 * Source: Agarwal, Cormode, Huang, Phillips, Wei, Yi, "Mergeable summaries" (2012).
 */
export class CountsTail {
  readonly feature: number;
  /** Number of the currency in the entity's dictionary; -1 for all. */
  currency: number;
  readonly #keysMax: number;
  #buckets: CountsBucket[] = [];
  #toMs: number[] = [];
  #last: { readonly name: string; readonly part: CountsPart } | undefined;

  constructor(of: { readonly feature: number; readonly currency: number; readonly kind: 'spread' | 'values' }) {
    this.feature = of.feature;
    this.currency = of.currency;
    this.#keysMax = of.kind === 'values' ? countedValuesMax : Number.MAX_SAFE_INTEGER;
  }

  get buckets(): readonly CountsBucket[] {
    return this.#buckets;
  }

  get lastMs(): number {
    return this.#toMs.at(-1) ?? 0;
  }

  /** One row more, of any time. */
  add(atMs: number, key: number): void {
    const row = { fromMs: atMs, toMs: atMs, count: 1, keys: [key], counts: [1] };
    const index = firstAbove(this.#toMs, atMs);
    const within = this.#buckets[index];
    this.#last = undefined;
    if (within !== undefined && within.fromMs <= atMs) {
      this.#buckets[index] = this.#together(within, row, within);
      return;
    }
    this.#buckets.splice(index, 0, row);
    this.#toMs.splice(index, 0, atMs);
  }

  /** A bucket as it was kept, newer than all that are here. */
  append(bucket: CountsBucket): void {
    this.#buckets.push(bucket);
    this.#toMs.push(bucket.toMs);
    this.#last = undefined;
  }

  /** Drops what ended at or before this instant. */
  dropUntil(atMs: number): void {
    const dropped = firstAbove(this.#toMs, atMs);
    if (dropped > 0) this.#replace(this.#buckets.slice(dropped));
  }

  /** Merges neighbours as far as the error allows; `newer` rows are held beside. Costs one look at each bucket. */
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

  /** Keys get other numbers. */
  renumber(numberOf: (key: number) => number): void {
    this.#replace(
      this.#buckets.map((bucket) => {
        const entries = bucket.keys.map((key, place) => [numberOf(key), bucket.counts[place]!] as const);
        entries.sort(([a], [b]) => a - b);
        return { ...bucket, keys: entries.map(([key]) => key), counts: entries.map(([, count]) => count) };
      }),
    );
  }

  /** What lies in `(edgeMs, nowMs]`. */
  part(edgeMs: number, nowMs: number): CountsPart {
    const first = firstAbove(this.#toMs, edgeMs);
    let end = first;
    while (end < this.#buckets.length && this.#buckets[end]!.fromMs <= nowMs) end++;
    const isCut = (index: number): boolean =>
      index >= first && index < end && (this.#buckets[index]!.fromMs <= edgeMs || this.#buckets[index]!.toMs > nowMs);
    const name = `${first} ${end} ${isCut(first)} ${isCut(end - 1)}`;
    if (this.#last?.name !== name) {
      const cut = new Set([first, end - 1].filter(isCut));
      this.#last = { name, part: partOf(this.#buckets.slice(first, end), (index) => cut.has(index + first)) };
    }
    return this.#last.part;
  }

  #together(one: CountsBucket, other: CountsBucket, span: Pick<CountsBucket, 'fromMs' | 'toMs'>): CountsBucket {
    const counts = reduceCounts(mergeCounts(one, other), this.#keysMax);
    return { fromMs: span.fromMs, toMs: span.toMs, count: one.count + other.count, ...counts };
  }

  #replace(buckets: CountsBucket[]): void {
    this.#buckets = buckets;
    this.#toMs = buckets.map(({ toMs }) => toMs);
    this.#last = undefined;
  }
}

function partOf(buckets: readonly CountsBucket[], isCut: (index: number) => boolean): CountsPart {
  const weights = new Map<number, number>();
  let weight = 0;
  buckets.forEach(({ count, keys, counts }, index) => {
    const each = isCut(index) ? 1 : 2;
    weight += each * count;
    keys.forEach((key, place) => weights.set(key, (weights.get(key) ?? 0) + each * counts[place]!));
  });
  const keys = [...weights.keys()].toSorted((a, b) => a - b);
  let [total, top] = [0, 0];
  for (const each of weights.values()) top = Math.max(top, each);
  return { weight, weights, top, keys, upTo: keys.map((key) => (total += weights.get(key)!)) };
}
