import { minuteMs } from './time.ts';

/** An ISO 8601 date-time as written. */
export interface IsoDate {
  /** The local date and time, as milliseconds since 1970-01-01T00:00 local time. */
  readonly localMs: number;
  /** East of UTC; `undefined` when the text contains no zone. */
  readonly offsetMs: number | undefined;
}

/** The format that `parseIsoDate` accepts, for error messages and the schema. */
export const isoDateExpected =
  'an ISO 8601 date-time of the years 2000 to 2099, for example 2026-11-21T10:15:30.250-06:00; the zone is optional';

const zonePattern = '(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?';
const fractionPattern = '(?:[.,][0-9]{1,9})?';

/**
 * The forms that `parseIsoDate` accepts, and "", as a regular expression for the schema. It accepts days that no calendar has,
 * which the parser refuses.
 */
export const isoDatePattern =
  `^(?:20[0-9]{2}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}${fractionPattern})?${zonePattern})?` +
  `|20[0-9]{6}(?:[Tt ][0-9]{4}(?:[0-9]{2}${fractionPattern})?${zonePattern})?|)$`;

/**
 * Years outside are a mistake of the sender (a zero date, seconds taken for milliseconds), and no window reaches them.
 */
const yearMin = 2000;
const yearMax = 2099;
/** No clock is more precise. Digits beyond the third are parsed and dropped. */
const fractionDigitsMax = 9;
/** The largest offset from UTC, with a margin beyond the zones in use. */
const offsetHoursMax = 18;

const daysOfMonth: readonly number[] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Parses an ISO 8601 calendar date with or without a time (a date without one is midnight), in the extended
 * (`2026-11-21T10:15:30`) or the basic form (`20261121T101530`), with or without a fraction of a second and a zone
 * (`Z`, `-06:00`, `-0600`, `-06`). One space may replace the T (RFC 3339, 5.6): databases print it.
 *
 * Not supported: week dates, ordinal dates, hour 24, leap seconds, fractions of hours and minutes.
 *
 * @returns the date, or a sentence that describes the error
 */
export function parseIsoDate(text: string): IsoDate | string {
  const year = digits(text, 0, 4);
  const extended = text.charCodeAt(4) === 0x2d;
  const monthAt = extended ? 5 : 4;
  const month = digits(text, monthAt, 2);
  const dayAt = extended ? 8 : 6;
  const day = digits(text, dayAt, 2);
  if (year < 0 || month < 0 || day < 0 || (extended && text.charCodeAt(7) !== 0x2d)) return oddDate(text);
  if (year < yearMin || year > yearMax) return `The year is outside ${yearMin} to ${yearMax}.`;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return 'There is no such day in the calendar.';
  const dayMs = Date.UTC(year, month - 1, day);
  if (text.length === dayAt + 2) return { localMs: dayMs, offsetMs: undefined };
  return parseTime(text, dayAt + 2, { dayMs, extended });
}

/** Whether a text that `parseIsoDate` accepts is a date without a time. */
export function isDateAlone(text: string): boolean {
  return text.length <= '2026-11-21'.length;
}

function parseTime(text: string, at: number, date: { dayMs: number; extended: boolean }): IsoDate | string {
  const separator = text.charCodeAt(at);
  if (separator !== 0x54 && separator !== 0x74 && separator !== 0x20)
    return 'The date must be followed by T and a time.';
  const colon = date.extended ? 1 : 0;
  const hour = digits(text, at + 1, 2);
  const minute = digits(text, at + 3 + colon, 2);
  if (hour < 0 || minute < 0 || (date.extended && text.charCodeAt(at + 3) !== 0x3a)) return 'The time is incomplete.';
  if (hour > 23 || minute > 59) return 'There is no such time of day.';
  let end = at + 5 + colon;
  let second = 0;
  let millisecond = 0;
  const code = text.charCodeAt(end);
  if (date.extended ? code === 0x3a : isDigit(code)) {
    second = digits(text, end + colon, 2);
    if (second < 0) return 'The time is incomplete.';
    if (second > 59) return 'There is no such time of day.';
    end += 2 + colon;
    const fractionEnd = endOfFraction(text, end);
    if (fractionEnd < 0) return `The fraction of the second must have 1 to ${fractionDigitsMax} digits.`;
    if (fractionEnd > end) millisecond = Number(text.slice(end + 1, Math.min(fractionEnd, end + 4)).padEnd(3, '0'));
    end = fractionEnd;
  }
  const offsetMs = parseOffset(text, end);
  if (typeof offsetMs === 'string') return offsetMs;
  return { localMs: date.dayMs + hour * 3_600_000 + minute * minuteMs + second * 1_000 + millisecond, offsetMs };
}

/** `undefined` when the text ends here: no zone. */
function parseOffset(text: string, at: number): number | undefined | string {
  if (at === text.length) return undefined;
  const code = text.charCodeAt(at);
  if ((code === 0x5a || code === 0x7a) && at + 1 === text.length) return 0;
  if (code !== 0x2b && code !== 0x2d) return 'The text after the time is not a zone.';
  const hours = digits(text, at + 1, 2);
  const colon = text.charCodeAt(at + 3) === 0x3a ? 1 : 0;
  const short = text.length === at + 3;
  const minutes = short ? 0 : digits(text, at + 3 + colon, 2);
  if (hours < 0 || minutes < 0 || (!short && text.length !== at + 5 + colon))
    return 'The zone must have the form ±hh:mm.';
  if (hours > offsetHoursMax || minutes > 59) return 'There is no such zone.';
  const offsetMs = (hours * 60 + minutes) * minuteMs;
  return code === 0x2b ? offsetMs : 0 - offsetMs;
}

/** The end of the fraction that starts at `at`; `at` when there is none, -1 when it is malformed. */
function endOfFraction(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code !== 0x2e && code !== 0x2c) return at;
  let end = at + 1;
  while (isDigit(text.charCodeAt(end))) end++;
  const count = end - at - 1;
  return count === 0 || count > fractionDigitsMax ? -1 : end;
}

function oddDate(text: string): string {
  if (/^\d{4}-?W/i.test(text)) return 'Week dates are not supported.';
  if (/^\d{4}-?\d{3}(?!\d)/.test(text)) return 'Ordinal dates are not supported.';
  return 'This is not an ISO 8601 date.';
}

/** Every fourth supported year is a leap year: 2000 is one, and 2100 is out of range. */
function daysIn(year: number, month: number): number {
  return month === 2 && year % 4 === 0 ? 29 : daysOfMonth[month - 1]!;
}

/** The number in the `count` digits at `at`; -1 when they are not all digits. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const code = text.charCodeAt(index);
    if (!isDigit(code)) return -1;
    value = value * 10 + (code - 0x30);
  }
  return value;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
