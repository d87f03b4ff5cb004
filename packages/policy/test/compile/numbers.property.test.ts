import { type Decimal, formatDecimal } from '@ringfence/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { doubleOf } from '../../src/compile/numbers.ts';

const cent = 10n ** 10n;

it('the double of a decimal is the nearest one, for any number of places', () => {
  const decimal = fc.bigInt({ min: -(10n ** 31n), max: 10n ** 31n });
  const places = fc.integer({ min: 0, max: 30 });
  fc.assert(
    fc.property(decimal, places, (digits, cut) => {
      const value = (digits / 10n ** BigInt(cut)) as Decimal;
      expect(doubleOf(value)).toBe(Number(formatDecimal(value)));
    }),
    { numRuns: 5_000 },
  );
});

it('the double of every amount up to 10,000.00 is the literal of its digits', () => {
  const other = Array.from({ length: 1_000_001 }, (_, cents) => cents).filter(
    (cents) => doubleOf((BigInt(cents) * cent) as Decimal) !== cents / 100,
  );
  expect(other).toEqual([]);
});
