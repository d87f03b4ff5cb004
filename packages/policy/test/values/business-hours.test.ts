import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { afterBusinessTime, type BusinessHours } from '../../src/values/business-hours.ts';

const weekdays: BusinessHours = {
  days: new Set([1, 2, 3, 4, 5]),
  fromMs: 8 * hourMs,
  toMs: 18 * hourMs,
  holidays: new Set([Math.floor(Date.UTC(2026, 11, 25) / dayMs)]),
};
const at = (text: string): number => Date.parse(text);

describe('business time', () => {
  it.each([
    ['within a day', '2026-11-25T09:00:00Z', 30, '2026-11-25T09:30:00Z'],
    ['from before the day begins', '2026-11-25T03:00:00Z', 30, '2026-11-25T08:30:00Z'],
    ['over the night', '2026-11-25T17:50:00Z', 30, '2026-11-26T08:20:00Z'],
    ['to the last minute of a day', '2026-11-25T17:30:00Z', 30, '2026-11-25T18:00:00Z'],
    ['over a weekend', '2026-11-27T17:50:00Z', 30, '2026-11-30T08:20:00Z'],
    ['over a holiday and a weekend', '2026-12-24T17:50:00Z', 30, '2026-12-28T08:20:00Z'],
    ['of several days', '2026-11-25T17:00:00Z', 12 * 60, '2026-11-27T09:00:00Z'],
  ])('passes %s', (_, from, minutes, to) => {
    expect(new Date(afterBusinessTime(at(from), minutes * minuteMs, weekdays, 'UTC')).toISOString()).toBe(
      new Date(at(to)).toISOString(),
    );
  });

  it('is that of the time zone, also where clocks change', () => {
    const mexico = afterBusinessTime(at('2026-11-25T13:00:00Z'), hourMs, weekdays, 'America/Mexico_City');
    expect(new Date(mexico).toISOString()).toBe('2026-11-25T15:00:00.000Z');
    // Summer time ends in Germany on 25 October 2026.
    const berlin = afterBusinessTime(at('2026-10-23T15:30:00Z'), hourMs, weekdays, 'Europe/Berlin');
    expect(new Date(berlin).toISOString()).toBe('2026-10-26T07:30:00.000Z');
  });

  it('counts as any time where no day is a business day', () => {
    const never = { ...weekdays, days: new Set<number>() };
    expect(afterBusinessTime(0, hourMs, never, 'UTC')).toBe(hourMs);
  });
});
