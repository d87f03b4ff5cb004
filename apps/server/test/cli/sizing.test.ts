/** What is printed follows from the figures; the values here were calculated by hand. */
import { expect, it } from 'vitest';
import { bytesText, durationText, sizeFor } from '../../src/cli/sizing.ts';
import { ringfence } from '../support/terminal.ts';

it('100 events/s on average, kept 30 days, need what their figures add up to', () => {
  expect(sizeFor({ eventsPerSecond: 100, keepDays: 30 })).toEqual({
    eventsADay: 8_640_000,
    eventsKept: 259_200_000,
    peakEventsPerSecond: 300,
    // 300 x 1,300 us = 0.39 cores, at most 60 % busy; never fewer than two.
    cores: 2,
    // 3 GiB, and 360,000 events of 2,430 bytes.
    memoryBytes: 4 * 2 ** 30,
    databaseBytes: 629_856_000_000,
    diskBytes: 822_812_800_000,
    walBytesADay: 28_512_000_000,
    backupBytes: 261_792_000_000,
    backupSeconds: 259_200_000 / 4_200,
    restoreSeconds: 259_200_000 / 1_700,
    isBeyondMeasured: false,
  });
});

it.each([
  [1_000, 7, false],
  [1_666, 11, false],
  [1_667, 11, true],
  [5_000, 33, true],
])('%d events/s on average need %d cores; beyond what was measured: %s', (eventsPerSecond, cores, isBeyondMeasured) => {
  expect(sizeFor({ eventsPerSecond, keepDays: 1 })).toMatchObject({ cores, isBeyondMeasured });
});

it.each([
  [999, '999 bytes'],
  [1_500, '1.5 kB'],
  [42_074_193, '42 MB'],
  [999_600_000, '1000 MB'],
  [1.1e12, '1.1 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

it.each([
  [1, '1 minute'],
  [3_540, '59 minutes'],
  [3_601, '2 hours'],
  [172_800, '2 days'],
])('%d seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

it('the command prints the table, and needs both numbers', async () => {
  const { code, out } = await ringfence('size --events-per-second 2000 --keep 7');
  expect(code).toBe(0);
  expect(out.split('\n').slice(0, 3)).toEqual([
    'Needed           2,000 events/s on average, kept 7 days',
    'Events           172,800,000 a day, 1,209,600,000 kept',
    'Processor        13 cores of the measured kind, for 6,000 events/s',
  ]);
  expect(out).toContain('More than 5,000 events/s at the busiest moment were not measured on one machine.');
  expect(JSON.parse((await ringfence('size --events-per-second 2000 --keep 7 --json')).out)).toEqual(
    sizeFor({ eventsPerSecond: 2_000, keepDays: 7 }),
  );
  expect(await ringfence('size --events-per-second many --keep 7')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--events-per-second: expected a whole number from 1 to 100000, found "many"'),
  });
  expect((await ringfence('size --keep 7')).code).toBe(2);
});
