import { copyCells, offsetMask, type Page, sizeOf } from '../../store/memory/arena.ts';
import { cellsOf, hasPartAt, textAt } from '../../store/memory/key-text.ts';
import { hashAt, nameAt } from '../../store/entities/block-header.ts';
import type { PackedName } from '../../store/entities/packed-entities.ts';
import type { Layout } from './layout.ts';
import type { RowShape } from './row-shape.ts';
import { windowCells } from '../window/tally-window.ts';

/*
 * How a feature entity that is in use lies in a block of the arena:
 *
 * ```
 *   [header][name][scalars][totals][windows][row][row][row] … [row][free]
 *                                                ^head          ^end
 * ```
 *
 * The header is that of `block-header.ts`, more numbers of 32 bits and, in its last cell, a time. Windows are there from
 * the time on that one of them has to move.
 */

/** What only crowded ones have, beside the block: its place among the group's; 0 for nothing. */
export const extrasAt = 5;
export const headAt = 6;
export const endAt = 7;
/** Rows that it has room for. */
export const roomAt = 8;
/** Number of rows at which it looks for rows that no feature needs. */
export const sweepRowsAt = 9;
/** Block of its texts; 0 while it has none. */
export const textsAt = 10;

/** Cell of the log time from which its oldest row, or all of it, is needed no more. */
export const pruneCell = 6;
export const headerCells = 7;

/** Flags of an entity in use, at `formAt`; above them stands the number of its layout. */
const inUseFlag = 1 << 31;
export const touchedFlag = 1;
const broadFlag = 2;
const windowsFlag = 4;
const layoutShift = 3;

/** Number of the layout that stands beside the flags. */
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

/** Rows that an entity has room for at the least; most never see more. */
export const roomMin = 2;

/** Above so many rows, room is made for a quarter more of them instead of half. */
const manyRows = 64;

/** Rows to make room for when there is none left for another. */
export function grownRoom(rows: number): number {
  return rows + Math.max(roomMin, rows >>> (rows > manyRows ? 2 : 1));
}

/** Rows that fit into a block that was made for so many, beside the cells before them. */
export function roomOf(fixedCells: number, rows: number, { stride }: RowShape): number {
  return Math.floor((sizeOf(fixedCells + rows * stride) - fixedCells) / stride);
}

/** What stands at `formAt` of an entity in use that nobody has touched yet. */
export function inUseForm(layout: Layout, { isBroad }: RowShape, hasWindows = false): number {
  return inUseFlag | (isBroad ? broadFlag : 0) | (hasWindows ? windowsFlag : 0) | (layout.id << layoutShift);
}

/** Cells before the rows of an entity with a name of so many cells. */
export function fixedCells(layout: Layout, nameCells: number): number {
  return headerCells + nameCells + layout.scalars + layout.totals;
}

/** A look at the name of an entity in use. */
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

  /** Whether this part of the name is this text. */
  hasPart(part: string, place: number): boolean {
    return hasPartAt(this.#page, this.#cell, { isWide: this.isWide, place, part });
  }
}
