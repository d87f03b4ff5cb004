import type { FactValue } from '@ringfence/policy';
import { scannedRowsMax } from '../../limits.ts';
import type { CountsPart } from './counts-part.ts';
import { eachRow } from './each-row.ts';
import type { FeatureEntity } from '../store/feature-entity.ts';
import { ObjectWindow, type Window } from './moving-window.ts';
import type { ColumnKind } from '../store/row-shape.ts';
import type { Rows } from '../store/rows.ts';
import { factOfTicks, factOfWide, ticksOfWide } from './ticks.ts';
import { binOf, middleOf } from './value-bins.ts';
import { objectWindowAt } from './windows.ts';

const wholePermille = 1_000;

/**
 * A percentile of the window's numbers: the smallest number such that at least `atPermille` of all are not greater.
 * Exact while the entity keeps its rows. Beyond, within 0.4 % of a number whose rank is off by at most half of
 * `bucketShareMax` of what is newer than the window's edge. `undefined` if empty.
 */
export function percentileOf(
  entity: FeatureEntity,
  of: { readonly index: number; readonly atPermille: number; readonly column: ColumnKind },
  window: Window,
): FactValue {
  const { index, atPermille, column } = of;
  const tail = entity.countTails.find((known) => known.feature === index && known.currency === window.currency);
  const wide = entity.wide[entity.layout.features[index]!.column];
  const part = tail?.part(window.edgeMs, window.nowMs);
  const hasTail = part !== undefined && part.weight > 0;
  if (wide !== undefined && !hasTail) return wideAt(entity, wide, { index, atPermille, column, window });
  const sorted =
    wide === undefined ? sortedOf(entity, index, window) : narrowed(entity, wide, { index, column, window });
  if (hasTail) return factOfTicks(column, Math.round(rankedIn(sorted, part, atPermille)));
  if (sorted.length === 0) return undefined;
  return factOfTicks(column, sorted[Math.ceil((atPermille * sorted.length) / wholePermille) - 1]!);
}

/** The ticks of the window's rows, sorted. Valid until the next call. */
function sortedOf(entity: FeatureEntity, index: number, window: Window): Float64Array {
  const { column } = entity.layout.features[index]!;
  if (entity.objectWindows?.[index] === undefined) {
    const values = entity.group.scratch.sorted;
    let size = 0;
    const isWhole = eachRow(entity, { index, rowsMax: scannedRowsMax, window }, (row) => {
      values[size++] = entity.value(row, column);
      return true;
    });
    if (isWhole) return values.subarray(0, size).sort();
  }
  return objectWindowAt(entity, { index, window }, () => new SpreadWindow(entity, index)).sorted;
}

interface WideQuestion {
  readonly index: number;
  readonly column: ColumnKind;
  readonly window: Window;
}

/** The values of a wide column, sorted. */
function sortedWide(
  entity: FeatureEntity,
  wide: readonly bigint[],
  { index, window }: WideQuestion,
): readonly bigint[] {
  const values: bigint[] = [];
  eachRow(entity, { index, rowsMax: entity.rows, window }, (row) => {
    values.push(wide[row]!);
    return true;
  });
  return values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function wideAt(
  entity: FeatureEntity,
  wide: readonly bigint[],
  question: WideQuestion & { readonly atPermille: number },
): FactValue {
  const sorted = sortedWide(entity, wide, question);
  if (sorted.length === 0) return undefined;
  const rank = Math.ceil((question.atPermille * sorted.length) / wholePermille);
  return factOfWide(question.column, sorted[rank - 1]!);
}

/** Wide values as ticks, with the precision of a double. */
function narrowed(entity: FeatureEntity, wide: readonly bigint[], question: WideQuestion): Float64Array {
  return Float64Array.from(sortedWide(entity, wide, question), (value) => ticksOfWide(question.column, value));
}

/** The ticks at a rank among the rows and the tail together. */
function rankedIn(sorted: Float64Array, { weight, keys, upTo }: CountsPart, atPermille: number): number {
  const target = Math.ceil((atPermille * (2 * sorted.length + weight)) / wholePermille);
  const bin = firstWhere(keys.length, (at) => upTo[at]! + 2 * countUpTo(sorted, middleOf(keys[at]!)) >= target);
  const row = firstWhere(sorted.length, (at) => {
    const below = firstWhere(keys.length, (key) => middleOf(keys[key]!) > sorted[at]!);
    return 2 * (at + 1) + (below === 0 ? 0 : upTo[below - 1]!) >= target;
  });
  return Math.min(bin < keys.length ? middleOf(keys[bin]!) : Infinity, sorted[row] ?? Infinity);
}

function countUpTo(sorted: Float64Array, value: number): number {
  return firstWhere(sorted.length, (at) => sorted[at]! > value);
}

/** Binary search for the first index for which `holds` is true, if it is true for all later ones too; else `length`. */
function firstWhere(length: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The bin of a row's value in the tail. */
export function binOfWide(column: ColumnKind, value: bigint): number {
  return binOf(ticksOfWide(column, value));
}

/** A window's numbers, kept sorted by insertion. */
class SpreadWindow extends ObjectWindow {
  #values = new Float64Array(2 * scannedRowsMax);
  #size = 0;

  get sorted(): Float64Array {
    return this.#values.subarray(0, this.#size);
  }

  protected override enter(rows: Rows, row: number): void {
    if (this.#size === this.#values.length) {
      const grown = new Float64Array(2 * this.#size);
      grown.set(this.#values);
      this.#values = grown;
    }
    const value = rows.value(row, this.feature.column);
    const at = countUpTo(this.sorted, value);
    this.#values.copyWithin(at + 1, at, this.#size++);
    this.#values[at] = value;
  }

  protected override leave(rows: Rows, row: number): void {
    const at = countUpTo(this.sorted, rows.value(row, this.feature.column)) - 1;
    this.#values.copyWithin(at, at + 1, this.#size--);
  }

  protected override clear(): void {
    this.#size = 0;
  }
}
