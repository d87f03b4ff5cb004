import type { Page } from './arena.ts';
import { HalfSipHash, type HashKey } from './half-sip-hash.ts';

const roomMin = 256;
const colon = 0x3a;
const zero = 0x30;

/** Parts up to this length are copied as they are, where they are narrow: two digits tell it, and a colon stands behind them. */
const plainMax = 99;
const lengthCodesMax = 3;
/** Room behind a name: for the zeros, for the length, and for what the last word of a part holds too much. */
const roomBehind = 16;

/**
 * The name of an entity on its way into a table: written once, hashed, compared with the names that are kept. One
 * byte a character; two when one of them needs it. Behind the last come zeros up to the next cell, and then its length.
 */
export class KeyText {
  readonly #hasher: HalfSipHash;
  #bytes = new Uint8Array(roomMin);
  #ints = new Int32Array(this.#bytes.buffer);
  #view = new DataView(this.#bytes.buffer);
  /** Whether there is no such name: a fact that would be part of it is missing. The rest tells nothing then. */
  isMissing = false;
  /** In characters. */
  length = 0;
  isWide = false;
  hash = 0;

  constructor(hashKey: HashKey) {
    this.#hasher = new HalfSipHash(hashKey);
  }

  /** Cells that it takes. */
  get cells(): number {
    return cellsOf(this.length, this.isWide);
  }

  get text(): string {
    return textAt({ ints: this.#ints }, 0, this);
  }

  /** The name is this text. @param hash of it, where it is known from before */
  set(text: string, hash?: number): void {
    this.write(text);
    this.#end();
    this.hash = hash ?? this.#hash();
  }

  /** The same, for nothing but to be a part of other names: it gets no hash. */
  write(text: string): void {
    this.isMissing = false;
    this.isWide = false;
    this.length = text.length;
    this.#reserve(text.length);
    const bytes = this.#bytes;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 255) {
        this.#writeWide(text);
        return;
      }
      bytes[at] = code;
    }
  }

  /** The name is made of these, each behind its length, so that different lists never give equal names. */
  setParts(parts: readonly KeyText[]): void {
    this.isMissing = false;
    let isPlain = true;
    for (const part of parts) {
      if (part.isMissing) this.isMissing = true;
      if (part.isWide || part.length > plainMax) isPlain = false;
    }
    if (this.isMissing) return;
    if (isPlain) this.#writePlain(parts);
    else this.write(parts.map(({ length, text }) => `${length}:${text}`).join(''));
    this.#end();
    this.hash = this.#hash();
  }

  /** Whether this name stands in a page, from this cell on. */
  isAt({ ints }: Page, cell: number): boolean {
    const own = this.#ints;
    const from = cell * 2;
    for (let at = 0, end = this.cells * 2; at < end; at++) if (ints[from + at] !== own[at]) return false;
    return true;
  }

  /** Writes the name into a page, from this cell on. */
  writeTo({ ints }: Page, cell: number): void {
    const from = cell * 2;
    for (let at = 0, end = this.cells * 2; at < end; at++) ints[from + at] = this.#ints[at]!;
  }

  #writeWide(text: string): void {
    this.isWide = true;
    this.#reserve(text.length);
    for (let at = 0; at < text.length; at++) this.#view.setUint16(at * 2, text.charCodeAt(at), true);
  }

  #writePlain(parts: readonly KeyText[]): void {
    this.isWide = false;
    this.length = 0;
    for (const part of parts) this.#append(part);
  }

  #append(part: KeyText): void {
    const { length } = part;
    this.#reserve(this.length + length + lengthCodesMax);
    const ints = part.#ints;
    const view = this.#view;
    const isShort = length < 10;
    const tens = zero + Math.floor(length / 10);
    const ones = zero + (length % 10);
    const prefix = isShort ? ones | (colon << 8) : tens | (ones << 8) | (colon << 16);
    // The prefix at once, then four characters at a time: what they hold too much is written over.
    view.setInt32(this.length, prefix, true);
    const from = this.length + (isShort ? 2 : 3);
    this.length = from + length;
    for (let word = 0, at = from; at < this.length; word++, at += 4) view.setInt32(at, ints[word]!, true);
  }

  /** Writes what stands behind the last character. */
  #end(): void {
    this.#view.setFloat64(sizeOf(this), 0);
    this.#ints[this.cells * 2] = this.length;
  }

  #hash(): number {
    return this.#hasher.hash(this.#ints, this.cells * 2 + 1);
  }

  /** Makes room for so many characters, and what stands behind them. */
  #reserve(length: number): void {
    const needed = (this.isWide ? length * 2 : length) + roomBehind;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(1 << (32 - Math.clz32(needed - 1)));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#ints = new Int32Array(grown.buffer);
    this.#view = new DataView(grown.buffer);
  }
}

/** Characters that are turned into a text in one call: more would be too many arguments. */
const codesMax = 1_024;

/** In bytes. */
function sizeOf({ length, isWide }: KeyText): number {
  return isWide ? length * 2 : length;
}

/** Cells of a name of so many characters. */
export function cellsOf(length: number, isWide: boolean): number {
  return (length * (isWide ? 2 : 1) + 7) >>> 3;
}

/** The name that stands in a page, as a text. */
export function textAt(
  { ints }: Pick<Page, 'ints'>,
  cell: number,
  of: { readonly length: number; readonly isWide: boolean },
): string {
  const Codes = of.isWide ? Uint16Array : Uint8Array;
  const codes = new Codes(ints.buffer, cell * 8, of.length);
  if (of.length <= codesMax) return String.fromCharCode.apply(undefined, codes as unknown as number[]);
  let text = '';
  for (let at = 0; at < of.length; at++) text += String.fromCharCode(codes[at]!);
  return text;
}

/** A part of names that are made of so many. */
export interface KeyPart {
  readonly place: number;
  readonly count: number;
}

/** Whether one part of the name that stands in a page is this text; no text is made of it. */
export function hasPartAt(
  { bytes }: Page,
  cell: number,
  of: { readonly isWide: boolean; readonly place: number; readonly part: string },
): boolean {
  const { isWide, place, part } = of;
  const from = cell * 8;
  const codeAt = (at: number): number =>
    isWide ? bytes[from + at * 2]! | (bytes[from + at * 2 + 1]! << 8) : bytes[from + at]!;
  let at = 0;
  for (let passed = 0; ; passed++) {
    let length = 0;
    for (let code = codeAt(at++); code !== colon; code = codeAt(at++)) length = length * 10 + code - zero;
    if (passed === place) {
      if (length !== part.length) return false;
      for (let index = 0; index < length; index++) if (codeAt(at + index) !== part.charCodeAt(index)) return false;
      return true;
    }
    at += length;
  }
}

/** One of the texts that a name is made of. */
export function partOfKey(key: string, { place, count }: KeyPart): string {
  if (count === 1) return key;
  for (let from = 0, passed = 0; ; passed++) {
    const colon = key.indexOf(':', from);
    const begin = colon + 1;
    const end = begin + Number(key.slice(from, colon));
    if (passed === place) return key.slice(begin, end);
    from = end;
  }
}
