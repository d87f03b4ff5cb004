import type { KeptKind } from '@ringfence/policy';
import { bucketShareMax } from '../../limits.ts';
import type { BucketAmount, Newer, PartAmount, Span } from './bucket-amounts.ts';
import { NumberColumn } from '../store/columns.ts';
import { isExtreme } from '../store/layout.ts';
import { type Moments, nothing } from '../window/moments.ts';
import type { ColumnKind } from '../store/row-shape.ts';
import { TickAmounts } from '../window/tick-amounts.ts';
import { widened } from '../window/ticks.ts';
import { WideAmounts } from '../window/wide-amounts.ts';

/** What a tail contributes to a window. */
export interface TailPart extends PartAmount {
  readonly count: number;
}

/** Several rows merged into one. */
export interface Bucket extends BucketAmount {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

const noAmount: PartAmount = { ticks: undefined, wide: undefined };
const noPart: TailPart = { count: 0, ...noAmount };
const noBucketAmount: BucketAmount = { amount: 0n, weight: 0n, squares: 0n };

/** The identity of a tail. */
export interface TailOf {
  readonly feature: number;
  /** Number of the currency in the entity's dictionary; -1 for all. */
  readonly currency: number;
  readonly kind: KeptKind;
  /** Kind of the feature's values; `undefined` if rows are only counted. */
  readonly column: ColumnKind | undefined;
}

/**
 * Old rows of one feature beyond the bound, as an exponential histogram, oldest first.
 *
 * Buckets begin as single rows and are merged from the newest back. A bucket may contain at most `bucketShareMax` of
 * everything newer, in number and in sum of magnitudes. A window's edge cuts at most one bucket, of which half counts.
 * So count and sum are off by at most half that share of everything newer than the edge, and the number of buckets
 * grows with the logarithm of the number of rows. `min` is kept as `max` of the negated values. For extremes, a value
 * that a newer one exceeds is merged freely; others are merged if they are within `bucketShareMax` of each other.
 * Source: Datar, Gionis, Indyk, Motwani, "Maintaining stream statistics over sliding windows" (2002).
 */
export class BucketTail {
  readonly feature: number;
  readonly kind: KeptKind;
  readonly column: ColumnKind | undefined;
  currency: number;
  readonly #isExtreme: boolean;
  readonly #fromMs = new NumberColumn();
  readonly #toMs = new NumberColumn();
  readonly #counts = new NumberColumn();
  /** Number of rows from each bucket to the newest, followed by 0; valid after `#fold`. */
  readonly #countEnds = new NumberColumn();
  /** In ticks, until a sum or value does not fit. */
  #amounts: TickAmounts | WideAmounts | undefined;
  #isFolded = false;
  #lastMs = 0;
  /** The result for the last window. It is the same for every edge from `#partFromMs` to before `#partUntilMs`. */
  #lastPart = noPart;
  #partFromMs = 0;
  #partUntilMs = 0;

  constructor({ feature, currency, kind, column }: TailOf) {
    this.feature = feature;
    this.currency = currency;
    this.kind = kind;
    this.column = column;
    this.#isExtreme = isExtreme(kind);
    if (column === undefined) return;
    this.#amounts =
      kind !== 'stddev'
        ? new TickAmounts(column, this.#isExtreme)
        : new WideAmounts({ column, kind, counts: this.#counts });
  }

  get buckets(): number {
    return this.#counts.length;
  }

  /** End of its newest bucket; 0 if there is none. */
  get lastMs(): number {
    return this.#lastMs;
  }

  bucketAt(index: number): Bucket {
    return {
      fromMs: this.#fromMs.at(index),
      toMs: this.#toMs.at(index),
      count: this.#counts.at(index),
      ...(this.#amounts?.at(index) ?? noBucketAmount),
    };
  }

  /** Adds a row of any time. @param value in ticks; ignored if rows are only counted */
  add(atMs: number, value: number): void {
    // `-value` would turn 0 into -0.
    const ticks = this.kind === 'min' ? 0 - value : value;
    const amounts = this.#amounts;
    if (amounts instanceof WideAmounts || amounts?.hasRoom(ticks) === false) {
      this.#addWide(atMs, widened(this.column!, ticks));
      return;
    }
    const { index, isHeld } = this.#placeOf(atMs);
    if (isHeld) amounts?.add(index, ticks);
    else amounts?.insert(index, ticks);
  }

  /** Adds a row. @param value in the unit of a wide column */
  addWide(atMs: number, value: bigint): void {
    this.#addWide(atMs, this.kind === 'min' ? -value : value);
  }

  /** Restores a bucket from a snapshot, newer than all present. */
  append(bucket: Bucket): void {
    const index = this.buckets;
    const isKept =
      this.#amounts === undefined || (this.#amounts instanceof TickAmounts && this.#amounts.restore(index, bucket));
    if (!isKept) this.#widen().restore(index, bucket);
    this.#insert(index, bucket);
  }

  /** Drops buckets that ended at or before this time. */
  dropUntil(atMs: number): void {
    const dropped = this.#toMs.firstAbove(atMs);
    if (dropped === 0) return;
    this.#dropFirst(dropped);
    if (this.buckets === 0) this.#lastMs = 0;
  }

  /**
   * Merges neighbours as far as the error allows; `newer` are the totals of the remaining rows. Costs one visit per
   * bucket.
   */
  merge(newer: Newer): void {
    if (this.buckets === 0) return;
    const isTooLarge = this.#amounts instanceof TickAmounts && !this.#amounts.mayMeet(newer);
    const amounts = isTooLarge ? this.#widen() : this.#amounts;
    const [fromMs, toMs, counts] = [this.#fromMs, this.#toMs, this.#counts];
    amounts?.beginMerge(newer);
    let newerCount = newer.count;
    // The bucket being grown; those after it are final.
    let into = this.buckets - 1;
    for (let older = into - 1; older >= 0; older--) {
      const isFew = this.#isExtreme || counts.at(older) + counts.at(into) <= newerCount * bucketShareMax;
      if (isFew && amounts?.mayMerge(older, into) !== false) {
        amounts?.mergeInto(into, older);
        fromMs.set(into, fromMs.at(older));
        counts.set(into, counts.at(older) + counts.at(into));
        continue;
      }
      newerCount += counts.at(into);
      amounts?.pass(into);
      into--;
      if (into === older) continue;
      amounts?.copy(older, into);
      for (const column of [fromMs, toMs, counts]) column.copy(older, into);
    }
    this.#dropFirst(into);
  }

  /** The contribution to `(edgeMs, nowMs]`: half of a bucket that an edge cuts; for extremes the whole bucket. */
  part(edgeMs: number, nowMs: number): TailPart {
    // Most windows begin after the tail, or in the same bucket as the window before, and hardly any ends within the
    // tail.
    if (this.#lastMs <= edgeMs) return noPart;
    const isWhole = nowMs >= this.#lastMs;
    if (isWhole && edgeMs >= this.#partFromMs && edgeMs < this.#partUntilMs) return this.#lastPart;
    const first = this.#toMs.firstAbove(edgeMs);
    const end = isWhole ? this.buckets : this.#fromMs.firstAbove(nowMs);
    if (first >= end) return noPart;
    const part = this.#partOf(this.#spanOf(first, end, { edgeMs, nowMs }));
    if (isWhole) this.#keepPart(part, first, edgeMs);
    return part;
  }

  /** The same for a deviation: half the rows of a bucket that an edge cuts, assuming that they are average rows. */
  moments(edgeMs: number, nowMs: number): Moments {
    const first = this.#toMs.firstAbove(edgeMs);
    const end = this.#fromMs.firstAbove(nowMs);
    if (first >= end) return nothing;
    this.#fold();
    const count = this.#countEnds.at(first) - this.#countEnds.at(end);
    return (this.#amounts as WideAmounts).momentsOf(this.#spanOf(first, end, { edgeMs, nowMs }), count);
  }

  #addWide(atMs: number, amount: bigint): void {
    const amounts = this.#widen();
    const { index, isHeld } = this.#placeOf(atMs);
    if (isHeld) amounts.add(index, amount);
    else amounts.insert(index, amount);
  }

  /** Finds or creates the bucket for a row of this time, and counts the row. */
  #placeOf(atMs: number): { readonly index: number; readonly isHeld: boolean } {
    const index = atMs >= this.#lastMs ? this.buckets : this.#toMs.firstAbove(atMs);
    const isHeld = index < this.buckets && this.#fromMs.at(index) <= atMs;
    if (isHeld) {
      this.#counts.set(index, this.#counts.at(index) + 1);
      this.#noteChange();
    } else this.#insert(index, { fromMs: atMs, toMs: atMs, count: 1 });
    return { index, isHeld };
  }

  #insert(index: number, { fromMs, toMs, count }: Pick<Bucket, 'fromMs' | 'toMs' | 'count'>): void {
    this.#lastMs = Math.max(this.#lastMs, toMs);
    this.#fromMs.insert(index, fromMs);
    this.#toMs.insert(index, toMs);
    this.#counts.insert(index, count);
    this.#noteChange();
  }

  #dropFirst(count: number): void {
    for (const column of [this.#fromMs, this.#toMs, this.#counts]) column.dropFirst(count);
    this.#amounts?.dropFirst(count);
    this.#noteChange();
  }

  /** Invalidates everything derived from the buckets. */
  #noteChange(): void {
    this.#isFolded = false;
    this.#partUntilMs = this.#partFromMs;
  }

  /** Converts the amounts to bigints, permanently. */
  #widen(): WideAmounts {
    const before = this.#amounts!;
    if (before instanceof WideAmounts) return before;
    const amounts = new WideAmounts({ column: this.column!, kind: this.kind, counts: this.#counts });
    for (let index = 0; index < this.buckets; index++) amounts.restore(index, before.at(index));
    this.#amounts = amounts;
    return amounts;
  }

  #fold(): void {
    if (this.#isFolded) return;
    this.#countEnds.becomeSumsOf(this.#counts);
    this.#amounts?.fold();
    this.#isFolded = true;
  }

  #spanOf(first: number, end: number, { edgeMs, nowMs }: { readonly edgeMs: number; readonly nowMs: number }): Span {
    const isCut = (index: number): boolean => this.#fromMs.at(index) <= edgeMs || this.#toMs.at(index) > nowMs;
    const low = isCut(first) ? first : undefined;
    const high = end - 1 !== first && isCut(end - 1) ? end - 1 : undefined;
    return { first, end, low, high };
  }

  #partOf(span: Span): TailPart {
    this.#fold();
    const { first, end, low, high } = span;
    const count = this.#countEnds.at(first) - this.#countEnds.at(end);
    const amounts = this.#amounts;
    if (this.#isExtreme) return { count, ...this.#signed(amounts!.largestOf(first, end)) };
    const cut = this.#halfOf(low) + this.#halfOf(high);
    return { count: count - cut, ...(amounts?.sumOf(span) ?? noAmount) };
  }

  /** For `min`, which is kept as the largest of negated values. */
  #signed(amount: PartAmount): PartAmount {
    if (this.kind !== 'min') return amount;
    const { ticks, wide } = amount;
    return ticks === undefined ? { ticks, wide: -wide! } : { ticks: 0 - ticks, wide };
  }

  #halfOf(index: number | undefined): number {
    return index === undefined ? 0 : Math.floor(this.#counts.at(index) / 2);
  }

  /** Caches the result; it is valid until the window's edge reaches the next bucket boundary. */
  #keepPart(part: TailPart, first: number, edgeMs: number): void {
    const beginMs = this.#fromMs.at(first);
    const isCut = beginMs <= edgeMs;
    const formerMs = first === 0 ? -Infinity : this.#toMs.at(first - 1);
    this.#lastPart = part;
    this.#partFromMs = isCut ? beginMs : formerMs;
    this.#partUntilMs = isCut ? this.#toMs.at(first) : beginMs;
  }
}
