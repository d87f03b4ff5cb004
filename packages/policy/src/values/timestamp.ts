import { dayMs, type EpochMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';

/*
 * Instants without `Date`, whose parser accepts more than the standard and reads the machine's zone. Days are counted
 * by the civil calendar's 400-year cycle of 146,097 days, with years that begin in March, so that a leap day comes
 * last.
 */

const daysPerEra = 146_097;
/** Days from 0000-03-01 to 1970-01-01. */
const epochDay = 719_468;
const daysBeforeMonth = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275] as const;

const grammar = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** The range of CEL's timestamps: from 0001-01-01T00:00:00Z to the end of 9999. */
const timestampBounds = { minMs: -62_135_596_800_000, maxMs: 253_402_300_799_999 } as const;

/**
 * Parses an RFC 3339 date-time with zone, without fractions of a millisecond; `undefined` for any other text, for days
 * that don't exist, and out of range.
 */
export function parseTimestamp(text: string): EpochMs | undefined {
  const match = grammar.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = '', sign = '+', zoneHours = '0', zoneMinutes = '0'] = match.slice(7);
  const days = daysOf(year, month, day);
  const zoneMs = Number(zoneHours) * hourMs + Number(zoneMinutes) * minuteMs;
  if (days === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  if (Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return undefined;
  const localMs =
    days * dayMs + hour * hourMs + minute * minuteMs + second * secondMs + Number(fraction.slice(0, 3).padEnd(3, '0'));
  const atMs = sign === '-' ? localMs + zoneMs : localMs - zoneMs;
  return isTimestamp(atMs) ? (atMs as EpochMs) : undefined;
}

/** Whether it is within the range. */
export function isTimestamp(atMs: number): boolean {
  return atMs >= timestampBounds.minMs && atMs <= timestampBounds.maxMs;
}

/** The day of the year, 0 to 365. */
export function dayOfYear(daysSinceEpoch: number): number {
  return daysSinceEpoch - (daysOf(dateOf(daysSinceEpoch).year, 1, 1) ?? 0);
}

/** RFC 3339 in UTC: `2026-11-21T02:14:00Z`, with three decimal places if the seconds are not whole. */
export function formatTimestamp(atMs: number): string {
  const days = Math.floor(atMs / dayMs);
  const { year, month, day } = dateOf(days);
  const restMs = atMs - days * dayMs;
  const clock = [restMs / hourMs, (restMs / minuteMs) % 60, (restMs / secondMs) % 60]
    .map((part) => digits(part, 2))
    .join(':');
  const milliseconds = restMs % secondMs;
  const fraction = milliseconds === 0 ? '' : `.${digits(milliseconds, 3)}`;
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}T${clock}${fraction}Z`;
}

function digits(value: number, count: number): string {
  return String(Math.floor(value)).padStart(count, '0');
}

/** Days since 1970 of a date, months and days from 1; `undefined` for one that does not exist. */
export function daysOf(year: number, month: number, day: number): number | undefined {
  const before = daysBeforeMonth[month - 1];
  if (before === undefined) return undefined;
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + before + day - 1;
  const days = era * daysPerEra + dayOfEra - epochDay;
  const date = dateOf(days);
  return date.month === month && date.day === day ? days : undefined;
}

/** The date of a day, months and days from 1. */
export function dateOf(daysSinceEpoch: number): {
  readonly year: number;
  readonly month: number;
  readonly day: number;
} {
  const shifted = daysSinceEpoch + epochDay;
  const era = Math.floor(shifted / daysPerEra);
  const dayOfEra = shifted - era * daysPerEra;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}
