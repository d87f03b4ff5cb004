import { assert } from '@ringfence/contract';
import { type Arena, offsetMask, type Page } from '../../store/memory/arena.ts';

/*
 * Hash index over the texts of one entity, used once they are many, in a block of the arena:
 *
 *   [place 0][place 1] … [slot 0][slot 1] …
 *
 * A place is the byte offset of the text with that number from the first text. A slot contains a text's number plus
 * one and, above it, the high bits of its hash; 0 is a free slot. Open addressing with linear probing, at most two
 * thirds full. Both are 16-bit numbers while texts are few and short, else 32-bit.
 */
const narrowSlotsMax = 4_096;
const narrowBytesMax = 0x1_0000;
const wideNumberMask = 0xff_ffff;

/** Results of `numberAt` for a free slot, and for a text with another hash. */
export const freeSlot = -1;
export const otherSlot = -2;

/** Accessor for the index of one entity's texts. One instance serves many entities. */
export class TextIndex {
  readonly #arena: Arena;
  #block = 0;
  #page!: Page;
  #isNarrow = false;
  #slotCount = 0;
  /** Index of the first place and of the first slot, in numbers of their size. */
  #places = 0;
  #slots = 0;
  /** The bits of a slot that contain a number; the other bits contain the hash, shifted right by `#hashShift`. */
  #numberMask = 0;
  #hashShift = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** @param form the result of `make` for this block */
  place(block: number, form: number): this {
    const slotCount = form & ~1;
    this.#block = block;
    this.#page = this.#arena.pageOf(block);
    this.#isNarrow = form === slotCount;
    this.#slotCount = slotCount;
    this.#places = (block & offsetMask) * (this.#isNarrow ? 4 : 2);
    this.#slots = this.#places + placesFor(slotCount);
    this.#numberMask = this.#isNarrow ? slotCount - 1 : wideNumberMask;
    this.#hashShift = this.#isNarrow ? 16 : 0;
    return this;
  }

  get block(): number {
    return this.#block;
  }

  /**
   * Allocates an empty index with room for more than `count` texts of `sizeBytes` bytes, and points to it. @returns
   * its form
   */
  make(count: number, sizeBytes: number): number {
    assert(count < wideNumberMask, 'an entity has more texts than 24-bit numbers');
    const slotCount = 1 << (32 - Math.clz32(count * 2 - 1));
    const isNarrow = slotCount <= narrowSlotsMax && sizeBytes < narrowBytesMax;
    const form = slotCount + (isNarrow ? 0 : 1);
    this.place(this.#arena.allocate(cellsFor(slotCount, isNarrow)), form);
    this.#numbers().fill(0, this.#slots, this.#slots + slotCount);
    return form;
  }

  release(): void {
    this.#arena.release(this.#block, cellsFor(this.#slotCount, this.#isNarrow));
  }

  /** Whether there is room for the text with this number at this offset. */
  hasRoom(number: number, at: number): boolean {
    return number < placesFor(this.#slotCount) && (!this.#isNarrow || at < narrowBytesMax);
  }

  put(number: number, at: number, hash: number): void {
    const numbers = this.#numbers();
    numbers[this.#places + number] = at;
    let slot = this.slotOf(hash);
    while (numbers[this.#slots + slot] !== 0) slot = this.nextSlot(slot);
    numbers[this.#slots + slot] = ((hash >>> this.#hashShift) & ~this.#numberMask) | (number + 1);
  }

  /** Offset of the text with this number. */
  placeOf(number: number): number {
    return this.#numbers()[this.#places + number]!;
  }

  /** The first slot to probe for a text with this hash. */
  slotOf(hash: number): number {
    return hash & (this.#slotCount - 1);
  }

  nextSlot(slot: number): number {
    return (slot + 1) & (this.#slotCount - 1);
  }

  /** The number of the text in this slot if its hash may match, else `freeSlot` or `otherSlot`. */
  numberAt(slot: number, hash: number): number {
    const found = this.#numbers()[this.#slots + slot]!;
    if (found === 0) return freeSlot;
    if (((found ^ (hash >>> this.#hashShift)) & ~this.#numberMask) !== 0) return otherSlot;
    return (found & this.#numberMask) - 1;
  }

  #numbers(): Uint16Array | Int32Array {
    return this.#isNarrow ? this.#page.halves : this.#page.ints;
  }
}

/** Number of texts that an index with this number of slots is for. */
function placesFor(slotCount: number): number {
  return Math.floor((slotCount * 2) / 3);
}

function cellsFor(slotCount: number, isNarrow: boolean): number {
  return Math.ceil((placesFor(slotCount) + slotCount) / (isNarrow ? 4 : 2));
}
