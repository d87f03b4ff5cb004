import { hourMs, minuteMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DueSettings, dueAtMs, overdueSinceMs } from '../../../src/console/alerts/due-time.ts';
import { type BusinessHours, weekdays } from '../../../src/tenancy/workspaces/workspace.ts';

type Days = BusinessHours['days'];
const workdays: Days = ['mon', 'tue', 'wed', 'thu', 'fri'];
const weekend: Days = ['sat', 'sun'];

/** @param hours from, to; absent: around the clock */
function within(timezone: string, dueMinutes: number, hours?: readonly [string, string, Days]): DueSettings {
  if (hours === undefined) return { timezone, alerts: { dueMinutes } };
  const [from, to, days] = hours;
  return { timezone, alerts: { dueMinutes, businessHours: { days, from, to } } };
}

const due = (of: DueSettings, opened: string): string => new Date(dueAtMs(of, Date.parse(opened))!).toISOString();

describe('an alert', () => {
  it('is never due without a setting', () => {
    expect(dueAtMs({ timezone: 'UTC' }, 0)).toBeUndefined();
    expect(overdueSinceMs({ timezone: 'UTC', alerts: {} }, 0)).toBeUndefined();
  });

  it('is due after a time around the clock', () => {
    expect(due(within('UTC', 240), '2026-11-27T22:30:00.250Z')).toBe('2026-11-28T02:30:00.250Z');
  });

  const mexico = within('America/Mexico_City', 240, ['09:00', '18:00', workdays]);
  it.each([
    ['within a day', '2026-11-25T16:00:00Z', '2026-11-25T20:00:00.000Z'],
    ['over a night', '2026-11-25T22:30:00Z', '2026-11-26T17:30:00.000Z'],
    ['over a weekend', '2026-11-27T23:00:00Z', '2026-11-30T18:00:00.000Z'],
    ['from the next opening, if opened at night', '2026-11-26T08:00:00Z', '2026-11-26T19:00:00.000Z'],
    ['from Monday, if opened on Sunday', '2026-11-29T18:00:00Z', '2026-11-30T19:00:00.000Z'],
    ['at closing time, and not at the next opening', '2026-11-25T20:00:00Z', '2026-11-26T00:00:00.000Z'],
  ])('is due %s', (_, opened, expected) => {
    expect(due(mexico, opened)).toBe(expected);
  });

  const newYork = 'America/New_York';
  const allSunday = ['00:00', '24:00', ['sun', 'mon']] as const;
  it.each([
    // Clocks go from 2:00 to 3:00 on Sunday, March 8, 2026, and from 2:00 back to 1:00 on November 1.
    [
      'over the night in spring',
      within(newYork, 600, ['09:00', '18:00', weekend]),
      ['2026-03-07T14:00:00Z', '2026-03-08T14:00:00.000Z'],
    ],
    [
      'in hours of which one is left out',
      within(newYork, 240, ['00:00', '24:00', ['sun']]),
      ['2026-03-08T05:00:00Z', '2026-03-08T09:00:00.000Z'],
    ],
    ['over a day of 23 hours', within(newYork, 1_440, allSunday), ['2026-03-08T05:00:00Z', '2026-03-09T05:00:00.000Z']],
    ['over a day of 25 hours', within(newYork, 1_560, allSunday), ['2026-11-01T04:00:00Z', '2026-11-02T06:00:00.000Z']],
    [
      'from an opening that clocks leave out',
      within(newYork, 30, ['02:30', '06:00', ['sun']]),
      ['2026-03-08T05:00:00Z', '2026-03-08T07:30:00.000Z'],
    ],
    [
      'from an opening that clocks show twice',
      within(newYork, 90, ['01:30', '06:00', ['sun']]),
      ['2026-11-01T04:00:00Z', '2026-11-01T07:00:00.000Z'],
    ],
    // On April 5, 2026.
    [
      'where clocks change by half an hour',
      within('Australia/Lord_Howe', 1_500, allSunday),
      ['2026-04-04T13:00:00Z', '2026-04-05T14:00:00.000Z'],
    ],
  ] as const)('is due exactly %s', (_, of, [opened, expected]) => {
    expect(due(of, opened)).toBe(expected);
  });
});

const anyClock = fc.record({
  timezone: fc.constantFrom(
    'UTC',
    'America/New_York',
    'Europe/Berlin',
    'America/Havana',
    'America/St_Johns',
    'Pacific/Apia',
    'Asia/Kolkata',
  ),
  dueMinutes: fc.integer({ min: 1, max: 10_080 }),
  days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
  from: fc.integer({ min: 0, max: 23 }),
  length: fc.integer({ min: 1, max: 24 }),
});
const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;
const anyInstant = fc.integer({ min: Date.parse('2009-01-01'), max: Date.parse('2031-01-01') });

describe('for any setting and time', () => {
  const law = (check: (of: DueSettings, atMs: number, laterMs: number) => void): void =>
    fc.assert(
      fc.property(
        anyClock,
        anyInstant,
        fc.integer({ min: 0, max: 200 * hourMs }),
        ({ timezone, dueMinutes, days, from, length }, atMs, more) => {
          const to = clock(Math.min(24, from + length));
          check(
            { timezone, alerts: { dueMinutes, businessHours: { days, from: clock(from), to } } },
            atMs,
            atMs + more,
          );
        },
      ),
      { seed: 43, numRuns: 2_000 },
    );

  it('an alert opened later is never due earlier', () => {
    law((of, atMs, laterMs) => expect(dueAtMs(of, laterMs)!).toBeGreaterThanOrEqual(dueAtMs(of, atMs)!));
  });

  it('exactly the alerts opened until then are overdue', () => {
    law((of, nowMs) => {
      const sinceMs = overdueSinceMs(of, nowMs)!;
      expect(dueAtMs(of, sinceMs)!).toBeLessThanOrEqual(nowMs);
      expect(dueAtMs(of, sinceMs + 1)!).toBeGreaterThan(nowMs);
    });
  });

  it('the time between opening and due time is not shorter than the setting', () => {
    law((of, atMs) => expect(dueAtMs(of, atMs)! - atMs).toBeGreaterThanOrEqual(of.alerts!.dueMinutes! * minuteMs));
  });
});
