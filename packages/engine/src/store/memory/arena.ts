import { assert } from '@ringfence/contract';

/**
 * A piece of memory, seen as doubles, whole numbers of 32 and of 16 bits, and bytes: cell `i` is the numbers `2i` and
 * `2i + 1`, and so on.
 */
export interface Page {
  readonly cells: Float64Array<ArrayBuffer>;
  readonly ints: Int32Array<ArrayBuffer>;
  readonly halves: Uint16Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A page that blocks share, and where free ones begin and end in it: a bit for every second cell. */
interface SharedPage extends Page {
  readonly begins: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Cells of a page, a power of two: 8 MiB. Pages are so few that what tells where they lie stays in the processor's cache,
 * and the system gives memory only for what is used of them.
 */
const pageCellsLog2 = 20;
const pageCells = 1 << pageCellsLog2;
export const offsetMask = pageCells - 1;
/** The first pages are smaller, each a quarter of the next: a state that only tries a policy out needs no more than 128 KiB. */
const smallerPages = 3;
const firstPageCells = pageCells >>> (2 * smallerPages);
/** Blocks above this many cells have a page of their own. */
const sharedCellsMax = pageCells / 4;
const blockCellsMin = 8;
const cellBytes = 8;
/** Numbers up to which copying one by one is quicker than asking the system. */
const copiedSinglyMax = 64;
/** A 31-bit number names a cell: 16 GiB. */
const pagesMax = 1 << (31 - pageCellsLog2);

/*
 * What stands in a free block: the next and the former of its list, 0 for none, its cells, and in its very last number
 * its cells again, for the block behind it. The smallest has room for no more than that.
 */
const nextAt = 0;
const formerAt = 1;
const sizeAt = 2;

/**
 * Blocks of cells, in pages that the garbage collector sees as one thing each: millions of entities cost it nothing.
 * A block is named by a number, never 0. Its cells hold whatever was there before.
 *
 * A block is cut from a free one that is hardly larger, and joined with free neighbours when it is given back, so that
 * memory serves blocks of any size again (two-level segregated fit).
 */
export class Arena {
  /** The first is none, so that no block is named 0. */
  readonly #pages: (SharedPage | Page | undefined)[] = [undefined];
  readonly #freePages: number[] = [];
  /** The first free block of each list, 0 for none: those that are as large as this size, and smaller than the next. */
  readonly #free = new Int32Array(placeOf(pageCells) + 1);
  /** A bit for each list that has one. */
  readonly #filled = new Int32Array((placeOf(pageCells) >>> 5) + 1);
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
    if (size > sharedCellsMax) return this.#addPage(newPage(size));
    let block = this.#find(size);
    if (block === 0) block = this.#addSharedPage(size);
    const had = this.#take(block);
    if (had > size) this.#put(block + size, had - size);
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

  /** A free block of at least so many cells, the first of the list of the smallest; 0 for none. */
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

  /** Takes a block out of its list. @returns its cells */
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

  /** Puts a block into its list. */
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

  /** Adds a page that is one free block of at least so many cells. */
  #addSharedPage(size: number): number {
    const grown = firstPageCells << (2 * Math.min(this.#pages.length - 1, smallerPages));
    const cells = grown < size ? pageCells : grown;
    const block = this.#addPage(newSharedPage(cells));
    this.#put(block, cells);
    return block;
  }

  #addPage(page: SharedPage | Page): number {
    const number = this.#freePages.pop() ?? this.#pages.length;
    assert(number < pagesMax, 'the state of a partition fits into 16 GiB');
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

/** Cells that a bit stands for: no block is odd. The end of a page stands at its beginning, where no other block ends. */
const bitCells = 2;

function hasBit(bits: Int32Array, cell: number): boolean {
  return (bits[cell >>> 6]! & (1 << (cell >>> 1))) !== 0;
}

function flipBit(bits: Int32Array, cell: number): void {
  bits[cell >>> 6]! ^= 1 << (cell >>> 1);
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

/** Sizes from one power of two to the next, but never less than two cells apart. */
const sizesToDoubleLog2 = 3;
const stepMin = 2;

/** Cells that a block of at least so many has: 8, 10, 12 … 32, 36, 40 … 64, 72 …, so that at most a ninth is left over, and one cell. */
export function sizeOf(cells: number): number {
  if (cells <= blockCellsMin) return blockCellsMin;
  const step = stepAbove(31 - Math.clz32(cells - 1));
  return (cells + step - 1) & -step;
}

/** How far sizes are apart between this power of two and the next. */
function stepAbove(log2: number): number {
  return Math.max(stepMin, 1 << (log2 - sizesToDoubleLog2));
}

/** Number, among all sizes, of the largest one that is not above so many cells; sizes below that of any block count as well. */
function placeOf(cells: number): number {
  const log2 = 31 - Math.clz32(cells);
  return (log2 << sizesToDoubleLog2) + Math.floor((cells - (1 << log2)) / stepAbove(log2));
}
