/** Decodes bytes to text, or throws. */
export interface Utf8Decoder {
  /** @throws TypeError when the bytes are not well-formed UTF-8 */
  readonly decode: (bytes: Uint8Array) => string;
}

/*
 * Every runtime provides it. It is declared here because the packages that decide are compiled without the web's types,
 * together with this one.
 */
declare const TextDecoder: new (label: string, options: { fatal: boolean; ignoreBOM: boolean }) => Utf8Decoder;

/** @param ignoreBOM true keeps a byte order mark as a character, false drops it */
export function strictUtf8({ ignoreBOM }: { readonly ignoreBOM: boolean }): Utf8Decoder {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM });
}
