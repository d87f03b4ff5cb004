import type { DistinctTail } from '../tail/distinct-tail.ts';
import type { Layout, LayoutFeature } from './layout.ts';

/** The rows of an entity, as they are read. Row `head` is the oldest, row `end - 1` the newest. */
export interface Rows {
  readonly layout: Layout;
  readonly head: number;
  readonly end: number;
  /** By feature; what `distinct` features keep of older rows. */
  readonly distinctTails: readonly (DistinctTail | undefined)[];
  atMs(row: number): number;
  /** A word of the mask that says for which features the row counts. */
  mask(row: number, word: number): number;
  /** Ticks, or the number of a text. */
  value(row: number, column: number): number;
}

/** Whether the row's mask says that it counts for the feature. */
export function counts(feature: LayoutFeature, rows: Rows, row: number): boolean {
  return (rows.mask(row, feature.word) & feature.bit) !== 0;
}
