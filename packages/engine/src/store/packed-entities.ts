import { type Arena, offsetMask } from '../memory/arena.ts';
import { cellsOf, type KeyText, textAt } from '../memory/key-text.ts';
import type { Names } from '../memory/key-table.ts';
import type { Marks } from './changed-list.ts';

/*
 * An entity that is packed, in a block of the arena:
 *
 *   [header][name][snapshot]
 *
 * The header is numbers of 32 bits; the first is the arena's own while the block is free.
 */
const hashAt = 0;
/** Characters of the name, and in the lowest bit whether it is wide. */
const nameAt = 1;
/** Bytes of the snapshot; 0 for one of which nothing is kept. */
const sizeAt = 2;
const changedInAt = 3;
const changedPlaceAt = 4;
const headerCells = 3;
const cellBytes = 8;

/** Entities as their names and snapshots, in blocks that the garbage collector does not see. */
export class PackedEntities implements Names, Marks<number> {
  readonly #arena: Arena;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Packs an entity of this name; an empty snapshot says that there is none. */
  pack(name: KeyText, snapshot: Uint8Array): number {
    const block = this.#arena.allocate(cellsFor(name.cells, snapshot.length));
    const page = this.#arena.pageOf(block);
    const cell = block & offsetMask;
    page.ints[cell * 2 + hashAt] = name.hash;
    page.ints[cell * 2 + nameAt] = name.length * 2 + (name.isWide ? 1 : 0);
    page.ints[cell * 2 + sizeAt] = snapshot.length;
    this.mark(block, 0, 0);
    name.writeTo(page, cell + headerCells);
    page.bytes.set(snapshot, (cell + headerCells + name.cells) * cellBytes);
    return block;
  }

  isNamed(block: number, name: KeyText): boolean {
    if (this.#number(block, nameAt) !== name.length * 2 + (name.isWide ? 1 : 0)) return false;
    return name.isAt(this.#arena.pageOf(block), (block & offsetMask) + headerCells);
  }

  nameOf(block: number): string {
    const name = this.#number(block, nameAt);
    const of = { length: name >>> 1, isWide: (name & 1) !== 0 };
    return textAt(this.#arena.pageOf(block), (block & offsetMask) + headerCells, of);
  }

  hashOf(block: number): number {
    return this.#number(block, hashAt);
  }

  /** Whether nothing is kept of it but its name. */
  isAbsent(block: number): boolean {
    return this.#number(block, sizeAt) === 0;
  }

  /** The snapshot where it is: good until the block is released. */
  snapshotOf(block: number): Uint8Array {
    const from = ((block & offsetMask) + headerCells + this.#nameCells(block)) * cellBytes;
    return this.#arena.pageOf(block).bytes.subarray(from, from + this.#number(block, sizeAt));
  }

  release(block: number): void {
    this.#arena.release(block, cellsFor(this.#nameCells(block), this.#number(block, sizeAt)));
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
