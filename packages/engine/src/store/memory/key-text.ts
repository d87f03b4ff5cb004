import type { Page } from './arena.ts';
import { HalfSipHash, type HashKey } from './half-sip-hash.ts';

const roomMin = 256;
const colon = 0x3a;
const zero = 0x30;

/** Longest part for the fast path, if it is narrow: its length has at most two digits, followed by a colon. */
const plainMax = 99;
const lengthCodesMax = 3;
/** Spare bytes after a name: for the padding, the length, and the excess of a part's last word. */
const roomBehind = 16;

/**
 * Reusable buffer for the name of an entity: encoded once, hashed, and compared with stored names. One byte per
 * character, or two if any character needs it; then zeros up to the next cell, and then the length.
 */
export class KeyText {
  readonly #hasher: HalfSipHash;
  #bytes = new Uint8Array(roomMin);
  #ints = new Int32Array(this.#bytes.buffer);
  #view = new DataView(this.#bytes.buffer);
  /** Whether the name does not exist, because one of its facts is missing. Everything else is then meaningless. */
  isMissing = false;
  /** In characters. */
  length = 0;
  isWide = false;
  hash = 0;

  constructor(hashKey: HashKey) {
    this.#hasher = new HalfSipHash(hashKey);
  }

  /** Number of cells. */
  get cells(): number {
    return cellsOf(this.length, this.isWide);
  }

  get text(): string {
    return textAt({ ints: this.#ints }, 0, this);
  }

  /** Sets the name to this text. @param hash its hash, if known */
  set(text: string, hash?: number): void {
    this.write(text);
    this.#end();
    this.hash = hash ?? this.#hash();
  }

  /** Sets the text without a hash, for use as a part of other names only. */
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

  /** Composes the name of these parts, each after its length, so that different lists never give equal names. */
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

  /** Whether this name is in a page at this cell. */
  isAt({ ints }: Page, cell: number): boolean {
    const own = this.#ints;
    const from = cell * 2;
    for (let at = 0, end = this.cells * 2; at < end; at++) if (ints[from + at] !== own[at]) return false;
    return true;
  }

  /** Copies the name into a page at this cell. */
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
    // The prefix in one write, then four characters at a time; the excess is overwritten.
    view.setInt32(this.length, prefix, true);
    const from = this.length + (isShort ? 2 : 3);
    this.length = from + length;
    for (let word = 0, at = from; at < this.length; word++, at += 4) view.setInt32(at, ints[word]!, true);
  }

  /** Writes what follows the last character. */
  #end(): void {
    this.#view.setFloat64(sizeOf(this), 0);
    this.#ints[this.cells * 2] = this.length;
  }

  #hash(): number {
    return this.#hasher.hash(this.#ints, this.cells * 2 + 1);
  }

  /** Reserves room for `length` characters, and what follows them. */
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

/** Characters converted to a string per call: more would be too many arguments. */
const codesMax = 1_024;

/** In bytes. */
function sizeOf({ length, isWide }: KeyText): number {
  return isWide ? length * 2 : length;
}

/** Cells of a name with `length` characters. */
export function cellsOf(length: number, isWide: boolean): number {
  return (length * (isWide ? 2 : 1) + 7) >>> 3;
}

/** The name in a page, as a string. */
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

/** A part of names with `count` parts. */
export interface KeyPart {
  readonly place: number;
  readonly count: number;
}

/** Whether one part of the name in a page equals this text; creates no string. */
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

/** One of the parts of a name. */
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
