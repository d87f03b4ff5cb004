import { assert } from '@ringfence/contract';
import { ByteReader } from '../../store/bytes/byte-reader.ts';
import type { ByteWriter } from '../../store/bytes/byte-writer.ts';
import {
  charactersOf,
  encodedText,
  encodeText,
  endOfText,
  isEncodedAt,
  putEncoded,
  textAtByte,
} from '../../store/bytes/encoded-text.ts';
import { type Arena, copyCells, offsetMask, type Page } from '../../store/memory/arena.ts';
import { bytesHash, textHash } from '../../store/memory/text-hash.ts';
import { freeSlot, otherSlot, TextIndex } from './text-index.ts';

/*
 * The texts of one entity (values counted distinct, currencies), in a block of the arena:
 *
 *   [header][text 0][text 1] … [free]
 *
 * Each is written as `ByteWriter.text` does, so that a snapshot takes them as they are. The header's numbers of 32 bits:
 * the form of their index, how many texts, their bytes, and the block of the index.
 */
const indexFormAt = 0;
const countAt = 1;
const sizeAt = 2;
/** 0 while they are few. */
const indexAt = 3;
const headerCells = 2;
const cellBytes = 8;

/** Rooms for texts from one power of two to the next, but never less than so many cells apart. */
const roomsToDoubleLog2 = 2;
const roomStepMin = 4;

/** Texts up to which looking at one after the other is as quick as an index. */
const lookedAtMax = 16;
/** Those that are looked at first in any case: the currency of amounts, which every event asks for, is most often one of them. */
const lookedAtFirst = 2;

/**
 * A look at the texts of one entity, each with a number: its place among them. One look serves many entities. Nothing of
 * a text is an object, so that millions of them cost the garbage collector nothing.
 */
export class Texts {
  readonly #arena: Arena;
  readonly #seed: number;
  readonly #textIndex: TextIndex;
  #page!: Page;
  /** Its first number in the page, and the first byte of the first text. */
  #int = 0;
  #begin = 0;
  /** 0 while there is none: adding the first makes it, and adding others may move it. */
  block = 0;
  count = 0;

  /** @param seed of the hash: texts come from outside, and nobody is to choose some that collide. Changes no answer. */
  constructor(arena: Arena, seed: number) {
    this.#arena = arena;
    this.#seed = seed;
    this.#textIndex = new TextIndex(arena);
  }

  place(block: number): this {
    this.block = block;
    if (block === 0) {
      this.count = 0;
      return this;
    }
    this.#page = this.#arena.pageOf(block);
    const cell = block & offsetMask;
    this.#int = cell * 2;
    this.#begin = (cell + headerCells) * cellBytes;
    this.count = this.#page.ints[this.#int + countAt]!;
    return this;
  }

  /** -1 when the text has no number. */
  find(text: string): number {
    return this.count === 0 ? -1 : this.#find(encodeText(text));
  }

  /** The number of a text, a new one where it has none yet. */
  numberOf(text: string): number {
    const size = encodeText(text);
    const known = this.count === 0 ? -1 : this.#find(size);
    return known < 0 ? this.#add(size) : known;
  }

  /** @throws InvariantError for a number that no text has */
  textOf(number: number): string {
    assert(number >= 0 && number < this.count, 'the number of a text that the entity keeps');
    return textAtByte(this.#page.bytes, this.#placeOf(number));
  }

  /** The `textHash` of each, by number; a text is made only where it is more than ASCII. */
  hashes(): Int32Array {
    const hashes = new Int32Array(this.count);
    if (this.count === 0) return hashes;
    const { bytes } = this.#page;
    for (let number = 0, at = this.#begin; number < hashes.length; number++) {
      const characters = { from: charactersOf(bytes, at), to: endOfText(bytes, at) };
      hashes[number] = isAscii(bytes, characters) ? bytesHash(bytes, characters, 0) : textHash(textAtByte(bytes, at));
      at = characters.to;
    }
    return hashes;
  }

  /** Keeps those that are marked with 1, in their order. @returns the new number of each; -1 of those that are gone */
  keep(marks: Uint8Array): Int32Array {
    const numbers = new Int32Array(this.count).fill(-1);
    if (this.count === 0) return numbers;
    const [block, size, from] = [this.block, this.#size, this.#begin];
    const { bytes } = this.#page;
    this.#releaseIndex();
    let [kept, keptBytes] = [0, 0];
    for (let number = 0, at = from; number < numbers.length; number++) {
      const end = endOfText(bytes, at);
      if (marks[number] === 1) {
        numbers[number] = kept++;
        keptBytes += end - at;
      }
      at = end;
    }
    this.place(0);
    if (kept > 0) {
      this.#make(keptBytes);
      const to = this.#page.bytes;
      for (let number = 0, at = from, put = this.#begin; number < numbers.length; number++) {
        const end = endOfText(bytes, at);
        if (numbers[number]! < 0) at = end;
        while (at < end) to[put++] = bytes[at++]!;
      }
      this.#note(kept, keptBytes);
      if (kept > lookedAtMax) this.#makeIndex();
    }
    this.#arena.release(block, cellsFor(size));
    return numbers;
  }

  all(): readonly string[] {
    const reader = new ByteReader(this.#bytes());
    return Array.from({ length: this.count }, () => reader.text());
  }

  /** These texts from now on, numbered in this order; each must be another. */
  take(texts: readonly string[]): void {
    this.release();
    this.place(0);
    for (const text of texts) this.#add(encodeText(text));
  }

  write(writer: ByteWriter): void {
    writer.uint(this.count);
    if (this.count > 0) writer.bytes(this.#bytes());
  }

  /** Reads what `write` wrote into a block of its own. */
  read(reader: ByteReader): void {
    const count = reader.uint();
    this.place(0);
    if (count === 0) return;
    const bytes = reader.texts(count);
    this.#make(bytes.length);
    this.#page.bytes.set(bytes, this.#begin);
    this.#note(count, bytes.length);
    if (count > lookedAtMax) this.#makeIndex();
  }

  release(): void {
    if (this.block === 0) return;
    this.#releaseIndex();
    this.#arena.release(this.block, cellsFor(this.#size));
  }

  get #size(): number {
    return this.#page.ints[this.#int + sizeAt]!;
  }

  #bytes(): Uint8Array {
    return this.count === 0 ? nothing : this.#page.bytes.subarray(this.#begin, this.#begin + this.#size);
  }

  #find(size: number): number {
    if (this.count <= lookedAtMax) return this.#lookAt(this.count, size);
    const first = this.#lookAt(lookedAtFirst, size);
    return first < 0 ? this.#lookUp(size) : first;
  }

  /** Looks at the first texts, so many. */
  #lookAt(count: number, size: number): number {
    const { bytes } = this.#page;
    let at = this.#begin;
    for (let number = 0; number < count; number++) {
      if (isEncodedAt(bytes, at, size)) return number;
      at = endOfText(bytes, at);
    }
    return -1;
  }

  #lookUp(size: number): number {
    const hash = bytesHash(encodedText(), { from: 0, to: size }, this.#seed);
    const index = this.#indexThere();
    for (let slot = index.slotOf(hash); ; slot = index.nextSlot(slot)) {
      const number = index.numberAt(slot, hash);
      if (number === freeSlot) return -1;
      if (number === otherSlot) continue;
      if (isEncodedAt(this.#page.bytes, this.#begin + index.placeOf(number), size)) return number;
    }
  }

  /** Where a text begins. */
  #placeOf(number: number): number {
    if (this.count > lookedAtMax) return this.#begin + this.#indexThere().placeOf(number);
    let at = this.#begin;
    for (let before = 0; before < number; before++) at = endOfText(this.#page.bytes, at);
    return at;
  }

  /** Adds the text that was encoded last, which has no number yet. */
  #add(size: number): number {
    const number = this.count;
    const before = this.block === 0 ? 0 : this.#size;
    if (this.block === 0) this.#make(size);
    else if (cellsFor(before + size) !== cellsFor(before)) this.#move(before, before + size);
    const { bytes } = this.#page;
    const at = this.#begin + before;
    putEncoded(bytes, at, size);
    this.#note(number + 1, before + size);
    if (this.count > lookedAtMax) this.#addToIndex(number, before);
    return number;
  }

  /** Makes a block for texts of so many bytes. */
  #make(size: number): void {
    const block = this.#arena.allocate(cellsFor(size));
    const { ints } = this.#arena.pageOf(block);
    const int = (block & offsetMask) * 2;
    ints[int + countAt] = 0;
    ints[int + indexAt] = 0;
    this.place(block);
  }

  /** Moves on to a block with room for texts of so many bytes. */
  #move(before: number, size: number): void {
    const from = this.block;
    const to = this.#arena.allocate(cellsFor(size));
    const target = { page: this.#arena.pageOf(to), cell: to & offsetMask, cells: cellsFor(before) };
    copyCells(this.#page, from & offsetMask, target);
    this.place(to);
    this.#arena.release(from, cellsFor(before));
  }

  #note(count: number, size: number): void {
    this.count = count;
    this.#page.ints[this.#int + countAt] = count;
    this.#page.ints[this.#int + sizeAt] = size;
  }

  #addToIndex(number: number, at: number): void {
    if (this.#page.ints[this.#int + indexAt] !== 0 && this.#indexThere().hasRoom(number, at)) this.#index(number, at);
    else this.#makeIndex();
  }

  /** Makes the index of all texts, in place of the one that there is. */
  #makeIndex(): void {
    this.#releaseIndex();
    const form = this.#textIndex.make(this.count, this.#size);
    this.#page.ints[this.#int + indexAt] = this.#textIndex.block;
    this.#page.ints[this.#int + indexFormAt] = form;
    let at = this.#begin;
    for (let number = 0; number < this.count; number++) {
      this.#index(number, at - this.#begin);
      at = endOfText(this.#page.bytes, at);
    }
  }

  /** Puts a text into the index that is looked at. */
  #index(number: number, at: number): void {
    const { bytes } = this.#page;
    const from = this.#begin + at;
    this.#textIndex.put(number, at, bytesHash(bytes, { from, to: endOfText(bytes, from) }, this.#seed));
  }

  #releaseIndex(): void {
    if (this.#page.ints[this.#int + indexAt] !== 0) this.#indexThere().release();
  }

  /** The index that there is. */
  #indexThere(): TextIndex {
    return this.#textIndex.place(this.#page.ints[this.#int + indexAt]!, this.#page.ints[this.#int + indexFormAt]!);
  }
}

const nothing = new Uint8Array(0);

function isAscii(bytes: Uint8Array, { from, to }: { readonly from: number; readonly to: number }): boolean {
  for (let at = from; at < to; at++) if (bytes[at]! > 127) return false;
  return true;
}

/** Cells of a block for texts of so many bytes: with room for more, so that it moves for every few that are added. */
function cellsFor(sizeBytes: number): number {
  const cells = headerCells + Math.ceil(sizeBytes / cellBytes);
  const step = Math.max(roomStepMin, 1 << (31 - Math.clz32(cells) - roomsToDoubleLog2));
  return (cells + step - 1) & -step;
}
