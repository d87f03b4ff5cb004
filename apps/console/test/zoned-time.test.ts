import { expect, it } from 'vitest';
import { zonedInstant, zonedText } from '../src/format/zoned-time.ts';

it.each([
  ['2026-11-22T08:05:00.000Z', 'America/Mexico_City', '2026-11-22T02:05'],
  ['2026-07-01T22:30:00.000Z', 'Europe/Madrid', '2026-07-02T00:30'],
  ['2026-01-01T00:00:00.000Z', 'UTC', '2026-01-01T00:00'],
  ['2026-06-01T00:00:00.000Z', 'Asia/Kathmandu', '2026-06-01T05:45'],
])('writes %s in %s as %s, and reads it back', (iso, zone, text) => {
  expect(zonedText(iso, zone)).toBe(text);
  expect(zonedInstant(text, zone)).toBe(iso);
});

it('resolves a repeated hour to the first one, and a skipped hour as if the clock had not changed', () => {
  // On 25 October 2026 clocks in Madrid go back from 3:00 to 2:00; on 29 March they went from 2:00 to 3:00.
  expect(zonedInstant('2026-10-25T02:30', 'Europe/Madrid')).toBe('2026-10-25T00:30:00.000Z');
  expect(zonedInstant('2026-03-29T12:00', 'Europe/Madrid')).toBe('2026-03-29T10:00:00.000Z');
  expect(zonedInstant('2026-03-29T02:30', 'Europe/Madrid')).toBe('2026-03-29T01:30:00.000Z');
});

it('is correct in the hours after a clock change far west of Greenwich', () => {
  // On 8 March 2026 clocks in New York went from 2:00 to 3:00.
  expect(zonedInstant('2026-03-08T03:30', 'America/New_York')).toBe('2026-03-08T07:30:00.000Z');
});
