import { chunk, textOfUnits, units } from './units.ts';

/** Small letters of Latin alphabets under the letters that they are written as without marks. */
const marked: Readonly<Record<string, string>> = {
  a: 'àáâãäåāăąǎ',
  ae: 'æ',
  c: 'çćĉċč',
  d: 'ďđð',
  e: 'èéêëēĕėęě',
  g: 'ĝğġģ',
  h: 'ĥħ',
  i: 'ìíîïĩīĭįıǐ',
  j: 'ĵ',
  k: 'ķ',
  l: 'ĺļľŀł',
  n: 'ñńņňŉ',
  o: 'òóôõöøōŏőǒ',
  oe: 'œ',
  r: 'ŕŗř',
  s: 'śŝşšșſ',
  ss: 'ß',
  t: 'ţťŧț',
  th: 'þ',
  u: 'ùúûüũūŭůűųǔ',
  w: 'ŵ',
  y: 'ýÿŷ',
  z: 'źżž',
};

/** Capital letters that are no small letter's neighbour in Unicode. */
const capitals: Readonly<Record<string, string>> = { ÿ: 'Ÿ', ß: 'ẞ', ı: 'İ' };

/** UTF-16 units of the plain letters, by the marked one; an empty list for a mark that stands alone. */
const plain = new Map<number, readonly number[]>();
for (const [letters, forms] of Object.entries(marked)) {
  const written = Array.from(letters, (letter) => letter.charCodeAt(0));
  for (const form of forms) {
    const code = form.charCodeAt(0);
    plain.set(code, written);
    plain.set((capitals[form] ?? form).charCodeAt(0), written);
    // In Latin-1 a capital stands 32 before its small letter, in Latin Extended-A just before it.
    if (code >= 0xe0 && code <= 0xfe) plain.set(code - 32, written);
    else if (code >= 0x100 && form !== 'ı' && form !== 'ſ' && form !== 'ŉ') plain.set(code - 1, written);
  }
}
for (let mark = 0x300; mark <= 0x36f; mark++) plain.set(mark, []);

/** Below it lie all letters of Latin alphabets but one, and marks: what they are written as is found by their place. */
const latinEnd = 0x370;
const largeSharpS = 0x1e9e;
const smallSharpS = 0xdf;
/** By code: how many units, the first, and the second where there are two. */
const count = Uint8Array.from({ length: latinEnd }, (_, code) => plain.get(code)?.length ?? 1);
const first = Uint16Array.from({ length: latinEnd }, (_, code) => lower(code) ?? plain.get(code)?.[0] ?? code);
const second = Uint16Array.from({ length: latinEnd }, (_, code) => plain.get(code)?.[1] ?? 0);

/** Of the capital letters from A to Z. */
function lower(code: number): number | undefined {
  return code >= 0x41 && code <= 0x5a ? code + 32 : undefined;
}

/**
 * The text in small letters, without the marks of Latin letters: `Peña` and `PENA` are both `pena`. Marks that stand
 * behind their letter are dropped. Other alphabets stay as they are.
 */
export function plainLetters(text: string): string {
  let folded = '';
  let filled = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const code = unit === largeSharpS ? smallSharpS : unit;
    if (code < latinEnd) {
      units[filled] = first[code]!;
      if (second[code] !== 0) units[filled + 1] = second[code]!;
      filled += count[code]!;
    } else units[filled++] = code;
    if (filled < chunk) continue;
    folded += textOfUnits(filled);
    filled = 0;
  }
  return folded + textOfUnits(filled);
}
