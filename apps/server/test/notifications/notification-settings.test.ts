import { describe, expect, it } from 'vitest';
import { sendTimeMs } from '../../src/notifications/notification-settings.ts';

const at = (text: string): number => Date.parse(text);
const print = (ms: number): string => new Date(ms).toISOString();

describe('the time of a message', () => {
  const night = { from: '22:00', to: '07:00', timezone: 'America/Mexico_City' };

  it('is at once, or after the digest', () => {
    const now = at('2026-11-21T12:00:30Z');
    expect(sendTimeMs({ digestMinutes: 0 }, now)).toBe(now);
    expect(print(sendTimeMs({ digestMinutes: 30 }, now))).toBe('2026-11-21T12:30:30.000Z');
  });

  it.each([
    ['2026-11-21T12:59:00Z', '2026-11-21T13:00:00.000Z'], // 06:59 in Mexico City
    ['2026-11-21T13:00:00Z', '2026-11-21T13:00:00.000Z'],
    ['2026-11-22T03:59:59Z', '2026-11-22T03:59:59.000Z'], // 21:59:59
    ['2026-11-22T04:00:20Z', '2026-11-22T13:00:00.000Z'],
  ])('of %s is %s with quiet hours over midnight', (now, sent) => {
    expect(print(sendTimeMs({ digestMinutes: 0, quietHours: night }, at(now)))).toBe(sent);
  });

  it('is not within quiet hours of the day, even behind a digest', () => {
    const quietHours = { from: '13:00', to: '14:00', timezone: 'UTC' };
    expect(print(sendTimeMs({ digestMinutes: 20, quietHours }, at('2026-11-21T12:50:00Z')))).toBe(
      '2026-11-21T14:00:00.000Z',
    );
  });

  it('is the end of the quiet hours in a night in which clocks change', () => {
    const quietHours = { from: '22:00', to: '07:00', timezone: 'Europe/Madrid' };
    // Clocks go back at 03:00 on October 25th: the night has an hour more.
    expect(print(sendTimeMs({ digestMinutes: 0, quietHours }, at('2026-10-24T21:00:00Z')))).toBe(
      '2026-10-25T06:00:00.000Z',
    );
  });
});
