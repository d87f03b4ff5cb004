import { type Decimal, decimalOne, divideDecimal } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averageOfTicks } from '../../../src/features/window/ticks.ts';

describe('averageOfTicks', () => {
  const counts = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2 ** 31 }));

  it('equals the quotient of bigints, rounded half to even', () => {
    const sums = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -9_007_199_254, max: 9_007_199_254 }));
    fc.assert(
      fc.property(sums, counts, (ticks, count) => {
        const exact = divideDecimal((BigInt(ticks) * 1_000_000n) as Decimal, (BigInt(count) * decimalOne) as Decimal);
        expect(averageOfTicks(ticks, count)).toBe(exact);
      }),
      { numRuns: 5_000 },
    );
  });

  it('rounds half to even, on both sides of zero', () => {
    const halves = [1, 3, 5, -1, -3, -5].map((ticks) => averageOfTicks(ticks, 2_000_000));
    expect(halves).toEqual([0n, 2n, 2n, 0n, -2n, -2n]);
  });

  it('rejects ticks that are not whole', () => {
    expect(() => averageOfTicks(0.5, 2)).toThrow(RangeError);
  });
});
