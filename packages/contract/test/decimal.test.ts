import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Decimal,
  decimalOne,
  divideDecimal,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  roundDecimalText,
  survivesAsDouble,
} from '../src/decimal.ts';

/** A decimal of at most 18 + 6 digits, as text without redundant zeros. */
const amountText = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.integer({ min: 0, max: 999_999 }))
  .map(([negative, integer, millionths]) => {
    const fraction = String(millionths).padStart(6, '0').replace(/0+$/, '');
    const text = fraction === '' ? String(integer) : `${integer}.${fraction}`;
    return negative && text !== '0' ? `-${text}` : text;
  });
const decimal = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((value) => value as Decimal);

/** The naive way: the remainder shows whether the exact quotient is below, at or above the half. */
function nearestByHand(dividend: bigint, divisor: bigint): bigint {
  const sign = dividend < 0n === divisor < 0n ? 1n : -1n;
  const [n, d] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const floor = n / d;
  const doubled = 2n * n - 2n * floor * d;
  const up = doubled > d || (doubled === d && floor % 2n === 1n);
  return sign * (up ? floor + 1n : floor);
}

describe('parseDecimal and formatDecimal', () => {
  it('return 1,000 random amounts of 18 + 6 digits unchanged', () => {
    fc.assert(
      fc.property(amountText, (text) => {
        const value = parseDecimal(text);
        expect(value).toBeDefined();
        expect(formatDecimal(value!)).toBe(text);
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });

  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['0.000000', 0n],
    ['10.10', 10_100_000_000_000n],
    ['1E3', 1_000_000_000_000_000n],
    ['1.23456789E7', 12_345_678_900_000_000_000n],
    ['5e-6', 5_000_000n],
    ['-12.5', -12_500_000_000_000n],
    ['1.000000000000', 1_000_000_000_000n],
    ['999999999999999999.999999', 999_999_999_999_999_999_999_999_000_000n],
    [`0.${'0'.repeat(3)}1`, 100_000_000n],
    ['0e99999999999', undefined],
  ])('reads %s', (text, value) => {
    expect(parseDecimal(text)).toBe(value);
  });

  const notNumbers = [
    '',
    '-',
    '+1',
    '.5',
    '5.',
    '01',
    '-01',
    '1.2.3',
    '1e',
    '1e+',
    ' 1',
    '1 ',
    '0x10',
    'NaN',
    '1,5',
    '١',
  ];
  const outOfBounds = ['1000000000000000000', '0.0000001', '1e18', '1e-7', '1e400', '1e99999', '1234567890123456789.5'];
  it.each([...notNumbers, ...outOfBounds])('refuses %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it('uses the bounds of the caller', () => {
    expect(parseDecimal('1234', { integerDigits: 3, scale: 0 })).toBeUndefined();
    expect(parseDecimal('123', { integerDigits: 3, scale: 0 })).toBe(123n * decimalOne);
    expect(parseDecimal('1.5', { integerDigits: 3, scale: 0 })).toBeUndefined();
    expect(parseDecimal('0.123456789012', { integerDigits: 3, scale: 12 })).toBe(123_456_789_012n);
  });

  it('parses a long run of zeros in linear time', () => {
    expect(parseDecimal(`${'0'.repeat(60_000)}1`)).toBeUndefined();
    expect(parseDecimal(`1.${'0'.repeat(60_000)}`)).toBe(decimalOne);
    expect(parseDecimal(`1.${'0'.repeat(60_000)}1`)).toBeUndefined();
  });
});

describe('roundDecimalText', () => {
  it.each([
    ['3750.2999999999997', '3750.3'],
    ['0.1000000000000000055511151231257827', '0.1'],
    ['1.0000005', '1'],
    ['1.0000015', '1.000002'],
    ['-1.0000015', '-1.000002'],
    ['1.00000050000000001', '1.000001'],
    ['0.0000005', '0'],
    ['0.00000051', '0.000001'],
    ['-0.0000004', '0'],
    ['1e-400', '0'],
    ['123456789012345678.1234565', '123456789012345678.123456'],
    ['999999999999999999.9999994', '999999999999999999.999999'],
    ['1.25e-6', '0.000001'],
    [`0.${'9'.repeat(60_000)}`, '1'],
    ['10.10', '10.1'],
    ['999999999999999999.9999996', undefined],
    ['1000000000000000000.1234567', undefined],
    ['1e-99999', undefined],
    ['1e18', undefined],
    ['x', undefined],
  ])('rounds %s half-even to 6 places', (text, rounded) => {
    expect(roundDecimalText(text)).toBe(rounded);
  });

  it('agrees with naive arithmetic', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
        fc.integer({ min: 7, max: 12 }),
        (digits, places) => {
          const unit = 10n ** BigInt(places - 6);
          const expected = formatDecimal((nearestByHand(digits, unit) * 1_000_000n) as Decimal);
          expect(roundDecimalText(`${digits}e-${places}`)).toBe(expected);
        },
      ),
      { seed: 3, numRuns: 5_000 },
    );
  });
});

describe('multiplyDecimal and divideDecimal', () => {
  it('agree with naive arithmetic', () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        expect(multiplyDecimal(left, right)).toBe(nearestByHand(left * right, decimalOne));
        const quotient = right === 0n ? undefined : nearestByHand(left * decimalOne, right);
        expect(divideDecimal(left, right)).toBe(quotient);
      }),
      { seed: 2, numRuns: 5_000 },
    );
  });

  it.each([
    [1n, 500_000_000_000n, 0n],
    [3n, 500_000_000_000n, 2n],
    [-1n, 500_000_000_000n, 0n],
    [-3n, 500_000_000_000n, -2n],
    [5n, 500_000_000_000n, 2n],
  ])('rounds a half of the last place to even: %s x 0.5', (left, right, product) => {
    expect(multiplyDecimal(left as Decimal, right as Decimal)).toBe(product);
  });

  it('is exact for amounts of six places', () => {
    const [left, right] = [parseDecimal('1.000001')!, parseDecimal('999999.999999')!];
    expect(formatDecimal(multiplyDecimal(left, right))).toBe('1000000.999998999999');
  });
});

describe('survivesAsDouble', () => {
  it.each([
    '0',
    '-0',
    '0.0',
    '10.10',
    '1E3',
    '1.0',
    '1e-7',
    '0.1',
    '9007199254740991',
    '1.7976931348623157e308',
    '5e-324',
  ])('keeps %s', (text) => {
    expect(survivesAsDouble(text)).toBe(true);
  });

  it.each([
    '1e400',
    '-1e400',
    '12345678901234567.89',
    '9007199254740993',
    '1e-400',
    '0.1000000000000000055511151231257827',
    'x',
    '',
  ])('loses %s', (text) => {
    expect(survivesAsDouble(text)).toBe(false);
  });
});
