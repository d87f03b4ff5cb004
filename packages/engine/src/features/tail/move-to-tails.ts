import { lateReachMs, mergeTurns, movedShare, previousCurrenciesMax } from '../../limits.ts';
import { BucketTail } from './bucket-tail.ts';
import { CountsTail } from './counts-tail.ts';
import { DistinctTail } from './distinct-tail.ts';
import type { FeatureEntity } from '../store/feature-entity.ts';
import { forget, rememberLast } from '../store/forget-row.ts';
import type { EntityBounds, LayoutFeature } from '../store/layout.ts';
import { newerOf } from '../window/recent-rows.ts';
import { samplingOf } from '../read-feature.ts';
import { counts } from '../store/rows.ts';
import { isHashSampled } from '../window/sampling.ts';
import { binOfWide } from '../window/spread.ts';
import { binOf } from '../window/value-bins.ts';
import { leaveRows } from '../window/windows.ts';

/** How many rows are moved at a time. */
function movedRows({ rowsMax }: EntityBounds): number {
  return Math.ceil(rowsMax * movedShare);
}

/** Whether it has enough rows beyond the bound for a move. */
export function isCrowded(entity: FeatureEntity): boolean {
  const { bounds } = entity.layout;
  return entity.rows >= bounds.rowsMax + movedRows(bounds);
}

/**
 * Moves the oldest rows into tails, a few at a time, and merges some of the tails, so that no event has to wait for
 * all of this. `sweepAt` is lowered by as many rows, so it continues to count them; it also determines which tails are
 * merged.
 */
export function moveToTails(entity: FeatureEntity, logTimeMs: number): void {
  const { bounds, features } = entity.layout;
  const { moved, last } = chooseRows(entity, movedRows(bounds));
  features.forEach((feature, index) => {
    const keptMs = logTimeMs - lateReachMs - feature.overMs;
    const move = { feature, index, moved, keptMs };
    if (feature.kind === 'distinct') moveDistinct(entity, move);
    else if (feature.kind === 'spread' || feature.kind === 'values') moveCounts(entity, feature.kind, move);
    else if (inBuckets.has(feature.kind)) moveAmounts(entity, move);
  });
  entity.fraudTimes.forEach((times, index) => times?.dropUntil(logTimeMs - lateReachMs - features[index]!.overMs));
  leaveRows(entity, moved);
  dropRows(entity, moved, last);
  entity.sweepAt -= movedRows(bounds);
  mergeTails(entity, Math.floor(entity.sweepAt / movedRows(bounds)));
}

const inBuckets: ReadonlySet<LayoutFeature['kind']> = new Set([
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'stddev',
  'fraudShare',
]);

/** Masks of those rows before `moved` that stay, by row. */
type LastRows = ReadonlyMap<number, readonly number[]>;

/** Chooses the oldest rows, before `moved`; more if too many of them have to stay. */
function chooseRows(entity: FeatureEntity, atOnce: number): { readonly moved: number; readonly last: LastRows } {
  const { head, end } = entity;
  for (let count = atOnce; ; count *= 2) {
    const moved = Math.min(end, head + count);
    const last = lastRows(entity, moved);
    if (moved === end || last.size * 2 <= count) return { moved, last };
  }
}

/** The last rows before `moved` that `previous` features may read, with the masks of these features. */
function lastRows(entity: FeatureEntity, moved: number): LastRows {
  const { features, maskWords } = entity.layout;
  const rows = new Map<number, number[]>();
  for (const feature of features) {
    if (feature.kind !== 'previous') continue;
    const currencies = new Set<number>();
    for (let row = moved - 1; row >= entity.head && currencies.size < previousCurrenciesMax; row--) {
      if (!counts(feature, entity, row)) continue;
      const currency = feature.currency < 0 ? -1 : entity.value(row, feature.currency);
      if (currencies.has(currency)) continue;
      currencies.add(currency);
      const mask = rows.get(row) ?? Array.from({ length: maskWords }, () => 0);
      mask[feature.word]! |= feature.bit;
      rows.set(row, mask);
      if (feature.currency < 0) break;
    }
  }
  return rows;
}

/** Drops the rows before `moved`; those that stay are moved to directly before the others. */
function dropRows(entity: FeatureEntity, moved: number, last: LastRows): void {
  let head = moved;
  for (let row = moved - 1; row >= entity.head; row--) {
    const mask = last.get(row);
    if (mask === undefined) {
      forget(entity, row);
      continue;
    }
    rememberLast(entity, row);
    mask.forEach((bits, word) => entity.setMask(row, word, bits));
    entity.moveRow(row, --head);
  }
  entity.head = head;
  entity.noteHead();
}

interface Move {
  readonly feature: LayoutFeature;
  readonly index: number;
  /** Rows before this one are moved. */
  readonly moved: number;
  /** Rows at or before this time are no longer needed. */
  readonly keptMs: number;
}

function moveAmounts(entity: FeatureEntity, { feature, index, moved, keptMs }: Move): void {
  for (const tail of entity.tails) if (tail.feature === index) tail.dropUntil(keptMs);
  const wide = entity.wide[feature.column];
  let tail: BucketTail | undefined;
  for (let row = entity.head; row < moved; row++) {
    if (!counts(feature, entity, row) || entity.atMs(row) <= keptMs) continue;
    const currency = feature.currency < 0 ? -1 : entity.value(row, feature.currency);
    // Usually the currency is the same as in the row before.
    if (tail?.currency !== currency) tail = tailFor(entity, { feature, index, currency });
    if (wide !== undefined) tail.addWide(entity.atMs(row), wide[row]!);
    else tail.add(entity.atMs(row), feature.column < 0 ? 0 : entity.value(row, feature.column));
  }
  if (entity.tails.length > 0) entity.tails = entity.tails.filter(({ buckets }) => buckets > 0);
}

function tailFor(
  entity: FeatureEntity,
  of: { readonly feature: LayoutFeature; readonly index: number; readonly currency: number },
): BucketTail {
  const { feature, index, currency } = of;
  const known = entity.tails.find((tail) => tail.feature === index && tail.currency === currency);
  if (known !== undefined) return known;
  const column = entity.layout.columns[feature.column];
  const made = new BucketTail({ feature: index, currency, kind: feature.kind, column });
  entity.tails = [...entity.tails, made];
  return made;
}

function moveCounts(entity: FeatureEntity, kind: 'spread' | 'values', { feature, index, moved, keptMs }: Move): void {
  for (const tail of entity.countTails) if (tail.feature === index) tail.dropUntil(keptMs);
  for (let row = entity.head; row < moved; row++) {
    if (!counts(feature, entity, row) || entity.atMs(row) <= keptMs) continue;
    const currency = feature.currency < 0 ? -1 : entity.value(row, feature.currency);
    let tail = entity.countTails.find((known) => known.feature === index && known.currency === currency);
    if (tail === undefined) {
      tail = new CountsTail({ feature: index, currency, kind });
      entity.countTails = [...entity.countTails, tail];
    }
    tail.add(entity.atMs(row), keyAt(entity, row, feature));
  }
  if (entity.countTails.length > 0) entity.countTails = entity.countTails.filter(({ buckets }) => buckets.length > 0);
}

/** For values the value's number; for a spread the bin of the row's number. */
function keyAt(entity: FeatureEntity, row: number, { kind, column }: LayoutFeature): number {
  const wide = entity.wide[column]?.[row];
  if (wide !== undefined) return binOfWide(entity.layout.columns[column]!, wide);
  return kind === 'values' ? entity.value(row, column) : binOf(entity.value(row, column));
}

function moveDistinct(entity: FeatureEntity, { feature, index, moved, keptMs }: Move): void {
  const lastMs = new Map<number, number>();
  for (let row = entity.head; row < moved; row++) {
    if (counts(feature, entity, row)) lastMs.set(entity.value(row, feature.column), entity.atMs(row));
  }
  const known = entity.distinctTails[index];
  const tail = known ?? new DistinctTail();
  tail.dropUntil(keptMs);
  tail.add([...lastMs].filter(([, atMs]) => atMs > keptMs));
  while (tail.size > entity.layout.bounds.distinctValuesMax) halve(entity, tail, { feature, index });
  const kept = tail.size === 0 ? undefined : tail;
  if (kept === known) return;
  entity.distinctTails = entity.layout.features.map((_, place) =>
    place === index ? kept : entity.distinctTails[place],
  );
}

/** Drops every second value, from the tail and from the rows. */
function halve(
  entity: FeatureEntity,
  tail: DistinctTail,
  { feature, index }: { readonly feature: LayoutFeature; readonly index: number },
): void {
  const halvings = samplingOf(entity, feature) + 1;
  entity.setScalar(feature.scalar, halvings);
  const hashes = entity.texts.hashes();
  const isKept = (number: number): boolean => isHashSampled(hashes[number]!, halvings);
  tail.renumber((number) => (isKept(number) ? number : undefined));
  for (let row = entity.head; row < entity.end; row++) {
    if (!counts(feature, entity, row) || isKept(entity.value(row, feature.column))) continue;
    entity.setMask(row, feature.word, entity.mask(row, feature.word) & ~feature.bit);
  }
  if (entity.objectWindows !== undefined) entity.objectWindows[index] = undefined;
}

/** Merges tails that have grown, each in its turn. */
function mergeTails(entity: FeatureEntity, turn: number): void {
  const { exactBucketsMax } = entity.layout.bounds;
  const isDue = (place: number, buckets: number): boolean =>
    (turn + place) % mergeTurns === 0 && buckets > exactBucketsMax;
  entity.tails.forEach((tail, place) => {
    if (isDue(place, tail.buckets)) tail.merge(newerOf(entity, tail));
  });
  entity.countTails.forEach((tail, place) => {
    if (isDue(place, tail.buckets.length)) tail.merge(newerOf(entity, tail).count);
  });
}
