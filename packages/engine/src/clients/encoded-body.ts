import { ByteWriter } from '@ringfence/contract';

/** Longer and non-ASCII bodies take the slow path; the digests that ingest computes are never either. */
const lengthMax = 127;
/** Last bytes of a body that are hashed. A body is a digest, so any eight bytes of it are distinctive. */
const hashedBytes = 8;

/** The body of the current event in the format of `ByteWriter.text`, encoded once for all comparisons. */
export class EncodedBody {
  #bytes = new Uint8Array(lengthMax + 1);
  #size = 0;
  #hash = 0;

  /** Encoded size in bytes, including the length prefix. */
  get size(): number {
    return this.#size;
  }

  get hash(): number {
    return this.#hash;
  }

  /** @param mark prefix of the text; ASCII */
  set(text: string, mark = ''): this {
    this.#size = this.#encode(text, mark);
    this.#hash = hashOfBody(this.#bytes, 0, this.#size);
    return this;
  }

  isAt(bytes: Uint8Array, from: number): boolean {
    for (let at = 0; at < this.#size; at++) if (bytes[from + at] !== this.#bytes[at]) return false;
    return true;
  }

  writeTo(bytes: Uint8Array, from: number): void {
    for (let at = 0; at < this.#size; at++) bytes[from + at] = this.#bytes[at]!;
  }

  #encode(text: string, mark: string): number {
    const length = mark.length + text.length;
    if (length > lengthMax) return this.#encodeAny(mark + text);
    const bytes = this.#bytes;
    bytes[0] = length;
    const begin = 1 + mark.length;
    for (let at = 0; at < mark.length; at++) bytes[1 + at] = mark.charCodeAt(at);
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) return this.#encodeAny(mark + text);
      bytes[begin + at] = code;
    }
    return length + 1;
  }

  #encodeAny(text: string): number {
    const writer = new ByteWriter();
    writer.text(text);
    const encoded = writer.take();
    if (encoded.length > this.#bytes.length) this.#bytes = new Uint8Array(encoded.length);
    this.#bytes.set(encoded);
    return encoded.length;
  }
}

/** Hash of an encoded body. */
export function hashOfBody(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0;
  for (let at = Math.max(from, to - hashedBytes); at < to; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  return hash;
}
