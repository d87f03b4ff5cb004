import { ByteReader, ByteWriter } from '@ringfence/contract';

/*
 * Texts within byte arrays, in the format of `ByteWriter.text`. One shared buffer contains the current text, to search
 * for it and then possibly to insert it.
 */
let encoded = new Uint8Array(1_024);
const writer = new ByteWriter();

/** Encodes a text, replacing the previous one. @returns its size in bytes, including the length prefix */
export function encodeText(text: string): number {
  const { length } = text;
  if (length > 127) return encodeAny(text);
  encoded[0] = length;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return encodeAny(text);
    encoded[at + 1] = code;
  }
  return length + 1;
}

function encodeAny(text: string): number {
  writer.text(text);
  return writer.lend((bytes) => {
    if (bytes.length > encoded.length) encoded = new Uint8Array(bytes.length * 2);
    encoded.set(bytes);
    return bytes.length;
  });
}

/** The encoded text, followed by arbitrary bytes; valid until the next call of `encodeText`. */
export function encodedText(): Uint8Array {
  return encoded;
}

/** Whether the encoded text is at this position; its length prefix is compared too. */
export function isEncodedAt(bytes: Uint8Array, at: number, size: number): boolean {
  for (let place = 0; place < size; place++) if (bytes[at + place] !== encoded[place]) return false;
  return true;
}

/** Copies the encoded text to this position. */
export function putEncoded(bytes: Uint8Array, at: number, size: number): void {
  for (let place = 0; place < size; place++) bytes[at + place] = encoded[place]!;
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
