import type { Facts } from '@ringfence/policy';
import { scannedRowsMax } from '../../limits.ts';
import type { FeatureEntity } from '../store/feature-entity.ts';
import type { Layout } from '../store/layout.ts';
import type { Window } from './moving-window.ts';
import { type PlacedFeature, tallied, talliedValue } from '../read-feature.ts';
import { noPlace, spanIn, spanMin, spanOf, withinSpan, withinSpanOf } from '../store/row-shape.ts';

/**
 * Features of one group that count the same events and values over windows that end now, the shortest first. One pass
 * over the rows answers them all.
 */
export interface WindowScan {
  readonly features: readonly PlacedFeature[];
  /** Their bits, all in this word of a row's mask. */
  readonly word: number;
  readonly bits: number;
  /** Columns of the values and of their currency; -1 for none. */
  readonly column: number;
  readonly currency: number;
}

/** Features of one group that are read at the same moment. */
export interface PlannedReads {
  readonly scans: readonly WindowScan[];
  /** Those that are read one by one. */
  readonly alone: readonly PlacedFeature[];
}

/** Finds the features that can be scanned together; all others, and those without companions, are read one by one. */
export function plannedReads(layout: Layout, features: readonly PlacedFeature[]): PlannedReads {
  const alike = Map.groupBy(features.filter(isScanned), (placed) => likenessOf(layout, placed));
  const together = [...alike.values()].filter(({ length }) => length > 1);
  const taken = new Set(together.flat());
  return {
    scans: together.map((members) => scanOf(layout, members)),
    alone: features.filter((placed) => !taken.has(placed)),
  };
}

function isScanned({ feature }: PlacedFeature): boolean {
  return tallied.has(feature.kind);
}

/** Equal for features that usually count the same rows: a later one did not count the rows before its activation. */
function likenessOf(layout: Layout, { feature, index }: PlacedFeature): string {
  const { column, currency, word } = layout.features[index]!;
  return JSON.stringify([column, currency, word, [...feature.on], feature.whereText, feature.ofSlot]);
}

function scanOf(layout: Layout, members: readonly PlacedFeature[]): WindowScan {
  const features = members.toSorted((a, b) => a.feature.overMs! - b.feature.overMs!);
  const kept = features.map(({ index }) => layout.features[index]!);
  const { word, column, currency } = kept[0]!;
  return { features, word, column, currency, bits: kept.reduce((bits, { bit }) => bits | bit, 0) };
}

/**
 * Computes features by scanning the rows of their windows, newest first. Stops at the first feature that this cannot
 * answer: its window has too many rows, wide values or tails, or a row that only some of the features count.
 *
 * @param window of the first feature
 * @returns how many features were answered, in order
 */
export function scanTogether(
  entity: FeatureEntity,
  { features, word, bits, column, currency }: WindowScan,
  { window, facts }: { readonly window: Window; readonly facts: Facts },
): number {
  const length = entity.hasExtras || entity.hasWindows ? scannedIn(entity, features, column) : features.length;
  if (length === 0) return 0;
  const { group, page, layout, rows } = entity;
  const { tally } = group.scratch;
  tally.wide = undefined;
  const { cells, ints } = page;
  const { places, stride } = entity.shape;
  const { at: valueAt, unit } = column < 0 ? noPlace : places[column]!;
  const { at: currencyAt, textBits: currencyBits, shift: currencyShift } = currency < 0 ? noPlace : places[currency]!;
  const maskAt = layout.maskAt + word;
  const { nowMs, currency: asked } = window;
  const newest = entity.intOf(entity.end - 1);
  const step = stride * 2;
  const behind = newest - Math.min(rows, scannedRowsMax) * step;
  let answered = 0;
  const [nowSpan, nowWithin] = [spanOf(nowMs), withinSpanOf(nowMs)];
  let edgeMs = edgeOf(features[0]!, nowMs);
  let [edgeSpan, edgeWithin] = [spanOf(edgeMs), withinSpanOf(edgeMs)];
  let [count, sum, least, most] = [0, 0, 0, 0];
  for (let int = newest; ; int -= step) {
    const isBehind = int <= behind;
    if (isBehind && rows > scannedRowsMax) return answered;
    // After the last row all windows have ended.
    const span = isBehind ? spanMin : spanIn(ints, int);
    if (span > nowSpan || (span === nowSpan && withinSpan(ints, int) > nowWithin)) continue;
    while (span < edgeSpan || (span === edgeSpan && withinSpan(ints, int) <= edgeWithin)) {
      const placed = features[answered++]!;
      const { kind, slot } = placed.feature;
      tally.count = count;
      tally.ticks = kind === 'min' ? least : kind === 'max' ? most : sum;
      facts[slot] = talliedValue(placed, tally);
      if (answered === length) return answered;
      edgeMs = edgeOf(features[answered]!, nowMs);
      edgeSpan = spanOf(edgeMs);
      edgeWithin = withinSpanOf(edgeMs);
    }
    const counted = ints[int + maskAt]! & bits;
    if (counted === 0) continue;
    if (counted !== bits) return answered;
    if (currencyAt > 0 && ((ints[int + currencyAt]! >>> currencyShift) & currencyBits) !== asked) continue;
    count++;
    if (valueAt === 0) continue;
    const value = unit === 0 ? cells[(int + valueAt) >>> 1]! : ints[int + valueAt]! * unit;
    sum += value;
    least = count === 1 ? value : Math.min(least, value);
    most = count === 1 ? value : Math.max(most, value);
  }
}

/** How many of the features, in order, can be computed from rows alone. */
function scannedIn(entity: FeatureEntity, features: readonly PlacedFeature[], column: number): number {
  if (entity.tails.length > 0 || (column >= 0 && entity.wide[column] !== undefined)) return 0;
  if (!entity.hasWindows) return features.length;
  const kept = entity.layout.features;
  const moving = features.findIndex(({ index }) => entity.windowOf(kept[index]!) !== undefined);
  return moving < 0 ? features.length : moving;
}

function edgeOf({ feature }: PlacedFeature, nowMs: number): number {
  return nowMs - feature.overMs!;
}
