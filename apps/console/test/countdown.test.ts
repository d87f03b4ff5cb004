import { expect, it } from 'vitest';
import { timeLeft } from '../src/parts/countdown.tsx';

it.each([
  [-5_000, '0:00'],
  [400, '0:01'],
  [30_000, '0:30'],
  [29 * 60_000 + 41_000, '29:41'],
  [3_600_000, '1:00 h'],
  [2 * 3_600_000 + 5 * 60_000, '2:05 h'],
  [30 * 86_400_000, '30 d'],
])('the time left of %i ms is %s', (ms, text) => {
  expect(timeLeft(ms)).toBe(text);
});
