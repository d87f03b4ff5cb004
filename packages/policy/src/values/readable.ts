import { currencyPlaces, type Decimal, decimalOne, hourMs, minuteMs, secondMs, dayMs } from '@ringfence/contract';
import type { FactType, FactValue } from '../facts/fact-value.ts';
import { printFact } from '../facts/print-fact.ts';
import { formatTimestamp } from './timestamp.ts';

/** How a language writes values. The same on every machine: no locale is read. */
export interface Wording {
  /** For a value that an event lacks. */
  readonly missing: string;
  readonly yes: string;
  readonly no: string;
  /** Between groups of three digits. */
  readonly group: string;
  readonly point: string;
}

type Words = Pick<Wording, 'missing' | 'yes' | 'no'>;

const english: Words = { missing: 'unknown', yes: 'yes', no: 'no' };

/** Other languages use the English words. */
const words: ReadonlyMap<string, Words> = new Map([
  ['en', english],
  ['es', { missing: 'desconocido', yes: 'sí', no: 'no' }],
  ['pt', { missing: 'desconhecido', yes: 'sim', no: 'não' }],
  ['fr', { missing: 'inconnu', yes: 'oui', no: 'non' }],
  ['de', { missing: 'unbekannt', yes: 'ja', no: 'nein' }],
  ['it', { missing: 'sconosciuto', yes: 'sì', no: 'no' }],
]);

/** Languages, and regions of a language, that write 1.234,56. All others write 1,234.56, among them Spanish as in Mexico. */
const commas: ReadonlySet<string> = new Set(
  'de el id it nl pt tr es-AR es-BO es-CL es-CO es-EC es-ES es-PY es-UY es-VE'.split(' '),
);

/** @param language a language tag of BCP 47 */
export function wordingOf(language: string): Wording {
  const [primary = ''] = language.split('-');
  const isComma = commas.has(language) || commas.has(primary);
  return { ...(words.get(primary) ?? english), group: isComma ? '.' : ',', point: isComma ? ',' : '.' };
}

/**
 * A value in the form that people read: `25,000.00`, `802 ms`, `3 min`, `2 d`, `2026-11-21 02:14 UTC`. Decimals have at
 * most two places, and money those of its currency.
 *
 * @param currency for an amount of money: its code, or undefined if it is not known
 */
export function readable(
  value: NonNullable<FactValue>,
  type: FactType,
  of: { readonly wording: Wording; readonly money: { readonly currency: string | undefined } | undefined },
): string {
  const { wording, money } = of;
  const places = money === undefined ? undefined : currencyPlaces(money.currency ?? '');
  switch (type) {
    case 'bool':
      return value === true ? wording.yes : wording.no;
    case 'int':
      return grouped(printFact(value, type), wording);
    case 'double':
      return readableDouble(value as number, places, wording);
    case 'decimal':
      return readableDecimal(value as Decimal, places, wording);
    case 'duration':
      return readableDuration(value as number);
    case 'timestamp':
      return formatTimestamp(value as number).replace(/^(\S+)T(\d\d:\d\d).*$/, '$1 $2 UTC');
    default:
      return printFact(value, type);
  }
}

/** The places of a number that is not money. */
const placesMax = 2;

function readableDecimal(value: Decimal, places: number | undefined, wording: Wording): string {
  const digits = places ?? placesMax;
  const unit = decimalOne / 10n ** BigInt(digits);
  const size = value < 0n ? 0n - value : value;
  const units = (size + unit / 2n) / unit;
  // A small number that is not 0 does not become 0.
  if (units === 0n && size > 0n) return grouped(printFact(value, 'decimal'), wording);
  const text = String(units).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const fraction = text.slice(text.length - digits);
  const shown = places === undefined ? fraction.replace(/0+$/, '') : fraction;
  return grouped(`${value < 0n ? '-' : ''}${whole}${shown === '' ? '' : `.${shown}`}`, wording);
}

/** Above this, a number has no digits after the point, and `toFixed` writes an exponent. */
const fixedMax = 1e15;

function readableDouble(value: number, places: number | undefined, wording: Wording): string {
  if (!(Math.abs(value) < fixedMax)) return String(value);
  const text = value.toFixed(places ?? placesMax);
  if (Number(text) === 0 && value !== 0) return grouped(String(value), wording);
  return grouped(places === undefined && text.includes('.') ? text.replace(/\.?0+$/, '') : text, wording);
}

/** Digits of a number with the language's separators. A number with an exponent stays as it is. */
function grouped(digits: string, { group, point }: Wording): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits);
  if (match === null) return digits;
  const [, sign = '', whole = '', fraction] = match;
  return `${sign}${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group)}${fraction === undefined ? '' : point + fraction}`;
}

/** The largest first. Each is followed by the next one while its count is small: `1 h 30 min`, but `14 h`. */
const units: readonly (readonly [unit: string, ms: number])[] = [
  ['d', dayMs],
  ['h', hourMs],
  ['min', minuteMs],
  ['s', secondMs],
  ['ms', 1],
];
const smallCount = 9;

/** Rounded down, with symbols that are the same in all languages. */
function readableDuration(ms: number): string {
  const size = Math.abs(ms);
  const sign = ms < 0 ? '-' : '';
  const at = units.findIndex(([, unitMs]) => size >= unitMs);
  const [unit, unitMs] = units[at] ?? ['s', secondMs];
  const count = Math.floor(size / unitMs);
  const next = count > smallCount || unit === 's' ? undefined : units[at + 1];
  const rest = next === undefined || at < 0 ? 0 : Math.floor((size % unitMs) / next[1]);
  return `${sign}${count} ${unit}${rest === 0 ? '' : ` ${rest} ${next![0]}`}`;
}
