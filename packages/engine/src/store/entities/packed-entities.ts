import { type Arena, offsetMask, type Page } from '../memory/arena.ts';
import { cellsOf, hasPartAt, type KeyText, textAt } from '../memory/key-text.ts';
import type { Names } from '../memory/key-table.ts';
import { changedInAt, changedPlaceAt, formAt, hashAt, nameAt, nameNumber } from './block-header.ts';
import type { Marks } from './changed-list.ts';

/*
 * A packed entity in a block of the arena:
 *
 *   [header][name][snapshot]
 *
 * The header is that of `block-header.ts`.
 */
const headerCells = 3;
const cellBytes = 8;

/** A name that can be copied into a block. */
export interface PackedName {
  readonly hash: number;
  /** In characters. */
  readonly length: number;
  readonly isWide: boolean;
  /** Number of cells. */
  readonly cells: number;
  writeTo(page: Page, cell: number): void;
}

/** Entities as names and snapshots, in blocks that the garbage collector does not scan. */
export class PackedEntities implements Names, Marks<number> {
  readonly #arena: Arena;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Packs an entity with this name; an empty snapshot marks it as absent. */
  pack(name: PackedName, snapshot: Uint8Array): number {
    const block = this.#arena.allocate(cellsFor(name.cells, snapshot.length));
    const page = this.#arena.pageOf(block);
    const cell = block & offsetMask;
    page.ints[cell * 2 + hashAt] = name.hash;
    page.ints[cell * 2 + nameAt] = nameNumber(name);
    page.ints[cell * 2 + formAt] = snapshot.length;
    this.mark(block, 0, 0);
    name.writeTo(page, cell + headerCells);
    page.bytes.set(snapshot, (cell + headerCells + name.cells) * cellBytes);
    return block;
  }

  isNamed(block: number, name: KeyText): boolean {
    if (this.#number(block, nameAt) !== nameNumber(name)) return false;
    return name.isAt(this.#arena.pageOf(block), (block & offsetMask) + headerCells);
  }

  nameOf(block: number): string {
    const name = this.#number(block, nameAt);
    const of = { length: name >>> 1, isWide: (name & 1) !== 0 };
    return textAt(this.#arena.pageOf(block), (block & offsetMask) + headerCells, of);
  }

  /** Whether this part of its name equals this text. */
  hasPart(block: number, part: string, place: number): boolean {
    const isWide = (this.#number(block, nameAt) & 1) !== 0;
    return hasPartAt(this.#arena.pageOf(block), (block & offsetMask) + headerCells, { isWide, place, part });
  }

  hashOf(block: number): number {
    return this.#number(block, hashAt);
  }

  /** Whether it is only an absent name. */
  isAbsent(block: number): boolean {
    return this.#number(block, formAt) === 0;
  }

  /** The snapshot in place: valid until the block is released. */
  snapshotOf(block: number): Uint8Array {
    const from = ((block & offsetMask) + headerCells + this.#nameCells(block)) * cellBytes;
    return this.#arena.pageOf(block).bytes.subarray(from, from + this.#number(block, formAt));
  }

  /** Whether its snapshot begins with these bytes. */
  beginsWith(block: number, prefix: Uint8Array): boolean {
    if (this.#number(block, formAt) < prefix.length) return false;
    const { bytes } = this.#arena.pageOf(block);
    const from = ((block & offsetMask) + headerCells + this.#nameCells(block)) * cellBytes;
    for (let at = 0; at < prefix.length; at++) if (bytes[from + at] !== prefix[at]) return false;
    return true;
  }

  release(block: number): void {
    this.#arena.release(block, cellsFor(this.#nameCells(block), this.#number(block, formAt)));
  }

  changedIn(block: number): number {
    return this.#number(block, changedInAt);
  }

  placeOf(block: number): number {
    return this.#number(block, changedPlaceAt);
  }

  mark(block: number, changedIn: number, place: number): void {
    const { ints } = this.#arena.pageOf(block);
    const at = (block & offsetMask) * 2;
    ints[at + changedInAt] = changedIn;
    ints[at + changedPlaceAt] = place;
  }

  #nameCells(block: number): number {
    const name = this.#number(block, nameAt);
    return cellsOf(name >>> 1, (name & 1) !== 0);
  }

  #number(block: number, at: number): number {
    return this.#arena.pageOf(block).ints[(block & offsetMask) * 2 + at]!;
  }
}

function cellsFor(nameCells: number, sizeBytes: number): number {
  return headerCells + nameCells + Math.ceil(sizeBytes / cellBytes);
}
