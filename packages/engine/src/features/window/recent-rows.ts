import type { Newer } from '../tail/bucket-amounts.ts';
import type { BucketTail } from '../tail/bucket-tail.ts';
import type { CountsTail } from '../tail/counts-tail.ts';
import type { FeatureEntity } from '../store/feature-entity.ts';
import { isExtreme, type LayoutFeature } from '../store/layout.ts';
import { type Moments, nothing, together } from './moments.ts';
import { valueIn } from '../store/row-shape.ts';
import { counts } from '../store/rows.ts';
import { widened } from './ticks.ts';

/** Totals of the rows with a tail's feature and currency, all of which are newer than the tail. */
export function newerOf(entity: FeatureEntity, tail: BucketTail | CountsTail): Newer {
  const feature = entity.layout.features[tail.feature]!;
  const isWide = feature.column >= 0 && entity.wide[feature.column] !== undefined;
  if (isWide || feature.kind === 'stddev') return ofAmounts(entity, feature, tail.currency);
  return ofTicks(entity, feature, tail.currency);
}

/** Reads the rows' memory directly: the rows are many, and every feature with a tail needs this. */
function ofTicks(entity: FeatureEntity, feature: LayoutFeature, currency: number): Newer {
  const { page, layout } = entity;
  const { kind, column, bit } = feature;
  const { stride, places } = entity.shape;
  const maskAt = layout.maskAt + feature.word;
  const currencyPlace = feature.currency < 0 ? undefined : places[feature.currency]!;
  // A text has no amount.
  const valuePlace = column < 0 || layout.columns[column] === 'text' ? undefined : places[column]!;
  let count = 0;
  let weight = 0;
  const end = entity.intOf(entity.end);
  for (let int = entity.intOf(entity.head); int < end; int += stride * 2) {
    if ((page.ints[int + maskAt]! & bit) === 0) continue;
    if (currencyPlace !== undefined && valueIn(page, int, currencyPlace) !== currency) continue;
    const value = valuePlace === undefined ? 0 : valueIn(page, int, valuePlace);
    if (kind === 'min') weight = count === 0 ? -value : Math.max(weight, -value);
    else if (kind === 'max') weight = count === 0 ? value : Math.max(weight, value);
    else weight += Math.abs(value);
    count++;
  }
  const ticks = count === 0 || valuePlace === undefined ? undefined : weight;
  return { count, ticks, wide: undefined, moments: nothing };
}

function ofAmounts(entity: FeatureEntity, feature: LayoutFeature, currency: number): Newer {
  const { kind } = feature;
  let count = 0;
  let weight: bigint | undefined;
  let moments: Moments = nothing;
  for (let row = entity.head; row < entity.end; row++) {
    if (!holds(entity, feature, { row, currency })) continue;
    const value = amountAt(entity, row, feature);
    const amount = kind === 'min' ? -value : value;
    if (!isExtreme(kind)) weight = (weight ?? 0n) + (amount < 0n ? -amount : amount);
    else if (weight === undefined || amount > weight) weight = amount;
    if (kind === 'stddev') moments = together(moments, { count: 1, sum: amount, squares: amount * amount });
    count++;
  }
  return { count, ticks: undefined, wide: weight, moments };
}

function holds(
  entity: FeatureEntity,
  feature: LayoutFeature,
  { row, currency }: { readonly row: number; readonly currency: number },
): boolean {
  if (!counts(feature, entity, row)) return false;
  return feature.currency < 0 || entity.value(row, feature.currency) === currency;
}

/** A row's value for a feature; 0 if the feature only counts rows. */
function amountAt(entity: FeatureEntity, row: number, feature: LayoutFeature): bigint {
  if (feature.column < 0) return 0n;
  const wide = entity.wide[feature.column];
  return wide?.[row] ?? widened(entity.layout.columns[feature.column]!, entity.value(row, feature.column));
}
