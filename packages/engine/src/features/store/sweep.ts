import type { CountsTail } from '../tail/counts-tail.ts';
import { lateReachMs } from '../../limits.ts';
import type { FeatureEntity } from './feature-entity.ts';
import { forget } from './forget-row.ts';
import type { EntityBounds } from './layout.ts';
import { isCrowded, moveToTails } from '../tail/move-to-tails.ts';
import { counts } from './rows.ts';

/**
 * Bounds the size of an entity. Drops rows that no feature needs when the number of rows has doubled, and moves the
 * oldest into tails when there are too many. The trigger is the number of rows, which events decide, never the size of
 * memory, so a restored entity does the same at the same event. Moving windows begin again if rows that they may
 * contain are dropped.
 */
export function sweep(entity: FeatureEntity, logTimeMs: number): void {
  if (entity.rows >= entity.sweepAt || hasIdleTexts(entity)) lookThrough(entity, logTimeMs);
  if (isCrowded(entity)) moveToTails(entity, logTimeMs);
}

/** If equal numbers of rows come and go, the rows never double, but new texts still accumulate. */
function hasIdleTexts(entity: FeatureEntity): boolean {
  const texts = entity.texts.count;
  return texts > entity.sweepAt && texts > 2 * namedTextsMax(entity) + entity.sweepAt;
}

function lookThrough(entity: FeatureEntity, logTimeMs: number): void {
  // A sweep because of texts alone does not postpone the next sweep of rows.
  const latest = entity.rows >= entity.sweepAt ? Infinity : entity.sweepAt;
  dropUnneeded(entity, logTimeMs);
  tidyTexts(entity);
  entity.sweepAt = Math.min(latest, nextSweepAt(entity.rows, entity.layout.bounds));
}

/**
 * The next sweep is due when rows have doubled, and at `rowsMax` at the latest, before any row is moved. An entity that
 * is more than three quarters full is swept again after half of `rowsMax` have come in beyond the bound: each move
 * lowers `sweepAt` by the rows that it takes away.
 */
function nextSweepAt(rows: number, { rowsMax, sweepRowsMin }: EntityBounds): number {
  return rows > (rowsMax * 3) / 4 ? (rowsMax * 3) / 2 : Math.min(rowsMax, Math.max(sweepRowsMin, rows * 2));
}

/** Upper bound on the texts that the entity's contents can refer to. */
function namedTextsMax(entity: FeatureEntity): number {
  let named = entity.rows * entity.layout.textColumns + entity.tails.length;
  for (const tail of entity.distinctTails) named += tail?.size ?? 0;
  for (const { keys } of entity.countTails) named += keys;
  for (const profiles of entity.profiles) named += profiles?.all.length ?? 0;
  return named;
}

function isNeeded(entity: FeatureEntity, row: number, logTimeMs: number): boolean {
  const agoMs = logTimeMs - lateReachMs - entity.atMs(row);
  return entity.layout.features.some((feature) => agoMs < feature.overMs && counts(feature, entity, row));
}

/** Drops the rows that no feature needs; the others keep their order. */
function dropUnneeded(entity: FeatureEntity, logTimeMs: number): void {
  let row = entity.head;
  while (row < entity.end && isNeeded(entity, row, logTimeMs)) row++;
  if (row === entity.end) return;
  let end = row;
  for (; row < entity.end; row++) {
    if (isNeeded(entity, row, logTimeMs)) entity.moveRow(row, end++);
    else forget(entity, row);
  }
  entity.end = end;
  for (const values of entity.wide) values?.splice(end);
  entity.noteHead();
  entity.endWindows();
}

/** Drops unused texts, if these may be more than half of all. */
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
  for (const tail of entity.distinctTails) tail?.mark(marks);
  for (const tail of entity.countTails) markNames(entity, tail, marks);
  for (const profiles of entity.profiles) for (const { currency } of profiles?.all ?? []) marks[currency] = 1;
  const numbers = entity.keepTexts(marks);
  renumber(entity, textColumns, (number) => numbers[number]!);
  entity.endWindows();
}

/** Marks the texts that a tail of counts refers to: its currency and, for values, each value. */
function markNames(entity: FeatureEntity, tail: CountsTail, marks: Uint8Array): void {
  if (tail.currency >= 0) marks[tail.currency] = 1;
  if (entity.layout.features[tail.feature]!.kind !== 'values') return;
  for (const { keys } of tail.buckets) for (const number of keys) marks[number] = 1;
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
