import {
  type BucketAmount,
  type BucketAmounts,
  type Newer,
  type PartAmount,
  partsPerWhole,
  type Span,
} from '../tail/bucket-amounts.ts';
import { NumberColumn } from '../store/columns.ts';
import type { ColumnKind } from '../store/row-shape.ts';
import { ticksOfWhole, widened } from './ticks.ts';

/**
 * Amounts in ticks, the usual case, in typed arrays that the garbage collector does not scan. The sum of all
 * magnitudes is a safe integer, and therefore so is every sum.
 */
export class TickAmounts implements BucketAmounts {
  readonly #column: ColumnKind;
  readonly #isExtreme: boolean;
  readonly #amounts = new NumberColumn();
  readonly #weights = new NumberColumn();
  /** Sums, or largest values, from each bucket to the newest. */
  readonly #ends = new NumberColumn();
  /** Sum of all magnitudes; 0 for extremes. */
  #total = 0;
  /** Total of everything newer than the bucket passed to `mayMerge`; `undefined` for nothing. */
  #newer: number | undefined;

  constructor(column: ColumnKind, isExtreme: boolean) {
    this.#column = column;
    this.#isExtreme = isExtreme;
  }

  /** Whether a further amount of this magnitude fits. */
  hasRoom(ticks: number): boolean {
    return this.#isExtreme || Number.isSafeInteger(this.#total + Math.abs(ticks));
  }

  /** Whether that amount, in ticks, can be compared with these. */
  mayMeet({ ticks, wide }: Newer): boolean {
    return wide === undefined && this.hasRoom(ticks ?? 0);
  }

  insert(index: number, ticks: number): void {
    this.#insert(index, ticks, this.#isExtreme ? ticks : Math.abs(ticks));
  }

  /** Restores a bucket from a snapshot. Returns false if it does not fit. */
  restore(index: number, { amount, weight }: BucketAmount): boolean {
    const [ticks, weightTicks] = [ticksOfWhole(this.#column, amount), ticksOfWhole(this.#column, weight)];
    if (ticks === undefined || weightTicks === undefined || !this.hasRoom(weightTicks)) return false;
    this.#insert(index, ticks, weightTicks);
    return true;
  }

  /** Adds a value to a bucket. */
  add(index: number, ticks: number): void {
    const known = this.#amounts.at(index);
    this.#amounts.set(index, this.#isExtreme ? Math.max(known, ticks) : known + ticks);
    if (this.#isExtreme) return;
    this.#weights.set(index, this.#weights.at(index) + Math.abs(ticks));
    this.#total += Math.abs(ticks);
  }

  at(index: number): BucketAmount {
    const [ticks, weightTicks] = [this.#amounts.at(index), this.#weights.at(index)];
    return { amount: widened(this.#column, ticks), weight: widened(this.#column, weightTicks), squares: 0n };
  }

  copy(from: number, to: number): void {
    this.#amounts.copy(from, to);
    this.#weights.copy(from, to);
  }

  dropFirst(count: number): void {
    this.#amounts.dropFirst(count);
    this.#weights.dropFirst(count);
    if (!this.#isExtreme) this.#total = this.#weights.sum;
  }

  beginMerge({ ticks }: Newer): void {
    this.#newer = ticks;
  }

  /**
   * A product that is not exact is larger than every exact one, and so is the true product: the comparison stays
   * correct.
   */
  mayMerge(older: number, into: number): boolean {
    if (!this.#isExtreme) {
      return (this.#weights.at(older) + this.#weights.at(into)) * partsPerWhole <= (this.#newer ?? 0);
    }
    const amount = Math.max(this.#amounts.at(older), this.#amounts.at(into));
    const floor = Math.max(this.#weights.at(into), this.#newer ?? -Infinity);
    return (amount - floor) * partsPerWhole <= Math.abs(amount);
  }

  mergeInto(into: number, older: number): void {
    const [amount, other] = [this.#amounts.at(into), this.#amounts.at(older)];
    this.#amounts.set(into, this.#isExtreme ? Math.max(amount, other) : amount + other);
    if (!this.#isExtreme) this.#weights.set(into, this.#weights.at(into) + this.#weights.at(older));
  }

  pass(index: number): void {
    if (this.#isExtreme) this.#newer = Math.max(this.#amounts.at(index), this.#newer ?? -Infinity);
    else this.#newer = (this.#newer ?? 0) + this.#weights.at(index);
  }

  fold(): void {
    if (this.#isExtreme) this.#ends.becomeLargestOf(this.#amounts);
    else this.#ends.becomeSumsOf(this.#amounts);
  }

  sumOf({ first, end, low, high }: Span): PartAmount {
    const ticks = this.#ends.at(first) - this.#ends.at(end) - this.#halfOf(low) - this.#halfOf(high);
    // Half of an odd number of a decimal's ticks is not a whole number of ticks.
    return Number.isInteger(ticks)
      ? { ticks, wide: undefined }
      : { ticks: undefined, wide: widened(this.#column, ticks * 2) / 2n };
  }

  largestOf(first: number, end: number): PartAmount {
    if (end === this.#amounts.length) return { ticks: this.#ends.at(first), wide: undefined };
    let ticks = this.#amounts.at(first);
    for (let index = first + 1; index < end; index++) ticks = Math.max(ticks, this.#amounts.at(index));
    return { ticks, wide: undefined };
  }

  #insert(index: number, ticks: number, weight: number): void {
    this.#amounts.insert(index, ticks);
    this.#weights.insert(index, weight);
    if (!this.#isExtreme) this.#total += weight;
  }

  /**
   * Decimals are kept in units of 10^-12, so half a tick is a whole number of them; other kinds round to a whole tick.
   */
  #halfOf(index: number | undefined): number {
    if (index === undefined) return 0;
    const half = this.#amounts.at(index) / 2;
    return this.#column === 'decimal' ? half : Math.trunc(half);
  }
}
