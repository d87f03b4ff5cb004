import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webhookDate } from '../../src/deliver/webhook-date.ts';

describe('the date of a webhook', () => {
  it.each([
    ['2026-11-21T02:00:00.000Z', 'UTC', '2026-11-21T02:00:00.000+00:00'],
    ['2026-11-21T02:00:00.000Z', 'America/Mexico_City', '2026-11-20T20:00:00.000-06:00'],
    ['2026-07-01T12:00:00.007Z', 'Europe/Berlin', '2026-07-01T14:00:00.007+02:00'],
    ['2026-01-01T12:00:00.999Z', 'Europe/Berlin', '2026-01-01T13:00:00.999+01:00'],
    ['2026-01-01T00:00:00.000Z', 'Asia/Kolkata', '2026-01-01T05:30:00.000+05:30'],
    ['2026-01-01T00:00:00.000Z', 'Pacific/Apia', '2026-01-01T13:00:00.000+13:00'],
    // The hour that occurs twice: the offset tells which one.
    ['2026-10-25T00:30:00.000Z', 'Europe/Berlin', '2026-10-25T02:30:00.000+02:00'],
    ['2026-10-25T01:30:00.000Z', 'Europe/Berlin', '2026-10-25T02:30:00.000+01:00'],
    ['2026-03-08T00:00:00.000Z', 'America/New_York', '2026-03-07T19:00:00.000-05:00'],
  ])('%s in %s: %s', (instant, timezone, expected) => {
    expect(webhookDate(Date.parse(instant), timezone, 'zone')).toBe(expected);
    expect(webhookDate(Date.parse(instant), timezone, 'local')).toBe(expected.slice(0, 23));
  });

  it('parses to the same instant', () => {
    const zones = fc.constantFrom(
      'UTC',
      'America/Mexico_City',
      'Europe/Berlin',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
    );
    fc.assert(
      fc.property(fc.integer({ min: 946_684_800_000, max: 4_102_444_800_000 }), zones, (atMs, timezone) => {
        expect(Date.parse(webhookDate(atMs, timezone, 'zone'))).toBe(atMs);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
