import { type Decimal, decimalOne, formatDecimal, parseDecimal } from '@ringfence/contract';
import { isTimestamp, formatTimestamp } from '../../values/timestamp.ts';
import { secondMs } from '@ringfence/contract';
import { hashCost, textLengthMax, workedLength } from '../bounds.ts';
import { type Integer, integer, intRange, truncated, uintRange } from '../../values/integers.ts';
import { decimalOf, decimalOfInteger, doubleOf } from '../numbers.ts';
import type { Value } from '../value.ts';
import { definer, type FunctionDefinition } from './definition.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

const define = definer('conversion');

const same = <Given extends Value>(value: Given): Given => value;
const wholeDigits = { integerDigits: 18, scale: 12 } as const;
const wholeNumber = /^[+-]?[0-9]{1,20}$/;
const number = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$/;
/** Long enough for every number that has a value. */
const numberLengthMax = 400;
/** Longer than any printed number, instant or span. */
const printedMax = 64;

/** Conversions from any type to the type they are named after. A value that can't be converted is missing. */
export const conversions: readonly FunctionDefinition[] = [
  define('int(int): int', { doc: 'The same number.', example: 'int(5)', apply: same<Integer> }),
  define('int(uint): int', {
    doc: 'The same number; missing beyond 2^63 - 1.',
    example: 'int(5u)',
    apply: (value: Integer) => integer(BigInt(value), intRange),
  }),
  define('int(double): int', {
    doc: 'The number without its decimal places.',
    example: 'int(2.9) == 2',
    apply: (value: number) => truncated(value, intRange),
  }),
  define('int(decimal): int', {
    doc: 'The number without its decimal places.',
    example: 'int(order.amount) % 100 == 0',
    apply: (value: Decimal) => integer(value / decimalOne, intRange),
  }),
  define('int(string): int', {
    doc: 'The whole number in the text; missing if it is not a number of 64 bits.',
    example: 'int(transaction.details["installments"]) > 12',
    apply: (value: string) => (wholeNumber.test(value) ? integer(BigInt(unsigned(value)), intRange) : undefined),
  }),
  define('int(timestamp): int', {
    doc: 'Seconds since the beginning of 1970 in UTC.',
    example: 'int(event.at) > 1767225600',
    apply: (atMs: number) => Math.floor(atMs / secondMs),
  }),
  define('uint(uint): uint', { doc: 'The same number.', example: 'uint(5u)', apply: same<Integer> }),
  define('uint(int): uint', {
    doc: 'The same number; missing if it is below 0.',
    example: 'uint(5)',
    apply: (value: Integer) => integer(BigInt(value), uintRange),
  }),
  define('uint(double): uint', {
    doc: 'The number without its decimal places; missing if it is below 0.',
    example: 'uint(2.9) == 2u',
    apply: (value: number) => (value < 0 ? undefined : truncated(value, uintRange)),
  }),
  define('uint(string): uint', {
    doc: 'The unsigned number in the text; missing if it is not a number of 64 bits.',
    example: 'uint("5") == 5u',
    apply: (value: string) => (wholeNumber.test(value) ? integer(BigInt(unsigned(value)), uintRange) : undefined),
  }),
  define('double(int): double', { doc: 'The nearest double.', example: 'double(client.logins) / 2.0', apply: Number }),
  define('double(uint): double', { doc: 'The nearest double.', example: 'double(5u)', apply: Number }),
  define('double(double): double', { doc: 'The same number.', example: 'double(0.5)', apply: same<number> }),
  define('double(decimal): double', { doc: 'The nearest double.', example: 'double(order.amount)', apply: doubleOf }),
  define('double(string): double', {
    doc: 'The number in the text; missing if there is none.',
    example: 'double(transaction.details["latitude"]) > 23.5',
    apply: (value: string) => {
      const parsed = value.length <= numberLengthMax && number.test(value) ? Number(value) : Number.NaN;
      return Number.isFinite(parsed) ? parsed : undefined;
    },
  }),
  define('decimal(int): decimal', { doc: 'The same number.', example: 'decimal(5)', apply: decimalOfInteger }),
  define('decimal(uint): decimal', { doc: 'The same number.', example: 'decimal(5u)', apply: decimalOfInteger }),
  define('decimal(double): decimal', {
    doc: 'The number by its shortest digits, rounded to 12 places.',
    example: 'decimal(0.1)',
    apply: decimalOf,
  }),
  define('decimal(decimal): decimal', {
    doc: 'The same number.',
    example: 'decimal(order.amount)',
    apply: same<Decimal>,
  }),
  define('decimal(string): decimal', {
    doc: 'The decimal number in the text; missing if it is not a number of at most 18 digits before the point and 12 after it.',
    example: 'decimal(transaction.details["fee"]) > 10',
    cost: 15,
    apply: (value: string) => parseDecimal(value, wholeDigits),
  }),
  define('bool(bool): bool', { doc: 'The same value.', example: 'bool(true)', apply: same<boolean> }),
  define('bool(string): bool', {
    doc: 'True for `true`, `True`, `TRUE`, `t` and `1`, false for `false`, `False`, `FALSE`, `f` and `0`; missing for any other text.',
    example: 'bool(transaction.details["recurring"])',
    cost: (value) => 3 + hashCost(value.length),
    apply: (value: string) => truths.get(value),
  }),
  define('string(string): string', { doc: 'The same text.', example: 'string("a") == "a"', apply: same<string> }),
  define('string(int): string', {
    doc: 'Its digits.',
    example: 'string(channelId) == "1"',
    length: () => printedMax,
    apply: String,
  }),
  define('string(uint): string', {
    doc: 'Its digits.',
    example: 'string(1u) == "1"',
    length: () => printedMax,
    apply: String,
  }),
  define('string(double): string', {
    doc: 'Its shortest digits.',
    example: 'string(0.5) == "0.5"',
    length: () => printedMax,
    apply: String,
  }),
  define('string(decimal): string', {
    doc: 'Its shortest digits.',
    example: 'string(order.amount) == "10.1"',
    length: () => printedMax,
    apply: (value: Decimal) => formatDecimal(value),
  }),
  define('string(bool): string', {
    doc: '`true` or `false`.',
    example: 'string(client.known) == "true"',
    length: () => printedMax,
    apply: String,
  }),
  define('string(bytes): string', {
    doc: 'The text of the bytes in UTF-8; missing if they are not valid UTF-8.',
    example: 'string(b"abc") == "abc"',
    cost: (value) => 15 + 2 * value.length,
    apply: decodeUtf8,
  }),
  define('string(timestamp): string', {
    doc: 'RFC 3339 in UTC.',
    example: 'string(event.at).startsWith("2026")',
    cost: 40,
    length: () => printedMax,
    apply: formatTimestamp,
  }),
  define('string(duration): string', {
    doc: 'Its seconds: `90s`, `0.5s`.',
    example: 'string(90s) == "90s"',
    cost: 20,
    length: () => printedMax,
    apply: (ms: number) => `${ms / secondMs}s`,
  }),
  define('bytes(bytes): bytes', { doc: 'The same bytes.', example: 'bytes(b"a") == b"a"', apply: same<Uint8Array> }),
  define('bytes(string): bytes', {
    doc: `The text in UTF-8. Missing if it is longer than ${textLengthMax} characters.`,
    example: 'bytes("a") == b"a"',
    cost: (value) => 15 + workedLength(value.length),
    length: (value) => 3 * workedLength(value.length),
    apply: (value: string) => (value.length > textLengthMax ? undefined : encodeUtf8(value)),
  }),
  define('timestamp(timestamp): timestamp', {
    doc: 'The same instant.',
    example: 'timestamp(event.at) == event.at',
    apply: same<number>,
  }),
  define('timestamp(int): timestamp', {
    doc: 'The instant that is this many seconds after the beginning of 1970 in UTC.',
    example: 'event.at > timestamp(1767225600)',
    apply: (seconds: Integer) => {
      const atMs = Number(seconds) * secondMs;
      return isTimestamp(atMs) ? atMs : undefined;
    },
  }),
  define('duration(duration): duration', {
    doc: 'The same span.',
    example: 'duration(90s) == 90s',
    apply: same<number>,
  }),
];

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'True', 'TRUE', 't', '1'].map((text): [string, boolean] => [text, true]),
  ...['false', 'False', 'FALSE', 'f', '0'].map((text): [string, boolean] => [text, false]),
]);

/** BigInt accepts a minus sign, but no plus sign. */
function unsigned(text: string): string {
  return text.startsWith('+') ? text.slice(1) : text;
}
