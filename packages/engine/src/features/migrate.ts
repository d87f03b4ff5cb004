import { BucketTail } from './bucket-tail.ts';
import { FeatureEntity } from './feature-entity.ts';
import { type Layout, type LayoutFeature, scalarsOf } from './layout.ts';
import { counts } from './rows.ts';
import { noteRows } from './sweep.ts';

/** A feature that both layouts have: where it was, and where it comes to be. */
interface Kept {
  readonly from: LayoutFeature;
  readonly fromIndex: number;
  readonly to: LayoutFeature;
  readonly toIndex: number;
}

/**
 * Brings an entity from the layout that it was kept in to another one, when a policy has changed. Features that both
 * have (the same life, not only the same name) keep what they know; the others begin empty, and rows that no kept
 * feature counts are dropped. Going through a layout between gives the same.
 */
export function migrate(entity: FeatureEntity, to: Layout): void {
  const kept = entity.layout.features.flatMap((from, fromIndex): readonly Kept[] => {
    const toIndex = to.features.findIndex(({ instance }) => instance === from.instance);
    return toIndex < 0 ? [] : [{ from, fromIndex, to: to.features[toIndex]!, toIndex }];
  });
  const moved = new FeatureEntity(to, entity, entity.rows);
  moveRows(entity, moved, kept);
  for (const { from, to: place } of kept) {
    for (let cell = 0; cell < scalarsOf[place.kind]; cell++) {
      moved.setScalar(place.scalar + cell, entity.scalar(from.scalar + cell));
    }
  }
  moved.tails = entity.tails.flatMap((tail) => movedTail(tail, kept));
  moved.distinctTails = to.features.map((_, index) => {
    const place = kept.find(({ toIndex }) => toIndex === index);
    return place === undefined ? undefined : entity.distinctTails[place.fromIndex];
  });
  entity.become(moved);
  noteRows(entity);
}

function movedTail(tail: BucketTail, kept: readonly Kept[]): readonly BucketTail[] {
  const place = kept.find(({ fromIndex }) => fromIndex === tail.feature);
  if (place === undefined) return [];
  const copy = new BucketTail({ feature: place.toIndex, currency: tail.currency, kind: tail.kind });
  for (let index = 0; index < tail.buckets; index++) copy.append(tail.bucketAt(index));
  return [copy];
}

function moveRows(entity: FeatureEntity, moved: FeatureEntity, kept: readonly Kept[]): void {
  const columns = moved.layout.columns.map((_, column) => columnBefore(kept, column));
  moved.wide = columns.map((before) => (entity.wide[before] === undefined ? undefined : []));
  for (let row = entity.head; row < entity.end; row++) {
    const counted = kept.filter(({ from }) => counts(from, entity, row));
    if (counted.length === 0) continue;
    const place = moved.insertRow(entity.atMs(row));
    for (const { to } of counted) moved.setMask(place, to.word, moved.mask(place, to.word) | to.bit);
    columns.forEach((before, column) => {
      if (before < 0) return;
      moved.setValue(place, column, entity.value(row, before));
      const values = moved.wide[column];
      if (values !== undefined) values[place] = entity.wide[before]![row]!;
    });
  }
}

/** Where a column's values stood; -1 when no kept feature uses it. */
function columnBefore(kept: readonly Kept[], column: number): number {
  for (const { from, to } of kept) {
    if (to.column === column) return from.column;
    if (to.currency === column) return from.currency;
  }
  return -1;
}
