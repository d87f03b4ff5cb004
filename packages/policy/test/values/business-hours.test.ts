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
    { when: 'within a day', from: '2026-11-25T09:00:00Z', minutes: 30, to: '2026-11-25T09:30:00Z' },
    { when: 'from before the day begins', from: '2026-11-25T03:00:00Z', minutes: 30, to: '2026-11-25T08:30:00Z' },
    { when: 'over the night', from: '2026-11-25T17:50:00Z', minutes: 30, to: '2026-11-26T08:20:00Z' },
    { when: 'to the last minute of a day', from: '2026-11-25T17:30:00Z', minutes: 30, to: '2026-11-25T18:00:00Z' },
    { when: 'over a weekend', from: '2026-11-27T17:50:00Z', minutes: 30, to: '2026-11-30T08:20:00Z' },
    { when: 'over a holiday and a weekend', from: '2026-12-24T17:50:00Z', minutes: 30, to: '2026-12-28T08:20:00Z' },
    { when: 'of several days', from: '2026-11-25T17:00:00Z', minutes: 12 * 60, to: '2026-11-27T09:00:00Z' },
  ])('passes $when', ({ from, minutes, to }) => {
    expect(
      new Date(afterBusinessTime(at(from), minutes * minuteMs, { hours: weekdays, zone: 'UTC' })).toISOString(),
    ).toBe(new Date(at(to)).toISOString());
  });

  it('is that of the time zone, also where clocks change', () => {
    const mexico = afterBusinessTime(at('2026-11-25T13:00:00Z'), hourMs, {
      hours: weekdays,
      zone: 'America/Mexico_City',
    });
    expect(new Date(mexico).toISOString()).toBe('2026-11-25T15:00:00.000Z');
    // Summer time ends in Germany on 25 October 2026.
    const berlin = afterBusinessTime(at('2026-10-23T15:30:00Z'), hourMs, { hours: weekdays, zone: 'Europe/Berlin' });
    expect(new Date(berlin).toISOString()).toBe('2026-10-26T07:30:00.000Z');
  });

  it('counts as any time where no day is a business day', () => {
    const never = { ...weekdays, days: new Set<number>() };
    expect(afterBusinessTime(0, hourMs, { hours: never, zone: 'UTC' })).toBe(hourMs);
  });
});
