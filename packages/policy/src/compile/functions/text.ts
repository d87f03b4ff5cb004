import { textLengthMax } from '../bounds.ts';
import type { Value } from '../value.ts';
import { definer, type FunctionDefinition, prepared } from './definition.ts';
import { compilePattern } from './pattern.ts';

const define = definer('text');

/** A longer one in a long text could take their product in steps. */
const partLengthMax = 256;
/** More parts of one text than anybody looks at. */
const partsMax = 100;

const short = (text: string): string | undefined => (text.length > textLengthMax ? undefined : text);
const tooLong = `Missing when the text is longer than ${textLengthMax} characters`;

/** Functions of text. Places and lengths count characters (Unicode code points), as CEL does. */
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
    doc: `Whether the text has another in it. ${tooLong}, or the other than ${partLengthMax}.`,
    example: 'transaction.description.contains("gift")',
    cost: 12,
    apply: (value: string, part: string) => (part.length > partLengthMax ? undefined : short(value)?.includes(part)),
  }),
  define('string.matches(string): bool', {
    doc: 'Whether a regular expression (RE2 syntax, a literal) matches anywhere in the text, in linear time. Missing when the text is longer than 512 characters.',
    example: 'transaction.reference.matches("^[A-Z]{3}[0-9]+$")',
    apply: prepared,
    prepare: compilePattern,
    isLiteral: true,
  }),
  ...(['string.size(): int', 'size(string): int'] as const).map((signature) =>
    define(signature, {
      doc: `How many characters the text has. Beyond ${textLengthMax}, how many UTF-16 units.`,
      example: signature.startsWith('size')
        ? 'size(transaction.description) > 140'
        : 'transaction.description.size() > 140',
      cost: 12,
      apply: (value: string) => (value.length > textLengthMax ? value.length : codePoints(value)),
    }),
  ),
  define('string.lowerAscii(): string', {
    doc: `The text with A to Z as a to z; other letters stay. ${tooLong}.`,
    example: 'transaction.category.lowerAscii() == "transfer"',
    cost: 24,
    apply: (value: string) => withCase(value, { first: 0x41, shift: 32 }),
  }),
  define('string.upperAscii(): string', {
    doc: `The text with a to z as A to Z; other letters stay. ${tooLong}.`,
    example: 'order.currency.upperAscii() == "MXN"',
    cost: 24,
    apply: (value: string) => withCase(value, { first: 0x61, shift: -32 }),
  }),
  define('string.trim(): string', {
    doc: `The text without spaces, tabs and line ends around it. ${tooLong}.`,
    example: 'transaction.description.trim() == ""',
    cost: 12,
    apply: trim,
  }),
  define('string.indexOf(string): int', {
    doc: `The place of the first occurrence of another text, from 0; -1 when there is none. ${tooLong}, or the other than ${partLengthMax}.`,
    example: 'account.email.indexOf("@") > 30',
    cost: 12,
    apply: (value: string, part: string) => {
      if (part.length > partLengthMax || value.length > textLengthMax) return undefined;
      const at = value.indexOf(part);
      return at <= 0 ? at : codePoints(value.slice(0, at));
    },
  }),
  define('string.substring(int): string', {
    doc: `The text from a place on, counted from 0; missing when the text ends before it. ${tooLong}.`,
    example: 'account.accountNumber.substring(3) == "000123"',
    cost: 24,
    apply: (value: string, from: number) => cut(value, from),
  }),
  define('string.substring(int, int): string', {
    doc: `The text from a place to before another, counted from 0; missing when the text ends before it. ${tooLong}.`,
    example: 'account.accountNumber.substring(0, 3) == "012"',
    cost: 24,
    apply: cut,
  }),
  define('string.replace(string, string): string', {
    doc: `The text with every occurrence of a second replaced by a third. Missing when any is longer than ${textLengthMax} characters, or the outcome is.`,
    example: 'account.phoneNumber.replace(" ", "") == "+525512345678"',
    cost: 40,
    apply: replace,
  }),
  define('string.split(string): list<string>', {
    doc: `The parts of the text between occurrences of another. ${tooLong} or has more than ${partsMax} parts.`,
    example: 'account.email.split("@")[1] == "mailinator.com"',
    cost: 40,
    size: partsMax,
    apply: (value: string, separator: string) => {
      if (value.length > textLengthMax) return undefined;
      const parts = separator === '' ? Array.from(value) : value.split(separator);
      return parts.length > partsMax ? undefined : parts;
    },
  }),
  ...(['list<string>.join(): string', 'list<string>.join(string): string'] as const).map((signature) =>
    define(signature, {
      doc: `The texts one after the other${signature.includes('(string)') ? ', another text between them' : ''}. Missing when the outcome is longer than ${textLengthMax} characters.`,
      example: '[account.bank, account.accountNumber].join("/") == payee.id',
      cost: 40,
      apply: join,
    }),
  ),
];

/** Characters (Unicode code points) of a text. */
export function codePoints(value: string): number {
  let count = 0;
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}

/** How many UTF-16 units one call of `fromCharCode` takes without trouble. */
const chunk = 1_024;

/** Moves the 26 letters from `first` on by `shift`. */
function withCase(value: string, { first, shift }: { first: number; shift: number }): Value {
  if (value.length > textLengthMax) return undefined;
  let cased = '';
  for (let from = 0; from < value.length; from += chunk) {
    const units: number[] = [];
    for (let at = from; at < Math.min(value.length, from + chunk); at++) {
      const unit = value.charCodeAt(at);
      units.push(unit >= first && unit < first + 26 ? unit + shift : unit);
    }
    cased += String.fromCharCode(...units);
  }
  return cased;
}

const blanks = new Set([' ', '\t', '\r', '\n']);

function trim(value: string): Value {
  if (value.length > textLengthMax) return undefined;
  let [from, to] = [0, value.length];
  while (from < to && blanks.has(value.charAt(from))) from++;
  while (to > from && blanks.has(value.charAt(to - 1))) to--;
  return value.slice(from, to);
}

function cut(value: string, from: number, to?: number): Value {
  if (value.length > textLengthMax) return undefined;
  const characters = Array.from(value);
  const end = to ?? characters.length;
  return from < 0 || from > end || end > characters.length ? undefined : characters.slice(from, end).join('');
}

function replace(value: string, part: string, other: string): Value {
  if (Math.max(value.length, part.length, other.length) > textLengthMax) return undefined;
  const parts = part === '' ? ['', ...Array.from(value), ''] : value.split(part);
  const length = value.length + (parts.length - 1) * (other.length - part.length);
  return length > textLengthMax ? undefined : parts.join(other);
}

function join(texts: readonly string[], separator = ''): Value {
  const length = texts.reduce((sum, one) => sum + one.length + separator.length, 0);
  return length > textLengthMax ? undefined : texts.join(separator);
}
