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
  const units = Array.from(letters, (letter) => letter.charCodeAt(0));
  for (const form of forms) {
    const code = form.charCodeAt(0);
    plain.set(code, units);
    plain.set((capitals[form] ?? form).charCodeAt(0), units);
    // In Latin-1 a capital stands 32 before its small letter, in Latin Extended-A just before it.
    if (code >= 0xe0 && code <= 0xfe) plain.set(code - 32, units);
    else if (code >= 0x100 && form !== 'ı' && form !== 'ſ' && form !== 'ŉ') plain.set(code - 1, units);
  }
}
for (let mark = 0x300; mark <= 0x36f; mark++) plain.set(mark, []);

/** Below it lie all letters of Latin alphabets but one: what they are written as is found by their place. */
const latinEnd = 0x250;
/** By code: the first unit, and the second where there are two. */
const first = Uint16Array.from({ length: latinEnd }, (_, code) => lower(code) ?? plain.get(code)?.[0] ?? code);
const second = Uint16Array.from({ length: latinEnd }, (_, code) => plain.get(code)?.[1] ?? 0);

/** Of the capital letters from A to Z. */
function lower(code: number): number | undefined {
  return code >= 0x41 && code <= 0x5a ? code + 32 : undefined;
}

/** How many UTF-16 units one call of `fromCharCode` takes without trouble. */
const chunk = 1_024;

/** The units on their way into the text. No letter is written as more than two. */
const units = new Uint16Array(chunk + 2);

/**
 * The text in small letters, without the marks of Latin letters: `Peña` and `PENA` are both `pena`. Marks that stand
 * behind their letter are dropped. Other alphabets stay as they are.
 */
export function plainLetters(text: string): string {
  let folded = '';
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < latinEnd) {
      units[count++] = first[code]!;
      if (second[code] !== 0) units[count++] = second[code]!;
    } else for (const unit of plain.get(code) ?? [code]) units[count++] = unit;
    if (count < chunk) continue;
    folded += textOf(count);
    count = 0;
  }
  return folded + textOf(count);
}

function textOf(count: number): string {
  return String.fromCharCode.apply(undefined, units.subarray(0, count) as unknown as number[]);
}
