import { offsetMask, type Page, sizeOf } from '../memory/arena.ts';
import { cellsOf, textAt } from '../memory/key-text.ts';
import type { Layout } from './layout.ts';

/*
 * How a feature entity lies in a block of the arena:
 *
 * ```
 *   [header][name][scalars][totals][row][row][row] … [row][free]
 *                                       ^head          ^end
 * ```
 *
 * The header is numbers of 32 bits and, in its last cell, a time. A name that is known to be absent is a block with a
 * header and a name alone.
 */

/** Places of the header's 32-bit numbers. The first is the arena's own while the block is free. */
export const hashAt = 0;
/** Characters of the name. */
export const nameLengthAt = 1;
/** Bits: see below; from `layoutShift` on the number of the layout. */
export const flagsAt = 2;
/** Number of the checkpoint that it changed before; 0 for never. */
export const changedInAt = 3;
/** Place among the group's changed blocks, while it is one of them. */
export const changedPlaceAt = 4;
/** What does not lie in the block: its place among the group's; below 0 the block of its texts, where these are all. */
export const extrasAt = 5;
export const headAt = 6;
export const endAt = 7;
/** Rows that it has room for. */
export const roomAt = 8;
/** Number of rows at which it looks for rows that no feature needs. */
export const sweepRowsAt = 9;

/** Cell of the log time from which its oldest row, or all of it, is needed no more. */
export const pruneCell = 5;
export const headerCells = 6;

export const touchedFlag = 1;
export const wideNameFlag = 2;
export const absentFlag = 4;
export const layoutShift = 3;

/** Rows that an entity has room for at the least; most never see more. */
export const roomMin = 2;

/** Rows that fit into a block that was made for so many, beside the cells before them. */
export function roomOf(fixedCells: number, rows: number, { stride }: Layout): number {
  return Math.floor((sizeOf(fixedCells + rows * stride) - fixedCells) / stride);
}

export function setLayout(ints: Int32Array, at: number, layout: Layout): void {
  const flags = ints[at + flagsAt]! & ((1 << layoutShift) - 1);
  ints[at + flagsAt] = flags | (layout.id << layoutShift);
}

/** Cells before the rows of an entity with a name of so many cells. */
export function fixedCells(layout: Layout, nameCells: number): number {
  return headerCells + nameCells + layout.scalars + layout.columns.length;
}

/** The name that stands in a block. */
export function nameOf(page: Page, block: number): string {
  const offset = block & offsetMask;
  const isWide = (page.ints[offset * 2 + flagsAt]! & wideNameFlag) !== 0;
  return textAt(page, offset + headerCells, { length: page.ints[offset * 2 + nameLengthAt]!, isWide });
}

/** Cells of the name that stands in a block. */
export function nameCells({ ints }: Page, block: number): number {
  const at = (block & offsetMask) * 2;
  return cellsOf(ints[at + nameLengthAt]!, (ints[at + flagsAt]! & wideNameFlag) !== 0);
}
