import { assert } from '@ringfence/contract';

/** Bytes that are taken one after the other share a piece of memory of this size: there are many, and most are few. */
const pieceBytes = 65_536;
/** Many writers never write: the first piece is made when there is something to write. */
const none = new Uint8Array(0);
/** Bytes up to which copying one by one is quicker than asking the system. */
const copiedSinglyMax = 128;

/**
 * Writes the engine's own binary format: little numbers are short, equal values give equal bytes, and nothing is
 * aligned. `ByteReader` reads it back in the same order.
 */
export class ByteWriter {
  #bytes = none;
  /** Where the next bytes to be taken begin, and where the next one is written. */
  #begin = 0;
  #size = 0;

  /** What was written since the last `take`; the writer is empty afterwards, and never changes these bytes again. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(this.#begin, this.#size);
    this.#begin = this.#size;
    return bytes;
  }

  /** Lends what was written since the last `take` or `lend`, for as long as the call lasts; the writer is empty afterwards. */
  lend<Result>(use: (bytes: Uint8Array) => Result): Result {
    const result = use(this.#bytes.subarray(this.#begin, this.#size));
    this.#size = this.#begin;
    return result;
  }

  bool(value: boolean): void {
    this.#reserve(1);
    this.#bytes[this.#size++] = value ? 1 : 0;
  }

  /** A whole number from 0 to 2^53 - 1, seven bits a byte, lowest first. */
  uint(value: number): void {
    this.#reserve(uintBytesMax);
    this.#size = putUint(this.#bytes, this.#size, value);
  }

  /** A safe integer; six bits and its sign in the first byte. */
  int(value: number): void {
    this.#reserve(intBytesMax);
    this.#size = putInt(this.#bytes, this.#size, value);
  }

  /** Makes room for so many bytes and lets `put` write there, from a place on; it answers where what it wrote ends. */
  put(sizeMax: number, put: (bytes: Uint8Array, from: number) => number): void {
    this.#reserve(sizeMax);
    this.#size = put(this.#bytes, this.#size);
  }

  /** Its eight bytes, the lowest first. */
  double(value: number): void {
    this.#reserve(8);
    new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#size).setFloat64(0, value, true);
    this.#size += 8;
  }

  big(value: bigint): void {
    this.text(value.toString(36));
  }

  /** UTF-8 behind its length in bytes. A lone surrogate is written as three bytes of its own and survives. */
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

  /** The first of these bytes as they are, all unless told otherwise; without their number. */
  bytes(bytes: Uint8Array, count = bytes.length): void {
    this.#reserve(count);
    // A view of few bytes that the runtime keeps among its objects would move them elsewhere, which costs more than all of this.
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

/** Bytes that numbers have at the most. */
export const uintBytesMax = 8;
export const intBytesMax = 9;

/** Writes what `ByteWriter.int` does; answers where it ends. */
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

/** Writes what `ByteWriter.uint` does; answers where it ends. Products and differences, as the remainder of a double is a slow call. */
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
  assert(code < 0x11_0000, 'a code point of Unicode');
  return [0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code)];
}

function tail(code: number): number {
  return 0x80 | (code & 63);
}
