/** Decodes bytes to text, or throws. */
export interface Utf8Decoder {
  /** @throws TypeError when the bytes are not well-formed UTF-8 */
  readonly decode: (bytes: Uint8Array) => string;
}

/*
 * Every runtime provides it. It is declared here because the packages that decide are compiled without the web's types,
 * together with this one.
 */
declare const TextDecoder: new (label: string, options?: { fatal: boolean; ignoreBOM: boolean }) => Utf8Decoder;
declare const TextEncoder: new () => { readonly encode: (text: string) => Uint8Array };

/** @param ignoreBOM true keeps a byte order mark as a character, false drops it */
export function strictUtf8({ ignoreBOM }: { readonly ignoreBOM: boolean }): Utf8Decoder {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM });
}

const encoder = new TextEncoder();

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of bytes in another encoding, without a byte order mark; what cannot be decoded becomes U+FFFD. */
export function decodeText(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be' | 'windows-1252'): string {
  return new TextDecoder(encoding).decode(bytes);
}
