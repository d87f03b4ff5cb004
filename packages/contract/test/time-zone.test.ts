import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIsoDate } from '../src/iso-date.ts';
import { instantOf, timeZone } from '../src/time-zone.ts';
import type { EpochMs } from '../src/time.ts';

const zones = [
  'UTC',
  'America/Mexico_City',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Pacific/Apia',
];

function instantIn(name: string, text: string): string {
  const date = parseIsoDate(text);
  if (typeof date === 'string') throw new Error(date);
  return new Date(instantOf(date, timeZone(name)!)).toISOString();
}

describe('timeZone', () => {
  it.each([
    ['America/Mexico_City', '2026-11-21T10:15:30', '2026-11-21T16:15:30.000Z'],
    ['America/Mexico_City', '2021-07-01T10:15:30', '2021-07-01T15:15:30.000Z'],
    ['Asia/Kathmandu', '2026-11-21T10:15:30', '2026-11-21T04:30:30.000Z'],
    ['Europe/Berlin', '2026-07-01T00:00:00.250', '2026-06-30T22:00:00.250Z'],
    ['Europe/Berlin', '2026-07-01T00:00:00-03:00', '2026-07-01T03:00:00.000Z'],
    ['UTC', '2026-07-01', '2026-07-01T00:00:00.000Z'],
    // Clocks go forward: the offset before the change applies to the time that never occurred.
    ['Europe/Berlin', '2026-03-29T01:59:59', '2026-03-29T00:59:59.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29T03:00:00', '2026-03-29T01:00:00.000Z'],
    // Clocks go back: the first of two.
    ['Europe/Berlin', '2026-10-25T01:59:59', '2026-10-24T23:59:59.000Z'],
    ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25T03:00:00', '2026-10-25T02:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00', '2026-10-03T15:45:00.000Z'],
    // A day that the island skipped, in 2011.
    ['Pacific/Apia', '2011-12-29T23:00:00', '2011-12-30T09:00:00.000Z'],
    ['Pacific/Apia', '2011-12-31T00:00:00', '2011-12-30T10:00:00.000Z'],
  ])('%s %s is %s', (zone, local, instant) => {
    expect(instantIn(zone, local)).toBe(instant);
  });

  it.each(['', 'Mars/Olympus', 'Berlin', '../etc', 'GMT-25'])('rejects the zone %j', (name) => {
    expect(timeZone(name)).toBeUndefined();
  });

  it('maps local time back to every instant, or to the first one with the same local time', () => {
    const zone = fc.constantFrom(...zones.map((name) => timeZone(name)!));
    const range = { min: Date.UTC(2000, 0, 2), max: Date.UTC(2037, 11, 30) };
    fc.assert(
      fc.property(zone, fc.integer(range), (zone, atMs) => {
        const localMs = atMs + zone.offsetAt(atMs as EpochMs);
        const found = zone.instantOf(localMs);
        expect(found + zone.offsetAt(found)).toBe(localMs);
        expect(found).toBeLessThanOrEqual(atMs);
        expect(atMs - found).toBeLessThanOrEqual(3_600_000);
      }),
      { seed: 6, numRuns: 3_000 },
    );
  });

  it('answers the same from its cache', () => {
    const [warm, localMs] = [timeZone('Europe/Berlin')!, Date.UTC(2026, 9, 25, 2, 30)];
    const first = warm.instantOf(localMs);
    for (let minute = 0; minute < 5_000; minute++) warm.instantOf(localMs + minute * 60_000);
    expect(warm.instantOf(localMs)).toBe(first);
  });
});
