import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../src/measure/histogram.ts';

const values = fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 1, maxLength: 300 });

describe('Histogram', () => {
  it('gives every quantile to within 0.8 %, never too low', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (recorded, q) => {
        const histogram = new Histogram();
        for (const value of recorded) histogram.record(value);
        const sorted = recorded.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0;
        expect(histogram.quantileUs(q)).toBeGreaterThanOrEqual(exact);
        expect(histogram.quantileUs(q)).toBeLessThanOrEqual(exact * 1.008);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it('is unchanged after a transfer between processes', () => {
    const histogram = new Histogram();
    for (const value of [3, 900, 77_000]) histogram.record(value);
    const { counts, maxUs } = JSON.parse(JSON.stringify(histogram.toParts())) as ReturnType<Histogram['toParts']>;
    const arrived = new Histogram(counts, maxUs);
    expect([arrived.count, arrived.maxUs, arrived.quantileUs(0.5)]).toEqual([3, 77_000, histogram.quantileUs(0.5)]);
  });

  it('answers 0 when nothing was recorded', () => {
    expect(new Histogram().quantileUs(0.99)).toBe(0);
  });
});
