import { assert } from '@ringfence/contract';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { type Arena, offsetMask, type Page, sizeOf } from '../memory/arena.ts';
import { cellsOf, textAt } from '../memory/key-text.ts';
import { textHash } from '../memory/text-hash.ts';
import type { Texts } from './texts.ts';

/*
 * A few texts in a block of the arena:
 *
 *   [header][hash, length][characters …][hash, length][characters …]
 *
 * The header's first number is the arena's own while the block is free; the second tells how many texts there are, and
 * the cells up to their end. Characters are one byte each, and a text ends with its cell.
 */
const countAt = 1;
const countBits = 8;
const cellBytes = 8;
/** Texts up to which looking at one after the other is as quick as an index, and the cells of all of them. */
const countMax = 16;
const cellsMax = 128;

/**
 * A look at the texts of one entity where these are few and short, which they mostly are. One look serves many entities:
 * nothing is made of the texts, and nothing of them is an object.
 */
export class ShortTexts implements Texts {
  readonly #arena: Arena;
  #page!: Page;
  #cell = 0;
  count = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  place(block: number): this {
    this.#page = this.#arena.pageOf(block);
    this.#cell = block & offsetMask;
    this.count = this.#page.ints[this.#cell * 2 + countAt]! & ((1 << countBits) - 1);
    return this;
  }

  find(text: string): number {
    const hash = textHash(text);
    const { ints } = this.#page;
    let at = this.#cell + 1;
    for (let number = 0; number < this.count; number++) {
      const length = ints[at * 2 + 1]!;
      if (ints[at * 2] === hash && length === text.length && this.#isAt(at + 1, text)) return number;
      at += cellsFor(length);
    }
    return -1;
  }

  textOf(number: number): string {
    assert(number >= 0 && number < this.count, 'the number of a text that the entity keeps');
    const { ints } = this.#page;
    let at = this.#cell + 1;
    for (let before = 0; before < number; before++) at += cellsFor(ints[at * 2 + 1]!);
    return textAt(this.#page, at + 1, { length: ints[at * 2 + 1]!, isWide: false });
  }

  /** Writes all of them, as `ByteWriter.text` does, one after the other. */
  writeTo(writer: ByteWriter): void {
    let at = this.#cell + 1;
    for (let number = 0; number < this.count; number++) {
      const length = this.#page.ints[at * 2 + 1]!;
      writer.ascii(this.#page.bytes, (at + 1) * cellBytes, length);
      at += cellsFor(length);
    }
  }

  #isAt(cell: number, text: string): boolean {
    const { bytes } = this.#page;
    const from = cell * cellBytes;
    for (let at = 0; at < text.length; at++) if (bytes[from + at] !== text.charCodeAt(at)) return false;
    return true;
  }

  /**
   * Adds a text that is not among those of the block; 0 for a block that has none yet. Answers the block that they stand
   * in from now on, or 0 when the text does not fit: nothing has changed then.
   */
  static add(arena: Arena, block: number, text: string): number {
    if (!isShort(text)) return 0;
    const head = block === 0 ? 1 << countBits : arena.pageOf(block).ints[(block & offsetMask) * 2 + countAt]!;
    const count = head & ((1 << countBits) - 1);
    const end = head >>> countBits;
    const grown = end + cellsFor(text.length);
    if (count === countMax || grown > cellsMax) return 0;
    const target = block !== 0 && sizeOf(grown) === sizeOf(end) ? block : moved(arena, block, { end, grown });
    const { ints, bytes } = arena.pageOf(target);
    const cell = target & offsetMask;
    ints[cell * 2 + countAt] = (grown << countBits) | (count + 1);
    ints[(cell + end) * 2] = textHash(text);
    ints[(cell + end) * 2 + 1] = text.length;
    const from = (cell + end + 1) * cellBytes;
    for (let at = 0; at < text.length; at++) bytes[from + at] = text.charCodeAt(at);
    return target;
  }

  static release(arena: Arena, block: number): void {
    arena.release(block, arena.pageOf(block).ints[(block & offsetMask) * 2 + countAt]! >>> countBits);
  }
}

/** Cells of a text, with those of its hash and length. */
function cellsFor(length: number): number {
  return 1 + cellsOf(length, false);
}

/** Whether all its characters are ASCII: one byte each, here and where they are stored. */
function isShort(text: string): boolean {
  if (text.length > cellsMax * cellBytes) return false;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** Makes room in another block, for as many cells as `grown`, and gives the former one back. */
function moved(arena: Arena, block: number, { end, grown }: { readonly end: number; readonly grown: number }): number {
  const target = arena.allocate(grown);
  if (block === 0) return target;
  const from = (block & offsetMask) * 2;
  const to = (target & offsetMask) * 2;
  const source = arena.pageOf(block).ints;
  const { ints } = arena.pageOf(target);
  for (let at = 2; at < end * 2; at++) ints[to + at] = source[from + at]!;
  arena.release(block, end);
  return target;
}
