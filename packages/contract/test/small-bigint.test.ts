import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigProduct, safeNumber } from '../src/small-bigint.ts';

const safe = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(0, -0, 1, -1, 2 ** 32, -(2 ** 32), 2 ** 31));

describe('bigProduct', () => {
  it('equals the product of bigints', () => {
    fc.assert(
      fc.property(safe, safe, (left, right) => {
        expect(bigProduct(left, right)).toBe(BigInt(left) * BigInt(right));
      }),
    );
  });

  it('rejects numbers that are not whole', () => {
    expect(() => bigProduct(0.5, 3)).toThrow(RangeError);
    expect(() => bigProduct(0.5, 2)).toThrow(RangeError);
    expect(() => bigProduct(2, 0.5)).toThrow(RangeError);
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

  it('is the number if it is a safe integer', () => {
    fc.assert(
      fc.property(bigints, (value) => {
        const number = Number(value);
        expect(safeNumber(value)).toBe(Number.isSafeInteger(number) && BigInt(number) === value ? number : undefined);
      }),
    );
  });
});
