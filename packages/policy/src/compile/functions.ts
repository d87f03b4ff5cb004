import { dayMs, type Decimal, hourMs, minuteMs, parseDecimal, secondMs } from '@ringfence/contract';
import { parseDuration } from '../duration.ts';
import type { FactType, FactValue } from '../policy.ts';
import { dayOfMonth, parseTimestamp } from '../timestamp.ts';
import { decimalOf, doubleOf } from './numbers.ts';
import { compilePattern } from './pattern.ts';

/** Texts longer than this are missing to the functions that search or copy them, so that no event can make a rule slow. */
export const textLengthMax = 4_096;

/** A function or method of conditions. With a missing argument it is missing. */
export interface FunctionDefinition {
  readonly name: string;
  /** The type it is a method of; `undefined` for a plain function. */
  readonly receiver: FactType | undefined;
  readonly params: readonly FactType[];
  readonly result: FactType;
  readonly doc: string;
  readonly example: string;
  /** Steps of about 10 ns that a call may take, at most. */
  readonly cost: number;
  /** Of its values (receiver first) the answer; `undefined` is missing. */
  readonly apply: (...values: never[]) => FactValue;
  /** Its last parameter is a literal, looked at once when the policy is checked. */
  readonly prepare?: (literal: string) => Prepared | { readonly wrong: string; readonly suggestion: string };
}

/** The function of the remaining values. */
export interface Prepared {
  readonly apply: (...values: never[]) => FactValue;
  readonly cost: number;
}

type Shape = Pick<FunctionDefinition, 'name' | 'receiver' | 'params' | 'result'>;

/** Reads `string.contains(string): bool` and `int(string): int`. */
function shape(signature: string): Shape {
  const [, receiver, name = '', params = '', result = ''] = /^(?:(\w+)\.)?(\w+)\((.*)\): (\w+)$/.exec(signature) ?? [];
  return {
    name,
    receiver: receiver as FactType | undefined,
    params: params === '' ? [] : (params.split(', ') as FactType[]),
    result: result as FactType,
  };
}

type Details = Pick<FunctionDefinition, 'doc' | 'example' | 'apply'> &
  Partial<Pick<FunctionDefinition, 'cost' | 'prepare'>>;

function define(signature: string, details: Details): FunctionDefinition {
  return { ...shape(signature), cost: 3, ...details };
}

/** Never called: the literal was prepared when the policy was checked. */
const prepared = (): undefined => undefined;

const bounded = (text: string): string | undefined => (text.length > textLengthMax ? undefined : text);

const text: readonly FunctionDefinition[] = [
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
    doc: `Whether the text has another in it. Missing when the text is longer than ${textLengthMax} characters or the other than 256.`,
    example: 'transaction.description.contains("gift")',
    cost: 8,
    // A long needle in a long text could take their product in steps.
    apply: (value: string, part: string) => (part.length > 256 ? undefined : bounded(value)?.includes(part)),
  }),
  define('string.matches(string): bool', {
    doc: 'Whether a regular expression (RE2 syntax, a literal) matches anywhere in the text, in linear time. Missing when the text is longer than 512 characters.',
    example: 'transaction.reference.matches("^[A-Z]{3}[0-9]+$")',
    apply: prepared,
    prepare: compilePattern,
  }),
  define('string.size(): int', {
    doc: 'How many characters (Unicode code points) the text has.',
    example: 'transaction.description.size() > 140',
    cost: 8,
    apply: codePoints,
  }),
  define('size(string): int', {
    doc: 'How many characters (Unicode code points) the text has.',
    example: 'size(transaction.description) > 140',
    cost: 8,
    apply: codePoints,
  }),
  define('string.lowerAscii(): string', {
    doc: `The text with A to Z as a to z; other letters stay. Missing when it is longer than ${textLengthMax} characters.`,
    example: 'transaction.category.lowerAscii() == "transfer"',
    cost: 16,
    apply: (value: string) =>
      bounded(value)?.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32)),
  }),
  define('string.upperAscii(): string', {
    doc: `The text with a to z as A to Z; other letters stay. Missing when it is longer than ${textLengthMax} characters.`,
    example: 'order.currency.upperAscii() == "MXN"',
    cost: 16,
    apply: (value: string) =>
      bounded(value)?.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 32)),
  }),
  define('string.trim(): string', {
    doc: `The text without spaces, tabs and line ends around it. Missing when it is longer than ${textLengthMax} characters.`,
    example: 'transaction.description.trim() == ""',
    cost: 8,
    apply: (value: string) =>
      bounded(value)
        ?.replace(/^[ \t\r\n]+/, '')
        .replace(/(?<![ \t\r\n])[ \t\r\n]+$/, ''),
  }),
];

function codePoints(value: string): number {
  let count = 0;
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}

const maps: readonly FunctionDefinition[] = [
  define('map.size(): int', {
    doc: 'How many members the map has.',
    example: 'transaction.details.size() > 20',
    apply: (value: ReadonlyMap<string, string>) => value.size,
  }),
  define('size(map): int', {
    doc: 'How many members the map has.',
    example: 'size(transaction.details) > 20',
    apply: (value: ReadonlyMap<string, string>) => value.size,
  }),
];

const integer = /^-?[0-9]{1,15}$/;
const wholeDigits = { integerDigits: 18, scale: 12 } as const;

const conversions: readonly FunctionDefinition[] = [
  define('int(int): int', { doc: 'The same number.', example: 'int(5)', apply: (value: number) => value }),
  define('int(double): int', {
    doc: 'The number without what stands after its point.',
    example: 'int(2.9) == 2',
    apply: (value: number) => safe(Math.trunc(value)),
  }),
  define('int(decimal): int', {
    doc: 'The number without what stands after its point.',
    example: 'int(order.amount) % 100 == 0',
    apply: (value: Decimal) => safe(Number(value / 1_000_000_000_000n)),
  }),
  define('int(string): int', {
    doc: 'The whole number that the text is; missing when it is none of at most 15 digits.',
    example: 'int(transaction.details["installments"]) > 12',
    apply: (value: string) => (integer.test(value) ? Number(value) + 0 : undefined),
  }),
  define('double(int): double', {
    doc: 'The same number.',
    example: 'double(client.logins) / 2.0',
    apply: (value: number) => value,
  }),
  define('double(double): double', {
    doc: 'The same number.',
    example: 'double(0.5)',
    apply: (value: number) => value,
  }),
  define('double(decimal): double', { doc: 'The nearest double.', example: 'double(order.amount)', apply: doubleOf }),
  define('decimal(int): decimal', { doc: 'The same number.', example: 'decimal(5)', apply: decimalOf }),
  define('decimal(double): decimal', {
    doc: 'The number by its shortest digits, to 12 places.',
    example: 'decimal(0.1)',
    apply: decimalOf,
  }),
  define('decimal(decimal): decimal', {
    doc: 'The same number.',
    example: 'decimal(order.amount)',
    apply: (value: Decimal) => value,
  }),
  define('decimal(string): decimal', {
    doc: 'The decimal number that the text is; missing when it is none of at most 18 digits before the point and 12 after it.',
    example: 'decimal(transaction.details["fee"]) > 10',
    apply: (value: string) => parseDecimal(value, wholeDigits),
  }),
];

function safe(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}

const times: readonly FunctionDefinition[] = [
  define('duration(string): duration', {
    doc: 'A duration, from a literal; `15m` alone says the same.',
    example: 'duration("15m")',
    apply: prepared,
    prepare: (literal) => {
      const ms = parseDuration(literal);
      return ms === undefined
        ? { wrong: `"${literal}" is not a duration`, suggestion: 'units in order, such as 15m, 1h30m or 7d' }
        : { apply: () => ms, cost: 1 };
    },
  }),
  define('timestamp(string): timestamp', {
    doc: 'An instant, from a literal in RFC 3339 with zone.',
    example: 'event.at >= timestamp("2026-12-24T00:00:00-06:00")',
    apply: prepared,
    prepare: (literal) => {
      const at = parseTimestamp(literal);
      return at === undefined
        ? { wrong: `"${literal}" is not an instant`, suggestion: 'such as 2026-01-31T00:00:00Z' }
        : { apply: () => at, cost: 1 };
    },
  }),
  whole('getHours', 'How many whole hours the span has.', hourMs),
  whole('getMinutes', 'How many whole minutes the span has.', minuteMs),
  whole('getSeconds', 'How many whole seconds the span has.', secondMs),
  ...clock('getHours', 'The hour of the day, 0 to 23', (atMs) => Math.floor(modulo(atMs, dayMs) / hourMs)),
  ...clock('getMinutes', 'The minute of the hour, 0 to 59', (atMs) => Math.floor(modulo(atMs, hourMs) / minuteMs)),
  ...clock('getDate', 'The day of the month, 1 to 31', dayOfMonth),
  // 1970-01-01 was a Thursday, day 4.
  ...clock('getDayOfWeek', 'The day of the week, 0 (Sunday) to 6', (atMs) => modulo(Math.floor(atMs / dayMs) + 4, 7)),
];

function whole(name: string, doc: string, unitMs: number): FunctionDefinition {
  return define(`duration.${name}(): int`, {
    doc,
    example: `session.age.${name}() > 5`,
    apply: (ms: number) => Math.trunc(ms / unitMs) + 0,
  });
}

function clock(name: string, doc: string, read: (atMs: number) => number): readonly FunctionDefinition[] {
  return [
    define(`timestamp.${name}(): int`, { doc: `${doc}, in UTC.`, example: `event.at.${name}() == 3`, apply: read }),
    define(`timestamp.${name}(string): int`, {
      doc: `${doc}, at an offset from UTC, given as a literal.`,
      example: `event.at.${name}("-06:00") == 3`,
      apply: prepared,
      prepare: (literal) => {
        const offsetMs = parseOffset(literal);
        if (offsetMs !== undefined) return { apply: (atMs: number) => read(atMs + offsetMs), cost: 3 };
        // Zones with summer time follow tables that change from year to year; a decision must not.
        return {
          wrong: `"${literal}" is not an offset`,
          suggestion: 'an offset such as "-06:00"; zones by name are not known here',
        };
      },
    }),
  ];
}

function parseOffset(text: string): number | undefined {
  const match = /^([+-])(0\d|1[0-4]):([0-5]\d)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hours = '0', minutes = '0'] = match;
  return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * minuteMs);
}

/** Never negative. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

/** Every function of conditions, but the forms in `forms.ts`. The reference page is generated from it. */
export const functionDefinitions: readonly FunctionDefinition[] = [...text, ...maps, ...conversions, ...times];
