import { ByteReader, ByteWriter } from '@ringfence/contract';

/*
 * Texts within byte arrays, in the format of `ByteWriter.text`.
 */

/** Reusable buffer for one text: encoded once, to search for it and then possibly to insert it. */
export class EncodedText {
  #bytes = new Uint8Array(1_024);
  readonly #writer = new ByteWriter();

  /** The encoded text, followed by arbitrary bytes; valid until the next call of `set`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Encodes a text, replacing the previous one. @returns its size in bytes, including the length prefix */
  set(text: string): number {
    const { length } = text;
    if (length > 127) return this.#setAny(text);
    const bytes = this.#bytes;
    bytes[0] = length;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) return this.#setAny(text);
      bytes[at + 1] = code;
    }
    return length + 1;
  }

  /** Whether the encoded text is at this position; its length prefix is compared too. */
  isAt(bytes: Uint8Array, at: number, size: number): boolean {
    const own = this.#bytes;
    for (let place = 0; place < size; place++) if (bytes[at + place] !== own[place]) return false;
    return true;
  }

  /** Copies the encoded text to this position. */
  writeTo(bytes: Uint8Array, at: number, size: number): void {
    const own = this.#bytes;
    for (let place = 0; place < size; place++) bytes[at + place] = own[place]!;
  }

  #setAny(text: string): number {
    this.#writer.text(text);
    return this.#writer.lend((written) => {
      if (written.length > this.#bytes.length) this.#bytes = new Uint8Array(written.length * 2);
      this.#bytes.set(written);
      return written.length;
    });
  }
}

/** Start of the characters of the text at this position, after the length prefix. */
export function charactersOf(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at++]! > 127);
  return at;
}

/** End of the text at this position. */
export function endOfText(bytes: Uint8Array, from: number): number {
  let at = from;
  let length = bytes[at]! & 127;
  for (let scale = 128; bytes[at++]! > 127; scale *= 128) length += (bytes[at]! & 127) * scale;
  return at + length;
}

/** The text at this position. */
export function textAtByte(bytes: Uint8Array, from: number): string {
  return new ByteReader(bytes.subarray(from, endOfText(bytes, from))).text();
}
