import { fromZero } from '../../facts/number-range.ts';
import { copyCost, textLengthMax, workedLength } from '../bounds.ts';
import type { Value } from '../value.ts';
import { definer, type Extent, type FunctionDefinition, prepared } from './definition.ts';
import { compilePattern, patternBounds } from './pattern.ts';
import { chunk, textOfUnits, units } from './units.ts';

const define = definer('text');

/** A longer part searched in a long text could cost the product of both lengths in steps. */
export const partLengthMax = 256;
/** More parts of one text than any rule needs. */
const partsMax = 100;

/** Steps for each unit that is inspected, and for each that is inspected and moved. */
const lookRate = 0.3;
const moveRate = 0.5;
/** A single character is searched with the fastest instructions of the processor. */
const findRate = 1 / 64;
/** More than one character, if every position of the text matches its beginning. */
const searchRate = 0.25;
/** Per unit, if each can become a text of its own. */
const pieceRate = 2.3;
/** Per part, for few parts. */
const partCost = 5;

const looked = (value: Extent): number => 12 + lookRate * workedLength(value.length);
const moved = (value: Extent): number => 12 + moveRate * workedLength(value.length);
const searched = (value: Extent, part: Extent): number =>
  12 + (part.length > 1 ? searchRate : findRate) * workedLength(value.length);

/** What is found in the beginning of a longer text is in the text; what is not may be behind it. */
function contains(value: string, part: string): boolean | undefined {
  if (part.length > partLengthMax) return undefined;
  if (value.length <= textLengthMax) return value.includes(part);
  return value.slice(0, textLengthMax).includes(part) ? true : undefined;
}

/** Missing would keep every rule silent that looks for a word in it. */
const beginning = `Of a longer text the first ${textLengthMax} characters`;
const tooLong = `Missing if the text is longer than ${textLengthMax} characters`;

/** Functions of text. Positions and lengths count characters (Unicode code points), as in CEL. */
export const text: readonly FunctionDefinition[] = [
  define('string.startsWith(string): bool', {
    doc: 'Whether the text begins with another.',
    example: 'account.phoneNumber.startsWith("+52")',
    apply: (value: string, prefix: string) => value.startsWith(prefix),
  }),
  define('string.endsWith(string): bool', {
    doc: 'Whether the text ends with another.',
    example: 'account.email.endsWith("@mailinator.com")',
    apply: (value: string, suffix: string) => value.endsWith(suffix),
  }),
  define('string.contains(string): bool', {
    doc: `Whether the text contains another. Missing if the other is longer than ${partLengthMax} characters, or is not in the first ${textLengthMax} of a longer text.`,
    example: 'transaction.description.contains("gift")',
    cost: searched,
    apply: contains,
  }),
  define('string.matches(string): bool', {
    doc: 'Whether a regular expression (RE2 syntax, a literal) matches anywhere in the text, in linear time. Of a text that is longer than 512 characters only these are looked at: true if they match a pattern without `$`, `\\z`, `\\b` and `\\B`, otherwise missing.',
    example: 'transaction.reference.matches("^[A-Z]{3}[0-9]+$")',
    apply: prepared,
    prepare: compilePattern,
    looksAt: patternBounds.textLength,
    isLiteral: true,
  }),
  ...(['string.size(): int', 'size(string): int'] as const).map((signature) =>
    define(signature, {
      doc: `The number of characters in the text. Beyond ${textLengthMax}, the number of UTF-16 units.`,
      example: signature.startsWith('size')
        ? 'size(transaction.description) > 140'
        : 'transaction.description.size() > 140',
      cost: looked,
      range: fromZero,
      apply: (value: string) => (value.length > textLengthMax ? value.length : codePoints(value)),
    }),
  ),
  define('string.lowerAscii(): string', {
    doc: `The text with A to Z converted to a to z; other letters stay. ${beginning}.`,
    example: 'transaction.category.lowerAscii() == "transfer"',
    cost: moved,
    apply: (value: string) => withCase(value, { first: 0x41, shift: 32 }),
  }),
  define('string.upperAscii(): string', {
    doc: `The text with a to z converted to A to Z; other letters stay. ${beginning}.`,
    example: 'order.currency.upperAscii() == "MXN"',
    cost: moved,
    apply: (value: string) => withCase(value, { first: 0x61, shift: -32 }),
  }),
  define('string.trim(): string', {
    doc: `The text without leading and trailing spaces, tabs and line ends. ${tooLong}.`,
    example: 'transaction.description.trim() == ""',
    cost: looked,
    apply: trim,
  }),
  define('string.indexOf(string): int', {
    doc: `The position of the first occurrence of another text, from 0; -1 if there is none. ${tooLong}, or the other is longer than ${partLengthMax}.`,
    example: 'account.email.indexOf("@") > 30',
    cost: (value, part) => searched(value, part) + looked(value),
    apply: (value: string, part: string) => {
      if (part.length > partLengthMax || value.length > textLengthMax) return undefined;
      const at = value.indexOf(part);
      return at <= 0 ? at : codePoints(value.slice(0, at));
    },
  }),
  define('string.substring(int): string', {
    doc: `The text from a position to its end, counted from 0; missing if the text ends before it. ${tooLong}.`,
    example: 'account.accountNumber.substring(3) == "000123"',
    cost: moved,
    apply: (value: string, from: number) => cut(value, from),
  }),
  define('string.substring(int, int): string', {
    doc: `The text from a position to before another one, counted from 0; missing if the text ends before it. ${tooLong}.`,
    example: 'account.accountNumber.substring(0, 3) == "012"',
    cost: moved,
    apply: cut,
  }),
  define('string.replace(string, string): string', {
    doc: `The text with every occurrence of a second replaced by a third. Missing if the second is longer than ${partLengthMax} characters, or any other or the result is longer than ${textLengthMax}.`,
    example: 'account.phoneNumber.replace(" ", "") == "+525512345678"',
    cost: (value) => 40 + pieceRate * workedLength(value.length),
    length: replacedLength,
    apply: replace,
  }),
  define('string.split(string): list<string>', {
    doc: `The parts of the text between occurrences of another. ${tooLong} or has more than ${partsMax} parts, or the other is longer than ${partLengthMax}.`,
    example: 'account.email.split("@")[1] == "mailinator.com"',
    cost: (value, part) => 40 + partsMax * partCost + searched(value, part),
    size: partsMax,
    apply: (value: string, separator: string) => {
      if (value.length > textLengthMax || separator.length > partLengthMax) return undefined;
      // A character is two units at most.
      if (separator === '' && value.length > 2 * partsMax) return undefined;
      const parts = separator === '' ? Array.from(value) : value.split(separator, partsMax + 1);
      return parts.length > partsMax ? undefined : parts;
    },
  }),
  ...(['list<string>.join(): string', 'list<string>.join(string): string'] as const).map((signature) =>
    define(signature, {
      doc: `The concatenated texts${signature.includes('(string)') ? ', with another text between them' : ''}. Missing if the result is longer than ${textLengthMax} characters.`,
      example: '[account.bank, account.accountNumber].join("/") == payee.id',
      cost: (list, separator) => 40 + partCost * list.size + copyCost(joinedLength(list, separator)),
      length: joinedLength,
      apply: join,
    }),
  ),
];

/** Characters (Unicode code points) of a text. */
function codePoints(value: string): number {
  let count = 0;
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}

const letters = 26;

/** Shifts the 26 letters from `first` by `shift`, in the beginning of a longer text. */
function withCase(text: string, { first, shift }: { first: number; shift: number }): string {
  const value = text.slice(0, textLengthMax);
  let cased = '';
  for (let from = 0; from < value.length; from += chunk) {
    const end = Math.min(value.length, from + chunk);
    for (let at = from; at < end; at++) {
      const unit = value.charCodeAt(at);
      units[at - from] = unit >= first && unit < first + letters ? unit + shift : unit;
    }
    cased += textOfUnits(end - from);
  }
  return cased;
}

/** Space, tab and line ends. */
function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d || unit === 0x0a;
}

function trim(value: string): Value {
  if (value.length > textLengthMax) return undefined;
  let [from, to] = [0, value.length];
  while (from < to && isBlank(value.charCodeAt(from))) from++;
  while (to > from && isBlank(value.charCodeAt(to - 1))) to--;
  return value.slice(from, to);
}

function cut(value: string, from: number, to?: number): Value {
  const last = to ?? from;
  // A position may be a bigint; none that is within the text remains one.
  if (value.length > textLengthMax || from < 0 || from > last || last > value.length) return undefined;
  const start = unitsUntil(value, { from: 0, characters: from });
  if (start === undefined || to === undefined) return start === undefined ? undefined : value.slice(start);
  const end = unitsUntil(value, { from: start, characters: to - from });
  return end === undefined ? undefined : value.slice(start, end);
}

/** The offset of this many characters after a position; `undefined` beyond the text. */
function unitsUntil(value: string, of: { readonly from: number; readonly characters: number }): number | undefined {
  let at = of.from;
  for (let left = of.characters; left > 0; left--) {
    if (at >= value.length) return undefined;
    at += isPair(value, at) ? 2 : 1;
  }
  return at;
}

/** Whether a surrogate pair begins there. */
function isPair(value: string, at: number): boolean {
  return (value.charCodeAt(at) & 0xfc00) === 0xd800 && (value.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

function replace(value: string, part: string, other: string): Value {
  if (part.length > partLengthMax || Math.max(value.length, other.length) > textLengthMax) return undefined;
  const parts = part === '' ? charactersOf(value) : value.split(part);
  // The empty text also occurs before the first and after the last character.
  const places = part === '' ? parts.length + 1 : parts.length - 1;
  const length = value.length + places * (other.length - part.length);
  if (length > textLengthMax) return undefined;
  if (part !== '') return parts.join(other);
  return value === '' ? other : other + parts.join(other) + other;
}

const surrogate = /[\ud800-\udfff]/;

function charactersOf(value: string): readonly string[] {
  return surrogate.test(value) ? Array.from(value) : value.split('');
}

/** The maximum length of a text after each of its characters, and both ends, can be replaced by another text. */
function replacedLength(value: Extent, _: Extent, other: Extent): number {
  return workedLength(value.length + (value.length + 1) * other.length);
}

function joinedLength(list: Extent, separator: Extent | undefined): number {
  return workedLength(list.size * (list.length + (separator?.length ?? 0)));
}

function join(texts: readonly string[], separator = ''): Value {
  const length = texts.reduce((sum, one) => sum + one.length + separator.length, 0);
  return length > textLengthMax ? undefined : texts.join(separator);
}
