/** Bytes as text for a token: base64url without padding (RFC 7515 §2). */
export function base64url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The UTF-8 bytes of a text, as used in every part of a token. */
export function base64urlText(text: string): string {
  return base64url(utf8(text));
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
