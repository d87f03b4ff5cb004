import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryDelayMs } from '../src/retry-delay.ts';

const bounds = { delayMsMin: 200, delayMsMax: 10_000 };

it('doubles up to its bound', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => retryDelayMs(bounds, attempt, 0));
  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

it('is shortened by at most half, whatever the attempt', () => {
  const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), jitter, (attempt, jitter) => {
      const whole = Math.min(bounds.delayMsMax, bounds.delayMsMin * 2 ** (attempt - 1));
      const delay = retryDelayMs(bounds, attempt, jitter);
      expect(delay).toBeGreaterThanOrEqual(whole / 2);
      expect(delay).toBeLessThanOrEqual(whole);
    }),
    { seed: 1 },
  );
});
