import type { Page } from './arena.ts';
import { HalfSipHash, type HashKey } from './half-sip-hash.ts';

const roomMin = 256;
const colon = 0x3a;
const zero = 0x30;

/**
 * The name of an entity on its way into a table: written once, hashed, compared with the names that are kept. One
 * byte a character; two when one of them needs it. Behind the last come zeros up to the next cell, and then its length.
 */
export class KeyText {
  readonly #hasher: HalfSipHash;
  #bytes = new Uint8Array(roomMin);
  #ints = new Int32Array(this.#bytes.buffer);
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

  /** The name is this text. */
  set(text: string): void {
    this.length = 0;
    this.isWide = false;
    if (!this.#append(text)) {
      this.length = 0;
      this.isWide = true;
      this.#append(text);
    }
    this.#finish();
  }

  /** The name is made of the first so many texts, each behind its length, so that different lists never give equal names. */
  setParts(parts: readonly string[], count = parts.length): void {
    this.length = 0;
    this.isWide = false;
    if (!this.#appendParts(parts, count)) {
      this.length = 0;
      this.isWide = true;
      this.#appendParts(parts, count);
    }
    this.#finish();
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

  #appendParts(parts: readonly string[], count: number): boolean {
    for (let place = 0; place < count; place++) {
      const part = parts[place]!;
      this.#appendLength(part.length);
      if (!this.#append(part)) return false;
    }
    return true;
  }

  #appendLength(length: number): void {
    if (length < 10) this.#appendCode(zero + length);
    else if (length < 100) {
      this.#appendCode(zero + Math.floor(length / 10));
      this.#appendCode(zero + (length % 10));
    } else this.#append(String(length));
    this.#appendCode(colon);
  }

  #appendCode(code: number): void {
    this.#reserve(1);
    const at = this.length++;
    if (this.isWide) {
      this.#bytes[at * 2] = code;
      this.#bytes[at * 2 + 1] = 0;
    } else this.#bytes[at] = code;
  }

  /** Answers false when a character does not fit into the width. */
  #append(text: string): boolean {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    const from = this.length;
    this.length += text.length;
    if (this.isWide) {
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        bytes[(from + at) * 2] = code & 255;
        bytes[(from + at) * 2 + 1] = code >>> 8;
      }
      return true;
    }
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 255) return false;
      bytes[from + at] = code;
    }
    return true;
  }

  #finish(): void {
    const end = this.cells * 8;
    for (let at = this.isWide ? this.length * 2 : this.length; at < end; at++) this.#bytes[at] = 0;
    const ints = this.cells * 2;
    this.#ints[ints] = this.length;
    this.hash = this.#hasher.hash(this.#ints, ints + 1);
  }

  /** Makes room for so many characters more, the zeros behind them, and the length. */
  #reserve(length: number): void {
    const needed = (this.length + length) * (this.isWide ? 2 : 1) + 16;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(1 << (32 - Math.clz32(needed - 1)));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#ints = new Int32Array(grown.buffer);
  }
}

/** Characters that are turned into a text in one call: more would be too many arguments. */
const codesMax = 1_024;

/** Cells of a name of so many characters. */
export function cellsOf(length: number, isWide: boolean): number {
  return (length * (isWide ? 2 : 1) + 7) >>> 3;
}

/** The name that stands in a page, as a text. */
export function textAt(
  { ints }: Page,
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

/** The texts that a name of so many parts is made of. */
export function partsOfKey(key: string, count: number): readonly string[] {
  if (count === 1) return [key];
  const found: string[] = [];
  for (let at = 0; at < key.length;) {
    const colon = key.indexOf(':', at);
    const from = colon + 1;
    at = from + Number(key.slice(at, colon));
    found.push(key.slice(from, at));
  }
  return found;
}
