import { assert } from '@ringfence/contract';

/**
 * Reads what a `ByteSink` wrote, in the same order.
 *
 * @throws InvariantError when the bytes end too early
 */
export class ByteSource {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  /** Whether everything has been read. */
  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    assert(byte !== undefined, 'the bytes are whole');
    return byte;
  }

  uint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  int(): number {
    const isNegative = this.byte() === 1;
    const magnitude = this.uint();
    return isNegative ? -magnitude : magnitude;
  }

  text(): string {
    const length = this.uint();
    const from = this.#take(Math.floor(length / 2));
    return this.#bytes.toString(length % 2 === 1 ? 'latin1' : 'utf8', from, this.#at);
  }

  /** A view of the next bytes, not a copy. */
  bytes(sizeBytes: number): Buffer {
    const from = this.#take(sizeBytes);
    return this.#bytes.subarray(from, this.#at);
  }

  #take(sizeBytes: number): number {
    const from = this.#at;
    assert(from + sizeBytes <= this.#bytes.length, 'the bytes are whole');
    this.#at = from + sizeBytes;
    return from;
  }
}
