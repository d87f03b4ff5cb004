import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averageOfTicks, type Decimal, decimalOne, divideDecimal } from '../src/decimal.ts';
import { bigProduct, safeNumber } from '../src/small-bigint.ts';

const safe = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(0, -0, 1, -1, 2 ** 32, -(2 ** 32), 2 ** 31));

describe('bigProduct', () => {
  it('is the product of bigints', () => {
    fc.assert(
      fc.property(safe, safe, (left, right) => {
        expect(bigProduct(left, right)).toBe(BigInt(left) * BigInt(right));
      }),
    );
  });

  it('refuses what is not whole', () => {
    expect(() => bigProduct(0.5, 3)).toThrow(RangeError);
  });
});

describe('safeNumber', () => {
  const around = fc.tuple(
    fc.constantFrom(0n, 2n ** 53n, -(2n ** 53n), 2n ** 63n, -(2n ** 64n), 2n ** 64n),
    fc.bigInt(-9n, 9n),
  );
  const bigints = fc.oneof(
    fc.bigInt(),
    safe.map(BigInt),
    around.map(([near, by]) => near + by),
  );

  it('is the number, where it is a safe integer', () => {
    fc.assert(
      fc.property(bigints, (value) => {
        const number = Number(value);
        expect(safeNumber(value)).toBe(Number.isSafeInteger(number) && BigInt(number) === value ? number : undefined);
      }),
    );
  });
});

describe('averageOfTicks', () => {
  const perUnit = 1_000_000;
  const counts = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2 ** 31 }));

  it('is the quotient that bigints give, halves to the even', () => {
    const ticks = fc.oneof(safe, fc.integer({ min: -9_007_199_254, max: 9_007_199_254 }));
    fc.assert(
      fc.property(ticks, counts, (sum, count) => {
        const exact = divideDecimal(
          (BigInt(sum) * BigInt(perUnit)) as Decimal,
          (BigInt(count) * decimalOne) as Decimal,
        );
        expect(averageOfTicks(sum, perUnit, count)).toBe(exact);
      }),
      { numRuns: 5_000 },
    );
  });

  it('rounds halves to the even one, on both sides of zero', () => {
    // 10^-12 times 5 in two parts.
    expect([5, 15, -5, -15].map((sum) => averageOfTicks(sum, 10 ** 12, 2))).toEqual([2n, 8n, -2n, -8n]);
  });
});
