import { assert } from './assert.ts';

/** Characters converted to a string per call: more would be too many arguments. */
const charactersMax = 1_024;
const cut = 'the bytes are truncated';

/**
 * Reads what `ByteWriter` wrote, in the same order.
 *
 * @throws InvariantError if the bytes end too early: they were truncated, or written by another version
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Whether everything has been read. */
  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Position of the next value. */
  get at(): number {
    return this.#at;
  }

  bool(): boolean {
    return this.#byte() === 1;
  }

  uint(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      assert(at < bytes.length, cut);
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) {
        this.#at = at;
        return value;
      }
      assert(scale < 2 ** 49, 'a whole number has more than eight bytes');
    }
  }

  int(): number {
    const first = this.#byte();
    const magnitude = first < 128 ? first & 63 : (first & 63) + this.uint() * 64;
    return (first & 64) === 0 ? magnitude : -magnitude;
  }

  double(): number {
    const from = this.skip(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + from).getFloat64(0, true);
  }

  big(): bigint {
    const text = this.text();
    const negative = text.startsWith('-');
    let value = 0n;
    for (let at = negative ? 1 : 0; at < text.length; at++)
      value = value * 36n + BigInt(Number.parseInt(text[at]!, 36));
    return negative ? -value : value;
  }

  text(): string {
    const length = this.uint();
    const from = this.skip(length);
    const bytes = this.#bytes;
    const codes: number[] = [];
    for (let at = from; at < from + length; at++) {
      const code = bytes[at]!;
      if (code > 127) return this.#wideText(from, length);
      codes.push(code);
    }
    // Adding character by character would make a string of linked pieces, flattened only at the first comparison.
    if (length <= charactersMax) return String.fromCharCode(...codes);
    return codes.map((code) => String.fromCharCode(code)).join('');
  }

  optionalText(): string | undefined {
    return this.bool() ? this.text() : undefined;
  }

  optionalInt(): number | undefined {
    return this.bool() ? this.int() : undefined;
  }

  /** A view of the next bytes, not a copy. */
  bytes(sizeBytes: number): Uint8Array {
    const from = this.skip(sizeBytes);
    return this.#bytes.subarray(from, this.#at);
  }

  /** Passes over bytes. @returns where they begin */
  skip(sizeBytes: number): number {
    const from = this.#at;
    assert(from + sizeBytes <= this.#bytes.length, cut);
    this.#at = from + sizeBytes;
    return from;
  }

  /** Reads the number of values and then the values, into a list without spare capacity. */
  list<Value>(read: () => Value): Value[] {
    const count = this.uint();
    if (count === 0) return [];
    const values = [read()];
    if (count === 1) return values;
    while (values.length < count) values.push(read());
    return values.slice(); // `push` reserves seventeen
  }

  /** The encoded bytes of `count` texts; valid as long as the bytes being read. */
  texts(count: number): Uint8Array {
    const from = this.#at;
    for (let read = 0; read < count; read++) this.skip(this.uint());
    return this.#bytes.subarray(from, this.#at);
  }

  #wideText(from: number, length: number): string {
    const parts: string[] = [];
    for (let at = from; at < from + length;) {
      const first = this.#bytes[at]!;
      const more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
      let code = more === 0 ? first : first & (63 >> more);
      for (let tail = 1; tail <= more; tail++) code = code * 64 + (this.#bytes[at + tail]! & 63);
      parts.push(String.fromCodePoint(code));
      at += more + 1;
    }
    return parts.join('');
  }

  #byte(): number {
    return this.#bytes[this.skip(1)]!;
  }
}
