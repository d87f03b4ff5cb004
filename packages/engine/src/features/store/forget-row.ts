import type { FeatureEntity } from './feature-entity.ts';
import { counts } from './rows.ts';

/** Must be called before a row is dropped: subtracts it from the totals. */
export function forget(entity: FeatureEntity, row: number): void {
  const { columns } = entity.layout;
  for (let column = 0; column < columns.length; column++) {
    if (columns[column] !== 'text') entity.setTotal(column, entity.total(column) - Math.abs(entity.value(row, column)));
  }
  rememberLast(entity, row);
}

/** Must be called when a row no longer counts: `lastSeen` features remember the latest such time. */
export function rememberLast(entity: FeatureEntity, row: number): void {
  if (!entity.layout.lasting) return;
  for (const feature of entity.layout.features) {
    if (feature.kind !== 'lastSeen' || !counts(feature, entity, row)) continue;
    const known = entity.scalar(feature.scalar + 1);
    entity.setScalar(feature.scalar + 1, known > entity.atMs(row) ? known : entity.atMs(row));
  }
}
