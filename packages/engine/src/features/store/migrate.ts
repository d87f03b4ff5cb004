import { BucketTail } from '../tail/bucket-tail.ts';
import { CountsTail } from '../tail/counts-tail.ts';
import type { FeatureEntity } from './feature-entity.ts';
import { type Layout, type LayoutFeature, scalarsOf } from './layout.ts';
import { counts } from './rows.ts';
import { noteRows } from '../window/note-rows.ts';

/** A feature that both layouts have: its old place, and its new one. */
interface Kept {
  readonly from: LayoutFeature;
  readonly fromIndex: number;
  readonly to: LayoutFeature;
  readonly toIndex: number;
}

/**
 * Converts an entity to another layout, after a change of policy. Features in both layouts (the same life, not only
 * the same name) keep their state; the others begin empty, and rows that no kept feature counts are dropped. Migrating
 * through a layout in between gives the same result.
 */
export function migrate(entity: FeatureEntity, to: Layout): void {
  const kept = entity.layout.features.flatMap((from, fromIndex): readonly Kept[] => {
    const toIndex = to.features.findIndex(({ instance }) => instance === from.instance);
    return toIndex < 0 ? [] : [{ from, fromIndex, to: to.features[toIndex]!, toIndex }];
  });
  const before = entity.moveTo(to);
  entity.sweepAt = before.sweepAt;
  entity.takeTexts(before.texts.all());
  moveRows(before, entity, kept);
  for (const { from, to: place } of kept) {
    for (let cell = 0; cell < scalarsOf[place.kind]; cell++) {
      entity.setScalar(place.scalar + cell, before.scalar(from.scalar + cell));
    }
  }
  const tails = before.tails.flatMap((tail) => movedTail(tail, kept));
  if (tails.length > 0) entity.tails = tails;
  if (before.distinctTails.length > 0) {
    entity.distinctTails = to.features.map((_, index) => {
      const place = kept.find(({ toIndex }) => toIndex === index);
      return place === undefined ? undefined : before.distinctTails[place.fromIndex];
    });
  }
  const countTails = before.countTails.flatMap((tail) => movedCounts(tail, kept));
  if (countTails.length > 0) entity.countTails = countTails;
  if (kept.some(({ fromIndex }) => before.profiles[fromIndex] !== undefined)) {
    entity.profiles = to.features.map((_, index) => {
      const place = kept.find(({ toIndex }) => toIndex === index);
      return place === undefined ? undefined : before.profiles[place.fromIndex];
    });
  }
  if (kept.some(({ fromIndex }) => before.fraudTimes[fromIndex] !== undefined)) {
    entity.fraudTimes = to.features.map((_, index) => {
      const place = kept.find(({ toIndex }) => toIndex === index);
      return place === undefined ? undefined : before.fraudTimes[place.fromIndex];
    });
  }
  before.release();
  noteRows(entity);
}

function movedTail(tail: BucketTail, kept: readonly Kept[]): readonly BucketTail[] {
  const place = kept.find(({ fromIndex }) => fromIndex === tail.feature);
  if (place === undefined) return [];
  const { kind, column, currency } = tail;
  const copy = new BucketTail({ feature: place.toIndex, currency, kind, column });
  for (let index = 0; index < tail.buckets; index++) copy.append(tail.bucketAt(index));
  return [copy];
}

function movedCounts(tail: CountsTail, kept: readonly Kept[]): readonly CountsTail[] {
  const place = kept.find(({ fromIndex }) => fromIndex === tail.feature);
  if (place === undefined) return [];
  const kind = place.to.kind as 'spread' | 'values';
  const copy = new CountsTail({ feature: place.toIndex, currency: tail.currency, kind });
  for (const bucket of tail.buckets) copy.append(bucket);
  return [copy];
}

function moveRows(before: FeatureEntity, entity: FeatureEntity, kept: readonly Kept[]): void {
  const columns = entity.layout.columns.map((_, column) => columnBefore(kept, column));
  const wide = columns.map((column) => (before.wide[column] === undefined ? undefined : []));
  if (wide.some((values) => values !== undefined)) entity.wide = wide;
  for (let row = before.head; row < before.end; row++) {
    const counted = kept.filter(({ from }) => counts(from, before, row));
    if (counted.length === 0) continue;
    const place = entity.insertRow(before.atMs(row));
    for (const { to } of counted) entity.setMask(place, to.word, entity.mask(place, to.word) | to.bit);
    columns.forEach((column, index) => {
      if (column < 0) return;
      entity.setValue(place, index, before.value(row, column));
      const values = entity.wide[index];
      if (values !== undefined) values[place] = before.wide[column]![row]!;
    });
  }
}

/** The old column of a new column's values; -1 if no kept feature uses it. */
function columnBefore(kept: readonly Kept[], column: number): number {
  for (const { from, to } of kept) {
    if (to.column === column) return from.column;
    if (to.currency === column) return from.currency;
  }
  return -1;
}
