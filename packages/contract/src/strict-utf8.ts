/** Turns bytes into text, or throws. */
export interface Utf8Decoder {
  /** @throws TypeError when the bytes are not well-formed UTF-8 */
  readonly decode: (bytes: Uint8Array) => string;
}

/*
 * Every runtime has it. It is declared here instead of taken from the web's types, because the rooms that decide are
 * compiled without those, and they compile this room along.
 */
declare const TextDecoder: new (label: string, options: { fatal: boolean; ignoreBOM: boolean }) => Utf8Decoder;

/** @param ignoreBOM true keeps a byte order mark as a character, false drops it */
export function strictUtf8({ ignoreBOM }: { readonly ignoreBOM: boolean }): Utf8Decoder {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM });
}
