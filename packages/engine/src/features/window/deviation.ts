import type { Decimal } from '@ringfence/contract';
import type { FactValue } from '@ringfence/policy';
import { scannedRowsMax } from '../../limits.ts';
import { eachRow } from './each-row.ts';
import type { FeatureEntity } from '../store/feature-entity.ts';
import { type Moments, nothing, spreadOf, together } from './moments.ts';
import { ObjectWindow, type Window } from './moving-window.ts';
import type { ColumnKind } from '../store/row-shape.ts';
import type { Rows } from '../store/rows.ts';
import { Squares } from './wide-multiply.ts';
import { factOfTicks, widened } from './ticks.ts';
import { objectWindowAt } from './windows.ts';

/**
 * The population standard deviation of the window's numbers: the root of the average squared distance from their mean.
 * Uses exact sums and one square root, so the result does not depend on how the window was computed. `undefined` if
 * empty.
 */
export function deviationOf(
  entity: FeatureEntity,
  { index, column }: { readonly index: number; readonly column: ColumnKind },
  window: Window,
): FactValue {
  const wide = entity.wide[entity.layout.features[index]!.column];
  const rows = wide === undefined ? rowMoments(entity, index, window) : wideMoments(entity, wide, { index, window });
  let parts = nothing;
  for (const tail of entity.tails) {
    if (tail.feature === index && tail.currency === window.currency) parts = tail.moments(window.edgeMs, window.nowMs);
  }
  if (rows.count + parts.count === 0) return undefined;
  const isWide = wide !== undefined || parts.count > 0;
  const all = parts.count === 0 ? rows : together(wide === undefined ? widenedMoments(column, rows) : rows, parts);
  const root = Math.sqrt(Number(spreadOf(all))) / all.count;
  if (column === 'decimal') {
    const per = isWide ? 1 : Number(widened(column, 1));
    return BigInt(Math.round(root * per)) as Decimal;
  }
  // The deviation of whole numbers is not a whole number.
  return column === 'double' ? factOfTicks(column, root) : root;
}

function widenedMoments(column: ColumnKind, { count, sum, squares }: Moments): Moments {
  const per = widened(column, 1);
  return { count, sum: sum * per, squares: squares * per * per };
}

function rowMoments(entity: FeatureEntity, index: number, window: Window): Moments {
  const { column } = entity.layout.features[index]!;
  if (entity.objectWindows?.[index] === undefined) {
    let [count, ticks] = [0, 0];
    const { squares } = entity.group.scratch;
    squares.clear();
    const isWhole = eachRow(entity, { index, rowsMax: scannedRowsMax, window }, (row) => {
      const value = entity.value(row, column);
      count++;
      ticks += value;
      squares.add(value, 1);
      return true;
    });
    if (isWhole) return { count, sum: BigInt(ticks), squares: squares.total };
  }
  const moving = objectWindowAt(entity, { index, window }, () => new MomentsWindow(entity, index));
  return { count: moving.count, sum: BigInt(moving.ticks), squares: moving.squares.total };
}

function wideMoments(
  entity: FeatureEntity,
  wide: readonly bigint[],
  { index, window }: { readonly index: number; readonly window: Window },
): Moments {
  let moments = nothing;
  eachRow(entity, { index, rowsMax: entity.rows, window }, (row) => {
    const value = wide[row]!;
    moments = together(moments, { count: 1, sum: value, squares: value * value });
    return true;
  });
  return moments;
}

class MomentsWindow extends ObjectWindow {
  count = 0;
  ticks = 0;
  readonly squares = new Squares();

  protected override enter(rows: Rows, row: number): void {
    const value = rows.value(row, this.feature.column);
    this.count++;
    this.ticks += value;
    this.squares.add(value, 1);
  }

  protected override leave(rows: Rows, row: number): void {
    const value = rows.value(row, this.feature.column);
    this.count--;
    this.ticks -= value;
    this.squares.add(value, -1);
  }

  protected override clear(): void {
    this.count = 0;
    this.ticks = 0;
    this.squares.clear();
  }
}
