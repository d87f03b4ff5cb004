import { letterForms } from './letter-forms.generated.ts';
import { chunk, textOfUnits, units } from './units.ts';

/**
 * Characters that show nothing: joiners, marks of direction, variation selectors, fillers, tags.
 *
 * Source: Default_Ignorable_Code_Point of Unicode 17, DerivedCoreProperties.txt.
 */
const ignorable: readonly (readonly [from: number, to: number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfff8],
  [0x1_bca0, 0x1_bca3],
  [0x1_d173, 0x1_d17a],
  [0xe_0000, 0xe_0fff],
];

/** Whether a character at or above `formsEnd` shows nothing. */
function isIgnorable(code: number): boolean {
  return ignorable.some(([from, to]) => code >= from && code <= to);
}

/** All letters with other forms are below it; their replacement is found by index. */
const formsEnd = 0x2000;
const letters = 26;
const { count, first, second } = replacements();

/** By code: the number of units that replace it, the first, and the second if there are two. */
function replacements(): { readonly count: Uint8Array; readonly first: Uint16Array; readonly second: Uint16Array } {
  const count = new Uint8Array(formsEnd).fill(1);
  const first = Uint16Array.from({ length: formsEnd }, (_, code) => code);
  const second = new Uint16Array(formsEnd);
  const write = (code: number, plain: string): void => {
    count[code] = plain.length;
    first[code] = plain.charCodeAt(0);
    second[code] = plain.length > 1 ? plain.charCodeAt(1) : 0;
  };
  for (let letter = 0; letter < letters; letter++) first[0x41 + letter] = 0x61 + letter;
  for (const [plain, forms] of letterForms) {
    for (let at = 0; at < forms.length; at++) write(forms.charCodeAt(at), plain);
  }
  for (let mark = 0x300; mark <= 0x36f; mark++) write(mark, '');
  for (const [from, to] of ignorable) {
    for (let code = from; code <= to && code < formsEnd; code++) write(code, '');
  }
  return { count, first, second };
}

/** Full-width forms of ASCII letters, digits and signs. */
const wideFirst = 0xff01;
const wideLast = 0xff5e;
const wideShift = 0xfee0;

/**
 * The text in lower case and without diacritics: `Peña` and `PENA` both become `pena`, `Ёлкин` becomes `елкин`.
 * Combining marks and characters that show nothing are dropped. That applies to Latin, Greek, Cyrillic, Armenian and
 * Georgian letters, and to full-width ones; others stay unchanged.
 *
 * Source: Unicode, by way of `letter-forms.generated.ts`.
 */
export function plainLetters(text: string): string {
  let folded = '';
  let filled = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const code = unit >= wideFirst && unit <= wideLast ? unit - wideShift : unit;
    if (code < formsEnd) {
      units[filled] = first[code]!;
      if (second[code] !== 0) units[filled + 1] = second[code]!;
      filled += count[code]!;
    } else if ((code & 0xfc00) === 0xd800) {
      if (isIgnorable(text.codePointAt(at)!)) at++;
      else units[filled++] = code;
    } else if (!isIgnorable(code)) units[filled++] = code;
    if (filled < chunk) continue;
    folded += textOfUnits(filled);
    filled = 0;
  }
  return folded + textOfUnits(filled);
}
