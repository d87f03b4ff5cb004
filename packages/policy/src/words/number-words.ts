import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { readable, wordingOf } from '../values/readable.ts';
import type { WordLanguage } from './language.ts';

/** The largest first, each with one and several. */
const units: readonly (readonly [ms: number, en: readonly [string, string], es: readonly [string, string]])[] = [
  [dayMs, ['day', 'days'], ['día', 'días']],
  [hourMs, ['hour', 'hours'], ['hora', 'horas']],
  [minuteMs, ['minute', 'minutes'], ['minuto', 'minutos']],
  [secondMs, ['second', 'seconds'], ['segundo', 'segundos']],
];

/** A window as it is written: `90 days`, `1 hour`, `36 hours`. */
export function spanWords(ms: number, language: WordLanguage): string {
  const [unitMs] = units.find(([size]) => ms % size === 0) ?? [secondMs];
  return counted(ms / unitMs, unitMs, language);
}

/** A measured time in its largest unit, a small count with one place: `3 days`, `1.5 hours`, `0 seconds`. */
export function timeWords(ms: number, language: WordLanguage): string {
  const [unitMs] = units.find(([size]) => Math.abs(ms) >= size) ?? [secondMs];
  return counted(rounded(ms / unitMs), unitMs, language);
}

function counted(count: number, unitMs: number, language: WordLanguage): string {
  const [, en, es] = units.find(([ms]) => ms === unitMs)!;
  const [one, many] = language === 'es' ? es : en;
  return `${numberWords(count, language)} ${count === 1 ? one : many}`;
}

/** At most two places, with the separators of the language. */
export function numberWords(value: number, language: WordLanguage): string {
  return readable(value, 'double', { wording: wordingOf(language), money: undefined });
}

/** `4,200.00 MXN` */
export function moneyWords(value: number, currency: string | undefined, language: WordLanguage): string {
  const digits = readable(value, 'double', { wording: wordingOf(language), money: { currency } });
  return currency === undefined ? digits : `${digits} ${currency}`;
}

/** `12 %`: a share of 1. */
export function shareWords(share: number, language: WordLanguage): string {
  return `${numberWords(rounded(share * 100), language)} %`;
}

/** Large enough to do without places. */
const wholeFrom = 10;

/** To one place, from 10 to none; a small number keeps two digits. */
export function rounded(value: number): number {
  const size = Math.abs(value);
  if (size >= wholeFrom) return Math.round(value);
  return size >= 1 || size === 0 ? Math.round(value * 10) / 10 : Number(value.toPrecision(2));
}
