/** Formats numbers and times in one locale and one time zone. */
export interface Formats {
  /** Date and time to the second. */
  instant(iso: string): string;
  /** Replaces every instant in a sentence of the service by `instant`. */
  sentence(text: string): string;
  /** Time of day to the second. */
  clock(iso: string): string;
  day(iso: string): string;
  number(value: number): string;
  /** Groups the digits of the wire format without losing any, with the minor units of the currency. */
  amount(digits: string, currency?: string): string;
  /** With one decimal digit. */
  tenths(value: number): string;
  percent(share: number): string;
  /** Axis label: the time of day, or the date at midnight. */
  shortTime(iso: string): string;
  /** Elapsed time in its largest unit. */
  ago(iso: string, nowMs: number): string;
  durationMs(value: number): string;
  /** UTC offset of the time zone at an instant: `GMT-6`. */
  zone(nowMs: number): string;
}

const steps = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const;

/**
 * The locale that formats numbers and dates: the first preferred one of the language that names a region. Spanish
 * without a region is Mexican: `1,500.25` in Mexico is `1.500,25` in Spain.
 *
 * @param preferred the languages of the browser, most preferred first
 */
export function regionalTag(language: string, preferred: readonly string[]): string {
  const regional = preferred.find((tag) => tag.toLowerCase().startsWith(`${language}-`));
  return regional ?? (language === 'es' ? 'es-MX' : language);
}

export function formatsOf(language: string, timeZone: string): Formats {
  const instant = new Intl.DateTimeFormat(language, {
    timeZone,
    dateStyle: 'medium',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  const clock = new Intl.DateTimeFormat(language, { timeZone, timeStyle: 'medium', hourCycle: 'h23' });
  const day = new Intl.DateTimeFormat(language, { timeZone, dateStyle: 'medium' });
  const minutes = new Intl.DateTimeFormat(language, { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const shortDay = new Intl.DateTimeFormat(language, { timeZone, day: 'numeric', month: 'short' });
  const zone = new Intl.DateTimeFormat(language, { timeZone, timeZoneName: 'shortOffset' });
  const number = new Intl.NumberFormat(language);
  const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });
  const separator = number.formatToParts(12_345_678.5);
  return {
    instant: (iso) => instant.format(new Date(iso)),
    sentence: (text) => text.replaceAll(instants, (iso) => instant.format(new Date(iso))),
    clock: (iso) => clock.format(new Date(iso)),
    day: (iso) => day.format(new Date(iso)),
    shortTime: (iso) => {
      const time = minutes.format(new Date(iso));
      return time === '00:00' ? shortDay.format(new Date(iso)) : time;
    },
    number: (value) => number.format(value),
    amount: (digits, currency) =>
      [groupDigits(digits, separator, minorUnits(currency)), currency].filter(Boolean).join(' '),
    tenths: (value) => tenths.format(value),
    percent: (share) => percent.format(share),
    ago: (iso, nowMs) => {
      const sinceMs = Math.max(0, nowMs - Date.parse(iso));
      const step = steps.find(({ ms }) => sinceMs >= ms) ?? { unit: 'second', ms: 1_000 };
      return relative.format(-Math.floor(sinceMs / step.ms), step.unit);
    },
    zone: (nowMs) => zone.formatToParts(nowMs).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone,
    durationMs: (value) => (value < 1_000 ? `${Math.round(value)} ms` : `${tenths.format(value / 1_000)} s`),
  };
}

/** Instants as the service writes them, in UTC. */
const instants = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** The decimal places of amounts in a currency: 2 for MXN, 0 for JPY and what is no currency. */
function minorUnits(currency: string | undefined): number {
  if (currency === undefined || !/^[A-Z]{3}$/.test(currency)) return 0;
  const style = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return style.minimumFractionDigits ?? 0;
}

/**
 * Groups by thousands without converting to a floating-point number. Fills up with zeros to these decimal places, and
 * cuts nothing.
 */
function groupDigits(digits: string, parts: readonly Intl.NumberFormatPart[], places: number): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits);
  if (match === null) return digits;
  const [, sign = '', whole = '', written = ''] = match;
  const fraction = written.padEnd(places, '0');
  const group = parts.find(({ type }) => type === 'group')?.value ?? '';
  const point = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group);
  return `${sign}${grouped}${fraction === '' ? '' : `${point}${fraction}`}`;
}
