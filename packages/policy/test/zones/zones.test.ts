import fc from 'fast-check';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { zoneTableHash, zoneTableText } from '../../src/zones/zone-table.generated.ts';
import { offsetMsAt, zoneMistake } from '../../src/zones/zones.ts';
import { evaluate } from '../evaluate.ts';
import { zoneTableModule } from './pack-zones.ts';

describe('the table of zones', () => {
  it('is the current output of `node tools/zone-table.ts`, with its hash', async () => {
    const file = new URL('../../src/zones/zone-table.generated.ts', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(await zoneTableModule());
    expect(hash('sha256', zoneTableText)).toBe(zoneTableHash);
  });

  /** Zones whose rules have not changed for years, so that any version of the runtime's data agrees. */
  it('has the same local times as the runtime', () => {
    const names = [
      'America/Mexico_City',
      'America/New_York',
      'America/Sao_Paulo',
      'America/Santiago',
      'America/St_Johns',
      'Europe/Berlin',
      'Europe/London',
      'Asia/Kolkata',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'UTC',
    ];
    const formats = new Map(
      names.map((name) => [name, new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })]),
    );
    const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2099, 11, 31) });
    fc.assert(
      fc.property(fc.constantFrom(...names), instant, (name, atMs) => {
        const shown = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(formats.get(name)?.format(atMs) ?? '');
        const [, sign, hours = '0', minutes = '0'] = shown ?? [];
        const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
        expect([name, atMs, offsetMsAt(name, atMs)]).toEqual([name, atMs, offsetMs + 0]);
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });

  it.each([
    ['the second at which clocks go forward', 'Europe/Berlin', '2026-03-29T00:59:59Z', 1, '2026-03-29T01:00:00Z', 2],
    ['the second at which they go back', 'Europe/Berlin', '2026-10-25T00:59:59Z', 2, '2026-10-25T01:00:00Z', 1],
    ['a zone that gave summer time up', 'America/Mexico_City', '2022-07-01T00:00:00Z', -5, '2026-07-01T00:00:00Z', -6],
    ['a change at 24:00', 'Africa/Cairo', '2026-10-29T20:59:59Z', 3, '2026-10-29T21:00:00Z', 2],
    ['before the table begins', 'Europe/Berlin', '1970-07-01T00:00:00Z', 1, '1999-07-01T00:00:00Z', 1],
    ['after it ends', 'Europe/Berlin', '2150-07-01T00:00:00Z', 1, '9999-01-01T00:00:00Z', 1],
  ])('%s', (...[, zone, before, hoursBefore, after, hoursAfter]) => {
    expect(offsetMsAt(zone, Date.parse(before))).toBe(hoursBefore * 3_600_000);
    expect(offsetMsAt(zone, Date.parse(after))).toBe(hoursAfter * 3_600_000);
  });

  it.each([
    ['-06:00', -6],
    ['+05:30', 5.5],
    ['02:00', 2],
  ])('accepts an offset: %s', (zone, hours) => {
    expect(offsetMsAt(zone, 0)).toBe(hours * 3_600_000);
  });

  it('refuses other names, with a correction', () => {
    expect(offsetMsAt('America/Mexico', 0)).toBeUndefined();
    expect(offsetMsAt('15:00', 0)).toBeUndefined();
    expect(zoneMistake('America/Mexcio_City')?.suggestion).toBe('America/Mexico_City');
  });
});

describe("the workspace's local time", () => {
  const facts = { 'event.at': Date.UTC(2026, 10, 21, 2, 14, 5), 'workspace.timezone': 'America/Mexico_City' };

  it.each([
    ['hour(event.at) == 20 && weekday(event.at) == 5', true],
    ['timeOfDay(event.at) == 20h14m5s', true],
    ['event.at.getHours(workspace.timezone) == 20 && event.at.getHours() == 2', true],
    ['event.at.getDate("America/Mexico_City") == 20 && event.at.getDate("Asia/Tokyo") == 21', true],
    ['event.at.getFullYear() == 2026 && event.at.getMonth() == 10 && event.at.getDayOfMonth() == 20', true],
    ['event.at.getDayOfYear() == 324 && event.at.getSeconds() == 5 && event.at.getMilliseconds() == 0', true],
    ['event.at.getHours(user) == 1', undefined],
  ])('%s: %s', (text, outcome) => {
    expect(evaluate(text, { ...facts, user: 'nowhere' })).toBe(outcome);
  });

  it('are missing without a zone, or if the table does not contain it', () => {
    expect(evaluate('hour(event.at) == 2', { 'event.at': 0 })).toBeUndefined();
    expect(evaluate('hour(event.at) == 2', { 'event.at': 0, 'workspace.timezone': 'Mars' })).toBeUndefined();
  });
});
