import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTimestamp, parseTimestamp } from '../../src/values/timestamp.ts';

const instant = fc.integer({ min: -60_000_000_000_000, max: 253_402_300_799_999 });

describe('timestamps', () => {
  it('equal those of Date, over ten thousand years', () => {
    fc.assert(
      fc.property(instant, (atMs) => {
        const iso = new Date(atMs).toISOString();
        expect(parseTimestamp(iso)).toBe(atMs);
        expect(formatTimestamp(atMs)).toBe(iso.replace('.000Z', 'Z'));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['2026-01-31T00:00:00-06:00', Date.UTC(2026, 0, 31, 6)],
    ['2026-01-31T00:00:00+05:30', Date.UTC(2026, 0, 30, 18, 30)],
    ['2024-02-29T12:00:00.5Z', Date.UTC(2024, 1, 29, 12, 0, 0, 500)],
  ])('%s', (text, atMs) => {
    expect(parseTimestamp(text)).toBe(atMs);
  });

  it.each([
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01',
    '2026-01-01T00:00:00+24:00',
    '2026-1-1T00:00:00Z',
  ])('refuses %s', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
