import { scannedRowsMax } from '../limits.ts';
import type { TailPart } from './bucket-tail.ts';
import { Cursor } from './cursor.ts';
import type { Window } from './moving-window.ts';
import { cursorAt } from './each-row.ts';
import { counts } from './rows.ts';
import type { FeatureEntity } from './feature-entity.ts';
import type { LayoutFeature } from './layout.ts';
import { widened } from './ticks.ts';

/** What a window holds of one feature. The sum, or the extreme, is in `ticks`, or in `wide` where that is not undefined. */
export interface Tally {
  /** Rows that count; for `distinct` values, before sampling is taken into account. */
  count: number;
  ticks: number;
  wide: bigint | undefined;
}

/** The answer to the last question: filled anew for each, and read before the next. */
const tally: Tally = { count: 0, ticks: 0, wide: undefined };

/**
 * Counts a window: by looking at every row of it where these are few or wide, else by the feature's cursor; and adds
 * what the tails hold. O(1) on the average for events in order.
 */
export function tallyOf(entity: FeatureEntity, index: number, window: Window): Tally {
  const feature = entity.layout.features[index]!;
  const tail = entity.distinctTails[index];
  rowsOf(entity, index, window);
  if (tail !== undefined) {
    const cursor = entity.cursors![index] as Cursor;
    tally.count += tail.alone(window.edgeMs, cursor);
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
  const isWide = feature.column >= 0 && entity.wide[feature.column] !== undefined;
  const needsCursor = entity.distinctTails[index] !== undefined || entity.cursors?.[index] !== undefined;
  if ((!isWide && needsCursor) || !scan(entity, feature, window)) fromCursor(entity, index, window);
}

/** Apart from the scan, which most questions are answered by: what is made for a cursor is not made for these. */
function fromCursor(entity: FeatureEntity, index: number, window: Window): void {
  const { kind } = entity.layout.features[index]!;
  const cursor = cursorAt(entity, { index, window }, () => new Cursor(entity, index));
  const isExtreme = kind === 'min' || kind === 'max';
  tally.ticks = isExtreme && cursor.count > 0 ? cursor.extremeTicks(entity) : cursor.ticks;
  tally.count = cursor.count;
  tally.wide = undefined;
}

/** Looks at the rows of a window, the newest first; answers false when these are too many, and not wide. */
function scan(entity: FeatureEntity, feature: LayoutFeature, window: Window): boolean {
  tally.count = 0;
  tally.ticks = 0;
  tally.wide = undefined;
  const values = feature.column >= 0 ? entity.wide[feature.column] : undefined;
  if (feature.kind === 'distinct') nextLook(entity.texts.count);
  const last = Math.max(entity.head, values === undefined ? entity.end - scannedRowsMax : entity.head);
  for (let row = entity.end - 1; row >= last; row--) {
    const atMs = entity.atMs(row);
    if (atMs > window.nowMs) continue;
    if (atMs <= window.edgeMs) return true;
    if (!counts(feature, entity, row)) continue;
    if (feature.currency >= 0 && entity.value(row, feature.currency) !== window.currency) continue;
    if (values !== undefined) takeWide(feature, values[row]!);
    else if (feature.column < 0) tally.count++;
    else take(feature, entity.value(row, feature.column));
  }
  return last === entity.head;
}

function take(feature: LayoutFeature, ticks: number): void {
  if (feature.kind === 'distinct') {
    if (isFirstLook(ticks)) tally.count++;
    return;
  }
  const isFirst = tally.count++ === 0;
  if (feature.kind === 'min') tally.ticks = isFirst ? ticks : Math.min(tally.ticks, ticks);
  else if (feature.kind === 'max') tally.ticks = isFirst ? ticks : Math.max(tally.ticks, ticks);
  else tally.ticks += ticks;
}

function takeWide(feature: LayoutFeature, value: bigint): void {
  const before = tally.wide;
  if (before === undefined) tally.wide = value;
  else if (feature.kind === 'min') tally.wide = value < before ? value : before;
  else if (feature.kind === 'max') tally.wide = value > before ? value : before;
  else tally.wide = before + value;
  tally.count++;
}

function add(entity: FeatureEntity, feature: LayoutFeature, part: TailPart): void {
  if (feature.column >= 0 && part.amount !== undefined) {
    if (tally.count > 0) tally.wide ??= widened(entity.layout.columns[feature.column]!, tally.ticks);
    takeWide(feature, part.amount);
    tally.count--;
  }
  tally.count += part.count;
}

/*
 * Which values one look at the rows has met, by number: a stamp per value instead of a set per look. Scratch memory,
 * no state: every look begins with a stamp of its own.
 */
let stamps = new Uint32Array(64);
let stamp = 0;

function nextLook(numbers: number): void {
  if (numbers > stamps.length) stamps = new Uint32Array(numbers * 2);
  if (stamp === 0xffff_ffff) {
    stamps.fill(0);
    stamp = 0;
  }
  stamp++;
}

function isFirstLook(number: number): boolean {
  if (stamps[number] === stamp) return false;
  stamps[number] = stamp;
  return true;
}
