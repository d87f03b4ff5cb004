import type { FeatureEntity } from '../store/feature-entity.ts';

/** Recomputes what the header and the totals say about the rows. */
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
