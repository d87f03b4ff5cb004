import type { FeatureEntity } from '../store/feature-entity.ts';
import type { Window } from './moving-window.ts';
import { counts } from '../store/rows.ts';

/**
 * Visits the rows of a feature's window, newest first, until `visit` returns false. Returns false, with some rows
 * visited, if that would require looking at more than `rowsMax` rows.
 */
export function eachRow(
  entity: FeatureEntity,
  { index, rowsMax, window }: { readonly index: number; readonly rowsMax: number; readonly window: Window },
  visit: (row: number) => boolean,
): boolean {
  const feature = entity.layout.features[index]!;
  const last = Math.max(entity.head, entity.end - rowsMax);
  for (let row = entity.end - 1; row >= last; row--) {
    const atMs = entity.atMs(row);
    if (atMs > window.nowMs) continue;
    if (atMs <= window.edgeMs) return true;
    if (!counts(feature, entity, row)) continue;
    if (feature.currency >= 0 && entity.value(row, feature.currency) !== window.currency) continue;
    if (!visit(row)) return true;
  }
  return last === entity.head;
}
