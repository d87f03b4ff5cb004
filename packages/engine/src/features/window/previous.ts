import type { Feature, FactValue } from '@ringfence/policy';
import { eachRow } from './each-row.ts';
import type { FeatureEntity } from '../store/feature-entity.ts';
import type { Window } from './moving-window.ts';
import type { ColumnKind } from '../store/row-shape.ts';
import { factOfTicks, factOfWide } from './ticks.ts';

/**
 * The value of the window's last event, read before the current event is added; `undefined` if there was none. Beyond
 * the rows that an entity keeps, the last row of each currency stays, so only a late event can miss one.
 */
export function previousOf(
  entity: FeatureEntity,
  { feature, index, column }: { readonly feature: Feature; readonly index: number; readonly column: ColumnKind },
  window: Window,
): FactValue {
  let last: number | undefined;
  eachRow(entity, { index, rowsMax: entity.rows, window }, (row) => {
    last = row;
    return false;
  });
  if (last === undefined) return undefined;
  const place = entity.layout.features[index]!.column;
  const wide = entity.wide[place];
  if (wide !== undefined) return factOfWide(column, wide[last]!);
  const value = entity.value(last, place);
  if (column !== 'text') return factOfTicks(column, value);
  const text = entity.texts.textOf(value);
  return feature.type === 'bool' ? text === 'true' : text;
}
