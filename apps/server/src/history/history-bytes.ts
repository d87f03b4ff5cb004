import { ByteReader, ByteWriter, putUint, uintBytesMax } from '@ringfence/contract';

/*
 * The byte format of history, which is stored: that of `ByteWriter`, except that an integer has a byte for its sign, and
 * that the length of a text is shifted by one bit, which marks ASCII, because ASCII reads faster.
 */
const encoder = new TextEncoder();

export class HistoryWriter extends ByteWriter {
  /** A copy in a buffer of its own: a message to another thread copies the whole buffer of an array. */
  override take(): Uint8Array {
    return this.lend((bytes) => bytes.slice());
  }

  override int(value: number): void {
    this.bool(value < 0);
    this.uint(Math.abs(value));
  }

  override text(value: string): void {
    this.put(uintBytesMax + 3 * value.length, value, putText);
  }
}

function putText(bytes: Uint8Array, from: number, value: string): number {
  const { length } = value;
  const start = putUint(bytes, from, length * 2 + 1);
  for (let at = 0; at < length; at++) {
    const code = value.charCodeAt(at);
    if (code > 127) return putWideText(bytes, from, value);
    bytes[start + at] = code;
  }
  return start + length;
}

function putWideText(bytes: Uint8Array, from: number, value: string): number {
  const length = Buffer.byteLength(value);
  const start = putUint(bytes, from, length * 2);
  encoder.encodeInto(value, bytes.subarray(start));
  return start + length;
}

export class HistoryReader extends ByteReader {
  readonly #buffer: Buffer;

  constructor(bytes: Uint8Array, at = 0) {
    super(bytes, at);
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  override int(): number {
    const isNegative = this.bool();
    const magnitude = this.uint();
    return isNegative ? -magnitude : magnitude;
  }

  override text(): string {
    const length = this.uint();
    const from = this.skip(Math.floor(length / 2));
    return this.#buffer.toString(length % 2 === 1 ? 'latin1' : 'utf8', from, this.at);
  }
}
