import { lateReachMs, previousCurrenciesMax } from '../limits.ts';
import { BucketTail } from './bucket-tail.ts';
import { amountAt, newerOf } from './newer.ts';
import { counts } from './rows.ts';
import { CountsTail } from './counts-tail.ts';
import { DistinctTail } from './distinct-tail.ts';
import type { FeatureEntity } from './feature-entity.ts';
import type { LayoutFeature } from './layout.ts';
import { isHashSampled } from './sampling.ts';
import { samplingOf } from './read-feature.ts';
import { binOfWide } from './spread.ts';
import { binOf } from './value-bins.ts';

/**
 * Makes room in an entity whose rows have doubled: drops rows that no feature needs any more and, when there are
 * still too many, moves the older half into tails. It happens at numbers of rows that the events decide, never at
 * sizes of memory, so that a restored entity does the same at the same event. Cursors begin again.
 */
export function sweep(entity: FeatureEntity, logTimeMs: number): void {
  const { rowsMax, sweepRowsMin } = entity.layout.bounds;
  keep(entity, (row) => isNeeded(entity, row, logTimeMs));
  // Below three quarters there is room for a while; at once below the bound it would sweep again and again.
  if (entity.rows > (rowsMax * 3) / 4) moveToTails(entity, logTimeMs);
  tidyTexts(entity);
  entity.sweepAt = Math.min(rowsMax, Math.max(sweepRowsMin, entity.rows * 2));
  entity.cursors = undefined;
}

/** Whether it is time to look for rows, or texts, that are not needed any more. */
export function needsSweep(entity: FeatureEntity): boolean {
  if (entity.rows >= entity.sweepAt) return true;
  // Rows that come and go in equal numbers never double, and bring new texts all the same.
  const texts = entity.texts.count;
  return texts > entity.sweepAt && texts > 2 * namedTextsMax(entity) + entity.sweepAt;
}

/** How many texts can be named by what the entity keeps. */
function namedTextsMax(entity: FeatureEntity): number {
  let named = entity.rows * entity.layout.textColumns + entity.tails.length;
  for (const tail of entity.distinctTails) named += tail?.size ?? 0;
  for (const { buckets } of entity.countTails) for (const { keys } of buckets) named += keys.length;
  for (const profiles of entity.profiles) named += profiles?.all.length ?? 0;
  return named;
}

function isNeeded(entity: FeatureEntity, row: number, logTimeMs: number): boolean {
  const agoMs = logTimeMs - lateReachMs - entity.atMs(row);
  return entity.layout.features.some((feature) => agoMs < feature.overMs && counts(feature, entity, row));
}

/** Keeps the rows that pass, in order; sums up the totals again. */
function keep(entity: FeatureEntity, isKept: (row: number) => boolean): void {
  let end = 0;
  for (let row = entity.head; row < entity.end; row++) {
    if (!isKept(row)) rememberLast(entity, row);
    else if (row === end) end++;
    else entity.moveRow(row, end++);
  }
  entity.head = 0;
  entity.end = end;
  for (const values of entity.wide) values?.splice(end);
  noteRows(entity);
}

/** Finds out anew what the header says of the rows. */
export function noteRows(entity: FeatureEntity): void {
  entity.layout.columns.forEach((kind, column) => {
    if (kind !== 'text') entity.setTotal(column, totalOf(entity, column));
  });
  entity.noteHead();
}

function totalOf(entity: FeatureEntity, column: number): number {
  let total = 0;
  for (let row = entity.head; row < entity.end; row++) total += Math.abs(entity.value(row, column));
  return total;
}

/** A row is dropped: `lastSeen` features remember the latest such time. */
export function rememberLast(entity: FeatureEntity, row: number): void {
  if (!entity.layout.lasting) return;
  for (const feature of entity.layout.features) {
    if (feature.kind !== 'lastSeen' || !counts(feature, entity, row)) continue;
    const known = entity.scalar(feature.scalar + 1);
    entity.setScalar(feature.scalar + 1, known > entity.atMs(row) ? known : entity.atMs(row));
  }
}

function moveToTails(entity: FeatureEntity, logTimeMs: number): void {
  const { bounds, features } = entity.layout;
  const moved = entity.rows - bounds.rowsMax / 2;
  features.forEach((feature, index) => {
    const keptMs = logTimeMs - lateReachMs - feature.overMs;
    const move = { feature, index, moved, keptMs };
    if (feature.kind === 'distinct') moveDistinct(entity, move);
    else if (feature.kind === 'spread' || feature.kind === 'values') moveCounts(entity, feature.kind, move);
    else if (inBuckets.has(feature.kind)) moveAmounts(entity, move);
  });
  entity.fraudTimes.forEach((times, index) => times?.dropUntil(logTimeMs - lateReachMs - features[index]!.overMs));
  const last = lastRows(entity, moved);
  for (const [row, mask] of last) {
    rememberLast(entity, row);
    mask.forEach((bits, word) => entity.setMask(row, word, bits));
  }
  keep(entity, (row) => row >= moved || last.has(row));
  for (const tail of entity.tails) {
    if (tail.buckets > bounds.exactBucketsMax) tail.merge(newerOf(entity, tail));
  }
  for (const tail of entity.countTails) {
    if (tail.buckets.length > bounds.exactBucketsMax) tail.merge(newerOf(entity, tail).count);
  }
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

/** The last rows before `moved` of what `previous` features may ask for, with the masks that say of which. */
function lastRows(entity: FeatureEntity, moved: number): ReadonlyMap<number, number[]> {
  const { features, maskWords } = entity.layout;
  const rows = new Map<number, number[]>();
  for (const feature of features) {
    if (feature.kind !== 'previous') continue;
    const currencies = new Set<number>();
    for (let row = moved - 1; row >= 0 && currencies.size < previousCurrenciesMax; row--) {
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

interface Move {
  readonly feature: LayoutFeature;
  readonly index: number;
  /** Rows before this one are moved. */
  readonly moved: number;
  /** Rows until this instant are not needed any more. */
  readonly keptMs: number;
}

function moveAmounts(entity: FeatureEntity, { feature, index, moved, keptMs }: Move): void {
  for (const tail of entity.tails) if (tail.feature === index) tail.dropUntil(keptMs);
  let tail: BucketTail | undefined;
  for (let row = 0; row < moved; row++) {
    if (!counts(feature, entity, row) || entity.atMs(row) <= keptMs) continue;
    const currency = feature.currency < 0 ? -1 : entity.value(row, feature.currency);
    // Most have the currency of the row before.
    if (tail?.currency !== currency) tail = tailFor(entity, { feature, index, currency });
    tail.add(entity.atMs(row), amountAt(entity, row, feature));
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
  const made = new BucketTail({ feature: index, currency, kind: feature.kind });
  entity.tails = [...entity.tails, made];
  return made;
}

function moveCounts(entity: FeatureEntity, kind: 'spread' | 'values', { feature, index, moved, keptMs }: Move): void {
  for (const tail of entity.countTails) if (tail.feature === index) tail.dropUntil(keptMs);
  for (let row = 0; row < moved; row++) {
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

/** Of values the value's number; of a spread the bin that the row's number is in. */
function keyAt(entity: FeatureEntity, row: number, { kind, column }: LayoutFeature): number {
  const wide = entity.wide[column]?.[row];
  if (wide !== undefined) return binOfWide(entity.layout.columns[column]!, wide);
  return kind === 'values' ? entity.value(row, column) : binOf(entity.value(row, column));
}

function moveDistinct(entity: FeatureEntity, { feature, index, moved, keptMs }: Move): void {
  const lastMs = new Map<number, number>();
  for (let row = 0; row < moved; row++) {
    if (counts(feature, entity, row)) lastMs.set(entity.value(row, feature.column), entity.atMs(row));
  }
  const tail = entity.distinctTails[index] ?? new DistinctTail();
  tail.dropUntil(keptMs);
  tail.add([...lastMs].filter(([, atMs]) => atMs > keptMs));
  while (tail.size > entity.layout.bounds.distinctValuesMax) {
    const halvings = samplingOf(entity, feature) + 1;
    entity.setScalar(feature.scalar, halvings);
    const { texts } = entity;
    const isKept = (number: number): boolean => isHashSampled(texts.textHashOf(number), halvings);
    tail.renumber((number) => (isKept(number) ? number : undefined));
    unsample(entity, feature, isKept);
  }
  entity.distinctTails = entity.layout.features.map((_, place) =>
    place !== index ? entity.distinctTails[place] : tail.size === 0 ? undefined : tail,
  );
}

function unsample(entity: FeatureEntity, feature: LayoutFeature, isKept: (number: number) => boolean): void {
  for (let row = entity.head; row < entity.end; row++) {
    if (!counts(feature, entity, row) || isKept(entity.value(row, feature.column))) continue;
    entity.setMask(row, feature.word, entity.mask(row, feature.word) & ~feature.bit);
  }
}

/** Forgets texts that nothing names any more, when they may be more than half of all. */
function tidyTexts(entity: FeatureEntity): void {
  const { columns } = entity.layout;
  const { texts } = entity;
  if (texts.count <= 2 * namedTextsMax(entity)) return;
  const textColumns = columns.flatMap((kind, column) => (kind === 'text' ? [column] : []));
  const marks = new Uint8Array(texts.count);
  for (let row = entity.head; row < entity.end; row++) {
    for (const column of textColumns) marks[entity.value(row, column)] = 1;
  }
  for (const tail of entity.tails) if (tail.currency >= 0) marks[tail.currency] = 1;
  for (const tail of entity.distinctTails) for (const [number] of tail?.sightings() ?? []) marks[number] = 1;
  for (const tail of entity.countTails) for (const number of namesOf(entity, tail)) marks[number] = 1;
  for (const profiles of entity.profiles) for (const { currency } of profiles?.all ?? []) marks[currency] = 1;
  const numbers = entity.keepTexts(marks);
  renumber(entity, textColumns, (number) => numbers[number]!);
}

/** Texts that a tail of counts names: its currency, and of values each of them. */
function namesOf(entity: FeatureEntity, tail: CountsTail): readonly number[] {
  const currency = tail.currency < 0 ? [] : [tail.currency];
  if (entity.layout.features[tail.feature]!.kind !== 'values') return currency;
  return [...currency, ...tail.buckets.flatMap(({ keys }) => keys)];
}

function renumber(entity: FeatureEntity, columns: readonly number[], numberOf: (number: number) => number): void {
  for (let row = entity.head; row < entity.end; row++) {
    for (const column of columns) entity.setValue(row, column, numberOf(entity.value(row, column)));
  }
  for (const tail of entity.tails) if (tail.currency >= 0) tail.currency = numberOf(tail.currency);
  for (const tail of entity.distinctTails) tail?.renumber(numberOf);
  for (const tail of entity.countTails) {
    if (tail.currency >= 0) tail.currency = numberOf(tail.currency);
    if (entity.layout.features[tail.feature]!.kind === 'values') tail.renumber(numberOf);
  }
  for (const profiles of entity.profiles) profiles?.renumber(numberOf);
}
