import { scannedRowsMax } from '../../limits.ts';
import type { TailPart } from '../tail/bucket-tail.ts';
import type { Window } from './moving-window.ts';
import { DistinctWindow } from './distinct-window.ts';
import { eachRow } from './each-row.ts';
import type { FeatureEntity } from '../store/feature-entity.ts';
import type { LayoutFeature } from '../store/layout.ts';
import { noPlace, spanIn, spanOf, withinSpan, withinSpanOf } from '../store/row-shape.ts';
import type { Tally } from './scratch.ts';
import type { TallyWindow } from '../store/tally-window.ts';
import { widened } from './ticks.ts';
import { objectWindowAt } from './windows.ts';

/**
 * Counts a window: reads every row if these are few or wide, else uses the feature's moving window; then adds what the
 * tails contribute. O(1) amortised for events in order.
 *
 * @returns one object, reused for each call
 */
export function tallyOf(entity: FeatureEntity, index: number, window: Window): Tally {
  const { tally } = entity.group.scratch;
  const feature = entity.layout.features[index]!;
  // Most entities have only rows, and few of them.
  if (!entity.hasExtras && !entity.hasWindows && scan(entity, feature, window)) return tally;
  const tail = entity.distinctTails[index];
  rowsOf(entity, index, window);
  if (tail !== undefined) {
    tally.count += tail.alone(window.edgeMs, entity.objectWindows![index] as DistinctWindow);
    return tally;
  }
  for (const tail of entity.tails) {
    if (tail.feature === index && tail.currency === window.currency) {
      add(entity, feature, tail.part(window.edgeMs, window.nowMs));
    }
  }
  return tally;
}

function rowsOf(entity: FeatureEntity, index: number, window: Window): void {
  const feature = entity.layout.features[index]!;
  if (feature.column >= 0 && entity.wide[feature.column] !== undefined) scanWide(entity, index, window);
  else if (feature.kind === 'distinct') distinctOf(entity, index, window);
  else {
    const moving = entity.windowOf(feature);
    if (moving !== undefined) fromWindow(entity, moving, window);
    else if (!scan(entity, feature, window)) fromWindow(entity, entity.beginWindow(feature), window);
  }
}

function distinctOf(entity: FeatureEntity, index: number, window: Window): void {
  const isMoving = entity.distinctTails[index] !== undefined || entity.objectWindows?.[index] !== undefined;
  if (!isMoving && scan(entity, entity.layout.features[index]!, window)) return;
  const { tally } = entity.group.scratch;
  tally.count = objectWindowAt(entity, { index, window }, () => new DistinctWindow(entity, index)).count;
  tally.ticks = 0;
  tally.wide = undefined;
}

function fromWindow(entity: FeatureEntity, moving: TallyWindow, window: Window): void {
  moving.move(entity, window);
  const { tally } = entity.group.scratch;
  tally.count = moving.count;
  tally.ticks = moving.isExtreme && moving.count > 0 ? moving.extremeTicks(entity) : moving.ticks;
  tally.wide = undefined;
}

/**
 * Scans the rows of a window, newest first. Returns false if there are too many. No row may be wide. This is the
 * hottest loop of the engine, so it reads the rows' memory directly.
 */
function scan(entity: FeatureEntity, feature: LayoutFeature, { edgeMs, nowMs, currency }: Window): boolean {
  const { group, page, layout, rows } = entity;
  const { firstLooks, tally } = group.scratch;
  const { cells, ints } = page;
  const { places, stride } = entity.shape;
  const { kind, bit } = feature;
  const { at: valueAt, textBits, shift, unit } = feature.column < 0 ? noPlace : places[feature.column]!;
  const {
    at: currencyAt,
    textBits: currencyBits,
    shift: currencyShift,
  } = feature.currency < 0 ? noPlace : places[feature.currency]!;
  const maskAt = layout.maskAt + feature.word;
  if (kind === 'distinct') firstLooks.begin(entity.texts.count);
  const [nowSpan, nowWithin] = [spanOf(nowMs), withinSpanOf(nowMs)];
  const [edgeSpan, edgeWithin] = [spanOf(edgeMs), withinSpanOf(edgeMs)];
  let count = 0;
  let ticks = 0;
  let isWhole = rows <= scannedRowsMax;
  const newest = entity.intOf(entity.end - 1);
  const step = stride * 2;
  const behind = newest - Math.min(rows, scannedRowsMax) * step;
  for (let int = newest; int > behind; int -= step) {
    const span = spanIn(ints, int);
    if (span > nowSpan || (span === nowSpan && withinSpan(ints, int) > nowWithin)) continue;
    if (span < edgeSpan || (span === edgeSpan && withinSpan(ints, int) <= edgeWithin)) {
      isWhole = true;
      break;
    }
    if ((ints[int + maskAt]! & bit) === 0) continue;
    if (currencyAt > 0 && ((ints[int + currencyAt]! >>> currencyShift) & currencyBits) !== currency) continue;
    if (textBits !== 0) {
      if (firstLooks.isFirst((ints[int + valueAt]! >>> shift) & textBits)) count++;
      continue;
    }
    count++;
    if (valueAt === 0) continue;
    const value = unit === 0 ? cells[(int + valueAt) >>> 1]! : ints[int + valueAt]! * unit;
    if (kind === 'min') ticks = count === 1 ? value : Math.min(ticks, value);
    else if (kind === 'max') ticks = count === 1 ? value : Math.max(ticks, value);
    else ticks += value;
  }
  tally.count = count;
  tally.ticks = ticks;
  tally.wide = undefined;
  return isWhole;
}

/** Scans all rows of a window with wide values. */
function scanWide(entity: FeatureEntity, index: number, window: Window): void {
  const { tally } = entity.group.scratch;
  tally.count = 0;
  tally.ticks = 0;
  tally.wide = undefined;
  const feature = entity.layout.features[index]!;
  const values = entity.wide[feature.column]!;
  eachRow(entity, { index, rowsMax: entity.rows, window }, (row) => {
    takeWide(tally, feature, values[row]!);
    return true;
  });
}

function takeWide(tally: Tally, feature: LayoutFeature, value: bigint): void {
  const before = tally.wide;
  if (before === undefined) tally.wide = value;
  else if (feature.kind === 'min') tally.wide = value < before ? value : before;
  else if (feature.kind === 'max') tally.wide = value > before ? value : before;
  else tally.wide = before + value;
  tally.count++;
}

function add(entity: FeatureEntity, feature: LayoutFeature, { count, ticks, wide }: TailPart): void {
  const { tally } = entity.group.scratch;
  if (ticks !== undefined && addTicks(tally, feature, ticks)) {
    tally.count += count;
    return;
  }
  const amount = wide ?? (ticks === undefined ? undefined : widenedOf(entity, feature, ticks));
  if (amount !== undefined) {
    if (tally.count > 0) tally.wide ??= widenedOf(entity, feature, tally.ticks);
    takeWide(tally, feature, amount);
    tally.count--;
  }
  tally.count += count;
}

/** Returns false, having changed nothing, if the sum does not fit into ticks. */
function addTicks(tally: Tally, { kind }: LayoutFeature, ticks: number): boolean {
  if (tally.wide !== undefined) return false;
  if (tally.count === 0) tally.ticks = ticks;
  else if (kind === 'min') tally.ticks = Math.min(tally.ticks, ticks);
  else if (kind === 'max') tally.ticks = Math.max(tally.ticks, ticks);
  else {
    const sum = tally.ticks + ticks;
    if (!Number.isSafeInteger(sum)) return false;
    tally.ticks = sum;
  }
  return true;
}

function widenedOf({ layout }: FeatureEntity, { column }: LayoutFeature, ticks: number): bigint {
  return widened(layout.columns[column]!, ticks);
}
