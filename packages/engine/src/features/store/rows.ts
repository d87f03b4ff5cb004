import type { DistinctTail } from '../tail/distinct-tail.ts';
import type { Layout, LayoutFeature } from './layout.ts';

/** Read access to the rows of an entity. Row `head` is the oldest, row `end - 1` the newest. */
export interface Rows {
  readonly layout: Layout;
  readonly head: number;
  readonly end: number;
  /** By feature: what `distinct` features keep about older rows. */
  readonly distinctTails: readonly (DistinctTail | undefined)[];
  atMs(row: number): number;
  /** A word of the mask of the features that the row counts for. */
  mask(row: number, word: number): number;
  /** Ticks, or the number of a text. */
  value(row: number, column: number): number;
}

/** Whether the row counts for the feature. */
export function counts(feature: LayoutFeature, rows: Rows, row: number): boolean {
  return (rows.mask(row, feature.word) & feature.bit) !== 0;
}
