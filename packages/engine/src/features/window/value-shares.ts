import { scannedRowsMax } from '../../limits.ts';
import type { CountsPart } from './counts-part.ts';
import { eachRow } from './each-row.ts';
import type { FeatureEntity } from '../store/feature-entity.ts';
import { HeaviestValue } from './heaviest-value.ts';
import { ObjectWindow, type Window } from './moving-window.ts';
import type { Rows } from '../store/rows.ts';
import type { Occurrences } from './value-counts.ts';
import { objectWindowAt } from './windows.ts';

/**
 * The share of the most frequent value. Exact while the entity keeps its rows; beyond, off by less than 0.01.
 * `undefined` if empty.
 */
export function topShareOf(entity: FeatureEntity, index: number, window: Window): number | undefined {
  const rows = occurrencesOf(entity, index, window);
  const part = partOf(entity, index, window);
  if (part === undefined) return rows.count === 0 ? undefined : rows.top / rows.count;
  return rows.heaviest(part) / (part.weight + 2 * rows.count);
}

/** The share of one value, by its number (-1 for a value that never occurred); with the same error. */
export function shareOf(
  entity: FeatureEntity,
  { index, number }: { readonly index: number; readonly number: number },
  window: Window,
): number | undefined {
  const rows = occurrencesOf(entity, index, window);
  const part = partOf(entity, index, window);
  const count = rows.count * 2 + (part?.weight ?? 0);
  return count === 0 ? undefined : (rows.of(number) * 2 + (part?.weights.get(number) ?? 0)) / count;
}

function partOf(entity: FeatureEntity, index: number, window: Window): CountsPart | undefined {
  const part = entity.countTails.find(({ feature }) => feature === index)?.part(window.edgeMs, window.nowMs);
  return part === undefined || part.weight === 0 ? undefined : part;
}

function occurrencesOf(entity: FeatureEntity, index: number, window: Window): Occurrences {
  if (entity.objectWindows?.[index] === undefined) {
    const { column } = entity.layout.features[index]!;
    const { valueCounts } = entity.group.scratch;
    valueCounts.clear();
    const isWhole = eachRow(entity, { index, rowsMax: scannedRowsMax, window }, (row) => {
      valueCounts.add(entity.value(row, column));
      return true;
    });
    if (isWhole) return valueCounts;
  }
  return objectWindowAt(entity, { index, window }, () => new ValuesWindow(entity, index));
}

/** Occurrences of each value in a window, and the number of values with each number of occurrences. */
class ValuesWindow extends ObjectWindow implements Occurrences {
  count = 0;
  top = 0;
  readonly #counts = new Map<number, number>();
  readonly #heaviest = new HeaviestValue();
  /** Number of values by their number of occurrences. */
  readonly #valuesOf: number[] = [0];

  of(number: number): number {
    return this.#counts.get(number) ?? 0;
  }

  heaviest(part: CountsPart): number {
    return this.#heaviest.find(this.#counts, part);
  }

  protected override enter(rows: Rows, row: number): void {
    const number = rows.value(row, this.feature.column);
    const before = this.of(number);
    this.count++;
    this.#set(number, before, before + 1);
    if (before === this.top) this.top++;
  }

  protected override leave(rows: Rows, row: number): void {
    const number = rows.value(row, this.feature.column);
    const before = this.of(number);
    this.count--;
    this.#set(number, before, before - 1);
    if (before === this.top && this.#valuesOf[before] === 0) this.top--;
  }

  protected override clear(): void {
    this.count = 0;
    this.top = 0;
    this.#counts.clear();
    this.#heaviest.clear();
    this.#valuesOf.length = 1;
  }

  #set(number: number, before: number, after: number): void {
    if (before > 0) this.#valuesOf[before]!--;
    if (after > 0) this.#valuesOf[after] = (this.#valuesOf[after] ?? 0) + 1;
    if (after > 0) this.#counts.set(number, after);
    else this.#counts.delete(number);
    this.#heaviest.changed(number);
  }
}
