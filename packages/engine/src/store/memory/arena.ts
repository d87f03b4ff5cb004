import { assert } from '@ringfence/contract';

/**
 * A block of memory with views as doubles, as 32-bit and 16-bit whole numbers, and as bytes: cell `i` is the 32-bit
 * numbers `2i` and `2i + 1`, and so on.
 */
export interface Page {
  readonly cells: Float64Array<ArrayBuffer>;
  readonly ints: Int32Array<ArrayBuffer>;
  readonly halves: Uint16Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A page shared by blocks, with bit maps of where free blocks begin and end: one bit for two cells. */
interface SharedPage extends Page {
  readonly begins: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Cells of a page, a power of two: 8 MiB. With few pages, the list of pages stays in the processor's cache. The
 * operating system only provides memory for the parts of a page that are used.
 */
const pageCellsLog2 = 20;
const pageCells = 1 << pageCellsLog2;
export const offsetMask = pageCells - 1;
/** The first pages are smaller, each a quarter of the next, because a state that only tests a policy needs 128 KiB. */
const smallerPages = 3;
const firstPageCells = pageCells >>> (2 * smallerPages);
/** Blocks above this many cells get their own page. */
const sharedCellsMax = pageCells / 4;
const blockCellsMin = 8;
const cellBytes = 8;
/** Up to this count of numbers, a loop is faster than the built-in copy. */
const copiedSinglyMax = 64;
/** A cell has a 31-bit number: 16 GiB. */
const pagesMax = 1 << (31 - pageCellsLog2);

/*
 * The contents of a free block: the next and the previous block of its list (0 for none), its size in cells, and in
 * its very last number the size again, for the block after it. The smallest block has room for exactly that.
 */
const nextAt = 0;
const formerAt = 1;
const sizeAt = 2;

/**
 * Allocator of blocks of cells, in pages that the garbage collector sees as one object each: millions of entities cost
 * it nothing. A block is identified by a number, never 0. Its cells are not cleared.
 *
 * A block is cut from the smallest fitting free block, and joined with free neighbours when it is released, so that
 * memory can be reused for blocks of any size (two-level segregated fit).
 */
export class Arena {
  /** Index 0 is unused, so that no block has the number 0. */
  readonly #pages: (SharedPage | Page | undefined)[] = [undefined];
  readonly #freePages: number[] = [];
  /** The first free block of each list, 0 for none. A list contains blocks from its size to before the next list's. */
  readonly #free = new Int32Array(placeOf(pageCells) + 1);
  /** One bit per list, set if the list is not empty. */
  readonly #filled = new Int32Array((placeOf(pageCells) >>> 5) + 1);
  #usedCells = 0;

  /** Total size of the allocated blocks. */
  get usedBytes(): number {
    return this.#usedCells * cellBytes;
  }

  /** The page of a block, which begins at cell `block & offsetMask`. */
  pageOf(block: number): Page {
    return this.#pages[block >>> pageCellsLog2]!;
  }

  /** Allocates a block of at least this many cells; `sizeOf` gives the exact number. */
  allocate(cells: number): number {
    const size = sizeOf(cells);
    this.#usedCells += size;
    if (size > sharedCellsMax) return this.#addPage(newPage(size));
    let block = this.#find(size);
    if (block === 0) block = this.#addSharedPage(size);
    const had = this.#take(block);
    if (had > size) this.#put(block + size, had - size);
    return block;
  }

  /** Releases a block that was allocated with this number of cells. */
  release(block: number, cells: number): void {
    const size = sizeOf(cells);
    this.#usedCells -= size;
    if (size > sharedCellsMax) {
      this.#pages[block >>> pageCellsLog2] = undefined;
      this.#freePages.push(block >>> pageCellsLog2);
      return;
    }
    const { cells: all, ints, begins, ends } = this.#sharedPageOf(block);
    const from = block & offsetMask;
    const to = from + size;
    let begin = block;
    let joined = size;
    if (to < all.length && hasBit(begins, to)) joined += this.#take(block + size);
    if (from > 0 && hasBit(ends, from)) {
      begin -= ints[from * 2 - 1]!;
      joined += this.#take(begin);
    }
    this.#put(begin, joined);
  }

  /** The first block of the smallest non-empty list whose blocks fit; 0 for none. */
  #find(size: number): number {
    const filled = this.#filled;
    const least = placeOf(size);
    let word = least >>> 5;
    let lists = filled[word]! & (-1 << least);
    while (lists === 0) {
      if (++word === filled.length) return 0;
      lists = filled[word]!;
    }
    return this.#free[word * 32 + 31 - Math.clz32(lists & -lists)]!;
  }

  /** Removes a block from its list. @returns its cells */
  #take(block: number): number {
    const { cells, ints, begins, ends } = this.#sharedPageOf(block);
    const offset = block & offsetMask;
    const int = offset * 2;
    const [next, former, size] = [ints[int + nextAt]!, ints[int + formerAt]!, ints[int + sizeAt]!];
    if (next !== 0) this.#setNumber(next, formerAt, former);
    if (former !== 0) this.#setNumber(former, nextAt, next);
    else this.#setFirst(placeOf(size), next);
    flipBit(begins, offset);
    flipBit(ends, (offset + size) & (cells.length - 1));
    return size;
  }

  /** Adds a block to its list. */
  #put(block: number, size: number): void {
    const { cells, ints, begins, ends } = this.#sharedPageOf(block);
    const offset = block & offsetMask;
    const int = offset * 2;
    const place = placeOf(size);
    const next = this.#free[place]!;
    ints[int + nextAt] = next;
    ints[int + formerAt] = 0;
    ints[int + sizeAt] = size;
    ints[int + size * 2 - 1] = size;
    if (next !== 0) this.#setNumber(next, formerAt, block);
    this.#setFirst(place, block);
    flipBit(begins, offset);
    flipBit(ends, (offset + size) & (cells.length - 1));
  }

  #setFirst(place: number, block: number): void {
    this.#free[place] = block;
    if (block !== 0) this.#filled[place >>> 5]! |= 1 << place;
    else this.#filled[place >>> 5]! &= ~(1 << place);
  }

  #setNumber(block: number, at: number, number: number): void {
    this.#sharedPageOf(block).ints[(block & offsetMask) * 2 + at] = number;
  }

  #sharedPageOf(block: number): SharedPage {
    return this.#pages[block >>> pageCellsLog2] as SharedPage;
  }

  /** Adds a page that is one free block of at least this many cells. */
  #addSharedPage(size: number): number {
    const grown = firstPageCells << (2 * Math.min(this.#pages.length - 1, smallerPages));
    const cells = grown < size ? pageCells : grown;
    const block = this.#addPage(newSharedPage(cells));
    this.#put(block, cells);
    return block;
  }

  #addPage(page: SharedPage | Page): number {
    const number = this.#freePages.pop() ?? this.#pages.length;
    assert(number < pagesMax, 'the state of a partition exceeds 16 GiB');
    this.#pages[number] = page;
    return number << pageCellsLog2;
  }
}

function newPage(cells: number): Page {
  const doubles = new Float64Array(cells);
  const { buffer } = doubles;
  return {
    cells: doubles,
    ints: new Int32Array(buffer),
    halves: new Uint16Array(buffer),
    bytes: new Uint8Array(buffer),
  };
}

/** @param cells a power of two */
function newSharedPage(cells: number): SharedPage {
  const bits = cells / bitCells / 32;
  return { ...newPage(cells), begins: new Int32Array(bits), ends: new Int32Array(bits) };
}

/** Cells per bit; all block sizes are even. The end of a page maps to bit 0, where no other block ends. */
const bitCells = 2;

function hasBit(bits: Int32Array, cell: number): boolean {
  return (bits[cell >>> 6]! & (1 << (cell >>> 1))) !== 0;
}

function flipBit(bits: Int32Array, cell: number): void {
  bits[cell >>> 6]! ^= 1 << (cell >>> 1);
}

/** Copies cells as 32-bit numbers: as a double, two numbers that form a NaN might change. */
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

/** Block sizes per power of two, at least two cells apart. */
const sizesToDoubleLog2 = 3;
const stepMin = 2;

/**
 * Size of a block for at least this many cells: 8, 10, 12 … 32, 36, 40 … 64, 72 …; at most a ninth and one cell are
 * unused.
 */
export function sizeOf(cells: number): number {
  if (cells <= blockCellsMin) return blockCellsMin;
  const step = stepAbove(31 - Math.clz32(cells - 1));
  return (cells + step - 1) & -step;
}

/** Distance between sizes from this power of two to the next. */
function stepAbove(log2: number): number {
  return Math.max(stepMin, 1 << (log2 - sizesToDoubleLog2));
}

/**
 * Index, among all sizes, of the largest size not above this number of cells. Sizes smaller than any block are
 * counted.
 */
function placeOf(cells: number): number {
  const log2 = 31 - Math.clz32(cells);
  return (log2 << sizesToDoubleLog2) + Math.floor((cells - (1 << log2)) / stepAbove(log2));
}
