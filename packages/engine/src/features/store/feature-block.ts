import { copyCells, offsetMask, type Page, sizeOf } from '../../store/memory/arena.ts';
import { cellsOf, hasPartAt, textAt } from '../../store/memory/key-text.ts';
import { hashAt, nameAt } from '../../store/entities/block-header.ts';
import type { PackedName } from '../../store/entities/packed-entities.ts';
import type { Layout } from './layout.ts';
import type { RowShape } from './row-shape.ts';
import { windowCells } from './tally-window.ts';

/*
 * The block of a feature entity in use:
 *
 * ```
 *   [header][name][scalars][totals][windows][row][row][row] … [row][free]
 *                                                ^head          ^end
 * ```
 *
 * The header is that of `block-header.ts`, then further 32-bit numbers and, in its last cell, a time. The windows
 * exist from the first moving window on.
 */

/** Index of the entity's overflow (what only crowded entities keep in addition to the block); 0 for none. */
export const extrasAt = 5;
export const headAt = 6;
export const endAt = 7;
/** Capacity in rows. */
export const roomAt = 8;
/** Number of rows at which the entity is next searched for rows that no feature needs. */
export const sweepRowsAt = 9;
/** Block of its texts; 0 if none. */
export const textsAt = 10;

/** Cell of the log time at which the oldest row, or the whole entity, is no longer needed. */
export const pruneCell = 6;
export const headerCells = 7;

/** Flags of an entity in use, at `formAt`; the number of its layout is in the bits above them. */
const inUseFlag = 1 << 31;
export const touchedFlag = 1;
const broadFlag = 2;
const windowsFlag = 4;
const layoutShift = 3;

/** Number of the layout, stored above the flags. */
export function layoutIdIn(flags: number): number {
  return (flags & ~inUseFlag) >>> layoutShift;
}

export function shapeIn(flags: number, layout: Layout): RowShape {
  return (flags & broadFlag) === 0 ? layout.narrow : layout.broad;
}

/** Cells of the windows in a block. */
export function windowCellsIn(flags: number, { windows }: Layout): number {
  return (flags & windowsFlag) === 0 ? 0 : windows * windowCells;
}

/** Minimum capacity in rows; most entities never have more. */
export const roomMin = 2;

/** Above this number of rows the capacity grows by a quarter instead of half. */
const manyRows = 64;

/** New capacity for an entity whose block is full. */
export function grownRoom(rows: number): number {
  return rows + Math.max(roomMin, rows >>> (rows > manyRows ? 2 : 1));
}

/** Rows that fit into a block allocated for `rows` rows after `fixedCells`: blocks are rounded up. */
export function roomOf(fixedCells: number, rows: number, { stride }: RowShape): number {
  return Math.floor((sizeOf(fixedCells + rows * stride) - fixedCells) / stride);
}

/** The value at `formAt` of a new entity in use, not touched so far. */
export function inUseForm(layout: Layout, { isBroad }: RowShape, hasWindows = false): number {
  return inUseFlag | (isBroad ? broadFlag : 0) | (hasWindows ? windowsFlag : 0) | (layout.id << layoutShift);
}

/** Cells before the rows, without windows, for a name of `nameCells` cells. */
export function fixedCells(layout: Layout, nameCells: number): number {
  return headerCells + nameCells + layout.scalars + layout.totals;
}

/** Accessor for the name of an entity in use. */
export class NameInUse implements PackedName {
  #page!: Page;
  #cell = 0;
  hash = 0;
  length = 0;
  isWide = false;

  place(page: Page, block: number): this {
    const cell = block & offsetMask;
    const name = page.ints[cell * 2 + nameAt]!;
    this.#page = page;
    this.#cell = cell + headerCells;
    this.hash = page.ints[cell * 2 + hashAt]!;
    this.length = name >>> 1;
    this.isWide = (name & 1) !== 0;
    return this;
  }

  get cells(): number {
    return cellsOf(this.length, this.isWide);
  }

  get text(): string {
    return textAt(this.#page, this.#cell, this);
  }

  writeTo(page: Page, cell: number): void {
    copyCells(this.#page, this.#cell, { page, cell, cells: this.cells });
  }

  /** Whether this part of the name equals this text. */
  hasPart(part: string, place: number): boolean {
    return hasPartAt(this.#page, this.#cell, { isWide: this.isWide, place, part });
  }
}
