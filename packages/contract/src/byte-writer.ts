import { assert } from './assert.ts';

/** Consecutive results share a buffer of this size, because there are many and most are small. */
const pieceBytes = 65_536;
/** Many writers never write, so the first buffer is allocated on demand. */
const none = new Uint8Array(0);
/** Up to this number of bytes, a loop is faster than the built-in copy. */
const copiedSinglyMax = 128;

/**
 * Writes our binary format, for everything that is stored or passed between threads: small numbers are short, equal values give equal bytes, and nothing is
 * aligned. `ByteReader` reads it back in the same order.
 */
export class ByteWriter {
  #bytes = none;
  /** Start of the next result, and position of the next byte. */
  #begin = 0;
  #size = 0;

  /** What was written since the last `take`. The writer is empty afterwards and never changes these bytes again. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(this.#begin, this.#size);
    this.#begin = this.#size;
    return bytes;
  }

  /**
   * Lends what was written since the last `take` or `lend` for the duration of the call; the writer is empty
   * afterwards.
   */
  lend<Result>(use: (bytes: Uint8Array) => Result): Result {
    const result = use(this.#bytes.subarray(this.#begin, this.#size));
    this.#size = this.#begin;
    return result;
  }

  bool(value: boolean): void {
    this.#reserve(1);
    this.#bytes[this.#size++] = value ? 1 : 0;
  }

  /** A whole number from 0 to 2^53 - 1; a varint of seven bits per byte, lowest first. */
  uint(value: number): void {
    this.#reserve(uintBytesMax);
    this.#size = putUint(this.#bytes, this.#size, value);
  }

  /** A safe integer; the first byte has six bits and the sign. */
  int(value: number): void {
    this.#reserve(intBytesMax);
    this.#size = putInt(this.#bytes, this.#size, value);
  }

  /** Reserves `sizeMax` bytes and lets `put` write them at a position; `put` returns where its output ends. */
  put<Value>(sizeMax: number, value: Value, put: (bytes: Uint8Array, from: number, value: Value) => number): void {
    this.#reserve(sizeMax);
    this.#size = put(this.#bytes, this.#size, value);
  }

  /** Its eight bytes, little-endian. */
  double(value: number): void {
    this.#reserve(8);
    new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#size).setFloat64(0, value, true);
    this.#size += 8;
  }

  big(value: bigint): void {
    this.text(value.toString(36));
  }

  /** The length in bytes, then UTF-8. A lone surrogate is written as three bytes of its own and survives. */
  text(value: string): void {
    const { length } = value;
    this.#reserve(3 * length + 8);
    const lengthAt = this.#size;
    this.uint(length);
    const from = this.#size;
    for (let at = 0; at < length; at++) {
      const code = value.charCodeAt(at);
      if (code > 127) {
        this.#size = lengthAt;
        this.#wideText(value);
        return;
      }
      this.#bytes[from + at] = code;
    }
    this.#size = from + length;
  }

  /** Whether there is a text, and the text. */
  optionalText(value: string | undefined): void {
    this.bool(value !== undefined);
    if (value !== undefined) this.text(value);
  }

  /** Whether there is a number, and the number as `int` writes it. */
  optionalInt(value: number | undefined): void {
    this.bool(value !== undefined);
    if (value !== undefined) this.int(value);
  }

  /** Appends the first `count` bytes, without their number; all by default. */
  bytes(bytes: Uint8Array, count = bytes.length): void {
    this.#reserve(count);
    // A view of a small array that V8 keeps on its heap would move it off the heap, which costs more than the copy.
    if (count === bytes.length || count > copiedSinglyMax) {
      this.#bytes.set(count === bytes.length ? bytes : bytes.subarray(0, count), this.#size);
    } else for (let at = 0; at < count; at++) this.#bytes[this.#size + at] = bytes[at]!;
    this.#size += count;
  }

  #wideText(value: string): void {
    const codes = Array.from(value, (character) => character.codePointAt(0)!);
    const encoded = codes.flatMap(utf8);
    this.#reserve(encoded.length + 8);
    this.uint(encoded.length);
    for (const byte of encoded) this.#bytes[this.#size++] = byte;
  }

  #reserve(sizeBytes: number): void {
    const needed = this.#size + sizeBytes;
    if (needed <= this.#bytes.length) return;
    const written = this.#bytes.subarray(this.#begin, this.#size);
    const grown = new Uint8Array(Math.max(pieceBytes, 2 * (written.length + sizeBytes)));
    grown.set(written);
    this.#bytes = grown;
    this.#begin = 0;
    this.#size = written.length;
  }
}

/** Maximum size of a number in bytes. */
export const uintBytesMax = 8;
export const intBytesMax = 9;

/** Writes like `ByteWriter.int`; returns where it ends. */
export function putInt(bytes: Uint8Array, from: number, value: number): number {
  const small = value | 0;
  if (small !== value || small < -0x7fff_ffff) return putLargeInt(bytes, from, value);
  const sign = small < 0 ? 64 : 0;
  let rest = small < 0 ? -small : small;
  if (rest < 64) {
    bytes[from] = rest | sign;
    return from + 1;
  }
  bytes[from] = (rest & 63) | sign | 128;
  rest >>>= 6;
  let at = from + 1;
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at] = rest;
  return at + 1;
}

function putLargeInt(bytes: Uint8Array, from: number, value: number): number {
  const magnitude = Math.abs(value);
  const higher = Math.floor(magnitude / 64);
  bytes[from] = (magnitude - higher * 64) | (value < 0 ? 64 : 0) | 128;
  return putUint(bytes, from + 1, higher);
}

/**
 * Writes like `ByteWriter.uint`; returns where it ends. Uses products and differences, because the remainder of a
 * double is a slow call.
 */
export function putUint(bytes: Uint8Array, from: number, value: number): number {
  let at = from;
  let rest = value;
  while (rest > 0x0fff_ffff) {
    const higher = Math.floor(rest / 128);
    bytes[at++] = (rest - higher * 128) | 128;
    rest = higher;
  }
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

function utf8(code: number): readonly number[] {
  if (code < 0x80) return [code];
  if (code < 0x800) return [0xc0 | (code >> 6), tail(code)];
  if (code < 0x1_0000) return [0xe0 | (code >> 12), tail(code >> 6), tail(code)];
  assert(code < 0x11_0000, 'not a Unicode code point');
  return [0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code)];
}

function tail(code: number): number {
  return 0x80 | (code & 63);
}
