/** One unit is three bytes at most; two units that are one character are four. */
const bytesPerUnitMax = 3;

/** The bytes of a text in UTF-8. A lone surrogate becomes the replacement character. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * bytesPerUnitMax);
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0;
    if (point >= 0x1_0000) at++;
    const scalar = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
    if (scalar < 0x80) bytes[end++] = scalar;
    else {
      if (scalar < 0x800) bytes[end++] = 0xc0 | (scalar >> 6);
      else {
        if (scalar < 0x1_0000) bytes[end++] = 0xe0 | (scalar >> 12);
        else {
          bytes[end++] = 0xf0 | (scalar >> 18);
          bytes[end++] = tail(scalar, 12);
        }
        bytes[end++] = tail(scalar, 6);
      }
      bytes[end++] = tail(scalar, 0);
    }
  }
  return bytes.slice(0, end);
}

function tail(point: number, shift: number): number {
  return 0x80 | ((point >> shift) & 0x3f);
}

/** By the number of continuation bytes: the smallest code point that needs that many. */
const least: readonly number[] = [0, 0x80, 0x800, 0x1_0000];

/** Decodes UTF-8; `undefined` if it is not well-formed. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at++] ?? 0;
    const following =
      first < 0x80 ? 0 : first < 0xc0 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf8 ? 3 : -1;
    if (following < 0) return undefined;
    let point = following === 0 ? first : first & (0x3f >> following);
    for (let rest = following; rest > 0; rest--) {
      const byte = bytes[at++] ?? 0;
      if ((byte & 0xc0) !== 0x80) return undefined;
      point = (point << 6) | (byte & 0x3f);
    }
    const isScalar = point >= (least[following] ?? 0) && point <= 0x10_ffff && (point < 0xd800 || point > 0xdfff);
    if (!isScalar) return undefined;
    text += String.fromCodePoint(point);
  }
  return text;
}
