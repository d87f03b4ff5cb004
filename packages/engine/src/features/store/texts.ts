import { assert, ByteReader, type ByteWriter } from '@ringfence/contract';
import { charactersOf, type EncodedText, endOfText, textAtByte } from '../../bytes/encoded-text.ts';
import { type Arena, copyCells, offsetMask, type Page } from '../../store/memory/arena.ts';
import { bytesHash, textHash } from '../../bytes/text-hash.ts';
import { freeSlot, otherSlot, TextIndex } from './text-index.ts';

/*
 * The texts of one entity (values counted distinct, currencies), in a block of the arena:
 *
 *   [header][text 0][text 1] … [free]
 *
 * Texts are encoded as by `ByteWriter.text`, so a snapshot copies them unchanged. The 32-bit numbers of the header are
 * the form of the index, the number of texts, their size in bytes, and the block of the index.
 */
const indexFormAt = 0;
const countAt = 1;
const sizeAt = 2;
/** 0 if there is no index. */
const indexAt = 3;
const headerCells = 2;
const cellBytes = 8;

/** Block sizes per power of two, at least `roomStepMin` cells apart. */
const roomsToDoubleLog2 = 2;
const roomStepMin = 4;

/** Up to this number of texts, comparing one after the other is as fast as an index. */
const lookedAtMax = 16;
/**
 * Texts that are always compared before the index is used: most likely one is the currency, which every event needs.
 */
const lookedAtFirst = 2;

/**
 * Accessor for the texts of one entity, each identified by its number: its position. One instance serves many
 * entities. Texts are not objects, so millions of them cost the garbage collector nothing.
 */
export class Texts {
  readonly #arena: Arena;
  readonly #encoded: EncodedText;
  readonly #seed: number;
  readonly #textIndex: TextIndex;
  #page!: Page;
  /** Index of the block's first 32-bit number in the page, and of the first byte of the first text. */
  #int = 0;
  #begin = 0;
  /** 0 if there are no texts: adding the first allocates the block, and adding more may move it. */
  block = 0;
  count = 0;

  /**
   * @param seed of the hash, so that senders cannot choose texts that collide. Changes no result.
   * @param encoded working memory
   */
  constructor(arena: Arena, seed: number, encoded: EncodedText) {
    this.#arena = arena;
    this.#encoded = encoded;
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

  /** -1 if the text has no number. */
  find(text: string): number {
    return this.count === 0 ? -1 : this.#find(this.#encoded.set(text));
  }

  /** The number of a text; assigns a new one if necessary. */
  numberOf(text: string): number {
    const size = this.#encoded.set(text);
    const known = this.count === 0 ? -1 : this.#find(size);
    return known < 0 ? this.#add(size) : known;
  }

  /** @throws InvariantError for an unassigned number */
  textOf(number: number): string {
    assert(number >= 0 && number < this.count, 'the entity has no text with this number');
    return textAtByte(this.#page.bytes, this.#placeOf(number));
  }

  /** The `textHash` of each text, by number. Strings are only created for non-ASCII texts. */
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

  /** Keeps the texts that are marked with 1, in their order. @returns the new number of each; -1 for removed ones */
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

  /** Replaces all texts, numbered in this order; each must be different. */
  take(texts: readonly string[]): void {
    this.release();
    this.place(0);
    for (const text of texts) this.#add(this.#encoded.set(text));
  }

  write(writer: ByteWriter): void {
    writer.uint(this.count);
    if (this.count > 0) writer.bytes(this.#bytes());
  }

  /** Reads what `write` wrote into a new block. */
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

  /** Compares the first `count` texts. */
  #lookAt(count: number, size: number): number {
    const { bytes } = this.#page;
    let at = this.#begin;
    for (let number = 0; number < count; number++) {
      if (this.#encoded.isAt(bytes, at, size)) return number;
      at = endOfText(bytes, at);
    }
    return -1;
  }

  #lookUp(size: number): number {
    const hash = bytesHash(this.#encoded.bytes, { from: 0, to: size }, this.#seed);
    const index = this.#indexThere();
    for (let slot = index.slotOf(hash); ; slot = index.nextSlot(slot)) {
      const number = index.numberAt(slot, hash);
      if (number === freeSlot) return -1;
      if (number === otherSlot) continue;
      if (this.#encoded.isAt(this.#page.bytes, this.#begin + index.placeOf(number), size)) return number;
    }
  }

  /** Byte index of a text. */
  #placeOf(number: number): number {
    if (this.count > lookedAtMax) return this.#begin + this.#indexThere().placeOf(number);
    let at = this.#begin;
    for (let before = 0; before < number; before++) at = endOfText(this.#page.bytes, at);
    return at;
  }

  /** Adds the text that was encoded last; it must not have a number yet. */
  #add(size: number): number {
    const number = this.count;
    const before = this.block === 0 ? 0 : this.#size;
    if (this.block === 0) this.#make(size);
    else if (cellsFor(before + size) !== cellsFor(before)) this.#move(before, before + size);
    const { bytes } = this.#page;
    const at = this.#begin + before;
    this.#encoded.writeTo(bytes, at, size);
    this.#note(number + 1, before + size);
    if (this.count > lookedAtMax) this.#addToIndex(number, before);
    return number;
  }

  /** Allocates a block for texts of `size` bytes. */
  #make(size: number): void {
    const block = this.#arena.allocate(cellsFor(size));
    const { ints } = this.#arena.pageOf(block);
    const int = (block & offsetMask) * 2;
    ints[int + countAt] = 0;
    ints[int + indexAt] = 0;
    this.place(block);
  }

  /** Moves to a block with room for texts of `size` bytes. */
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

  /** Builds the index of all texts, replacing the previous one. */
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

  /** Adds a text to the current index. */
  #index(number: number, at: number): void {
    const { bytes } = this.#page;
    const from = this.#begin + at;
    this.#textIndex.put(number, at, bytesHash(bytes, { from, to: endOfText(bytes, from) }, this.#seed));
  }

  #releaseIndex(): void {
    if (this.#page.ints[this.#int + indexAt] !== 0) this.#indexThere().release();
  }

  /** Points to the existing index. */
  #indexThere(): TextIndex {
    return this.#textIndex.place(this.#page.ints[this.#int + indexAt]!, this.#page.ints[this.#int + indexFormAt]!);
  }
}

const nothing = new Uint8Array(0);

function isAscii(bytes: Uint8Array, { from, to }: { readonly from: number; readonly to: number }): boolean {
  for (let at = from; at < to; at++) if (bytes[at]! > 127) return false;
  return true;
}

/** Cells of a block for `sizeBytes` bytes of texts, with spare room, so that the texts rarely move. */
function cellsFor(sizeBytes: number): number {
  const cells = headerCells + Math.ceil(sizeBytes / cellBytes);
  const step = Math.max(roomStepMin, 1 << (31 - Math.clz32(cells) - roomsToDoubleLog2));
  return (cells + step - 1) & -step;
}
