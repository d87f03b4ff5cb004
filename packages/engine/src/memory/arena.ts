import { assert } from '@ringfence/contract';

/** A piece of memory, seen as doubles, 32-bit whole numbers and bytes: cell `i` is the numbers `2i` and `2i + 1`. */
export interface Page {
  readonly cells: Float64Array<ArrayBuffer>;
  readonly ints: Int32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Cells of a page, a power of two: 512 KiB, so that a new one costs no more than an event. */
const pageCellsLog2 = 16;
const pageCells = 1 << pageCellsLog2;
export const offsetMask = pageCells - 1;
/** Blocks above this many cells have a page of their own. */
const sharedCellsMax = pageCells / 4;
const blockCellsMin = 8;
const cellBytes = 8;
/** Numbers up to which copying one by one is quicker than asking the system. */
const copiedSinglyMax = 64;
/** A 31-bit number names a cell: 16 GiB. */
const pagesMax = 1 << (31 - pageCellsLog2);

/**
 * Blocks of cells, in pages that the garbage collector sees as one thing each: millions of entities cost it nothing.
 * A block is named by a number, never 0. Its cells hold whatever was there before.
 */
export class Arena {
  /** The first is none, so that no block is named 0. */
  readonly #pages: (Page | undefined)[] = [undefined];
  /** First free block of each class, linked through their first numbers; 0 for none. */
  readonly #free: number[] = Array.from({ length: classOf(sharedCellsMax) + 1 }, () => 0);
  readonly #freePages: number[] = [];
  /** Where the rest of the page begins that blocks are cut from, and its cells. */
  #rest = 0;
  #restCells = 0;
  #usedCells = 0;

  /** What blocks take that were made and not given back. */
  get usedBytes(): number {
    return this.#usedCells * cellBytes;
  }

  /** The page that a block lies in, from `block & offsetMask` on. */
  pageOf(block: number): Page {
    return this.#pages[block >>> pageCellsLog2]!;
  }

  /** Makes a block of at least so many cells; `sizeOf` says how many it has. */
  allocate(cells: number): number {
    const size = sizeOf(cells);
    this.#usedCells += size;
    if (size > sharedCellsMax) return this.#addPage(size);
    const free = this.#takeFree(classOf(size), size);
    if (free !== 0) return free;
    if (this.#restCells < size) {
      this.#rest = this.#addPage(pageCells);
      this.#restCells = pageCells;
    }
    const block = this.#rest;
    this.#rest += size;
    this.#restCells -= size;
    return block;
  }

  /** Takes back a block that was made for so many cells. */
  release(block: number, cells: number): void {
    const size = sizeOf(cells);
    this.#usedCells -= size;
    if (size > sharedCellsMax) {
      this.#pages[block >>> pageCellsLog2] = undefined;
      this.#freePages.push(block >>> pageCellsLog2);
      return;
    }
    this.#giveFree(block, classOf(size));
  }

  /** A free block of this class, cut from the next larger one that there is; 0 for none. */
  #takeFree(list: number, size: number): number {
    const lists = this.#free.length;
    let from = list;
    while (from < lists && this.#free[from] === 0) from += classesToDouble;
    if (from >= lists) return 0;
    const block = this.#free[from]!;
    this.#free[from] = this.pageOf(block).ints[(block & offsetMask) * 2]!;
    for (let half = (size << ((from - list) / classesToDouble)) / 2; from > list; half /= 2) {
      from -= classesToDouble;
      this.#giveFree(block + half, from);
    }
    return block;
  }

  #giveFree(block: number, list: number): void {
    this.pageOf(block).ints[(block & offsetMask) * 2] = this.#free[list]!;
    this.#free[list] = block;
  }

  #addPage(cells: number): number {
    const number = this.#freePages.pop() ?? this.#pages.length;
    assert(number < pagesMax, 'the state of a partition fits into 16 GiB');
    const doubles = new Float64Array(cells);
    const { buffer } = doubles;
    this.#pages[number] = { cells: doubles, ints: new Int32Array(buffer), bytes: new Uint8Array(buffer) };
    return number << pageCellsLog2;
  }
}

/** Copies cells, whatever they hold: read as a double, two whole numbers may come out as others. */
export function copyCells(
  from: Page,
  cell: number,
  to: { readonly page: Page; readonly cell: number; readonly cells: number },
): void {
  const [source, at] = [from.ints, cell * 2];
  const [target, place] = [to.page.ints, to.cell * 2];
  const ints = to.cells * 2;
  if (ints > copiedSinglyMax) target.set(source.subarray(at, at + ints), place);
  else for (let index = 0; index < ints; index++) target[place + index] = source[at + index]!;
}

/** Cells that a block of at least so many has: 8, 12, 16, 24, 32, 48 …, so that at most a third is left over. */
export function sizeOf(cells: number): number {
  if (cells <= blockCellsMin) return blockCellsMin;
  const power = 1 << (32 - Math.clz32(cells - 1));
  const between = (power / 4) * 3;
  return cells <= between ? between : power;
}

/** Number of a size among all sizes: twice the size is so many further. */
const classesToDouble = 2;

function classOf(size: number): number {
  const log2 = 31 - Math.clz32(size);
  return log2 * 2 + (size === 1 << log2 ? 0 : 1);
}
