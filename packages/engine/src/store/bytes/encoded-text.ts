import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

/*
 * Texts among bytes, as `ByteWriter.text` writes them. One is encoded at a time: to be looked for, and then perhaps to be
 * put there.
 */
let encoded = new Uint8Array(1_024);
const writer = new ByteWriter();

/** Encodes a text, in place of the one before. @returns how many bytes it takes, its length among them */
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

/** The bytes of the text that was encoded last, and others behind them; good until the next. */
export function encodedText(): Uint8Array {
  return encoded;
}

/** Whether the text that was encoded stands there: its length is part of it. */
export function isEncodedAt(bytes: Uint8Array, at: number, size: number): boolean {
  for (let place = 0; place < size; place++) if (bytes[at + place] !== encoded[place]) return false;
  return true;
}

/** Puts the text that was encoded there. */
export function putEncoded(bytes: Uint8Array, at: number, size: number): void {
  for (let place = 0; place < size; place++) bytes[at + place] = encoded[place]!;
}

/** Where the characters begin of the text that begins there, behind its length. */
export function charactersOf(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at++]! > 127);
  return at;
}

/** Where the text ends that begins there. */
export function endOfText(bytes: Uint8Array, from: number): number {
  let at = from;
  let length = bytes[at]! & 127;
  for (let scale = 128; bytes[at++]! > 127; scale *= 128) length += (bytes[at]! & 127) * scale;
  return at + length;
}

/** The text that begins there. */
export function textAtByte(bytes: Uint8Array, from: number): string {
  return new ByteReader(bytes.subarray(from, endOfText(bytes, from))).text();
}
