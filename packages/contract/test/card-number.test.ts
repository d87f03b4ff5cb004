import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasCardNumber, hasSureCardNumber, maskCardNumbers } from '../src/card-number.ts';

/** Luhn's check digit, computed naively: doubles every second digit from the right and adds up all digits. */
function withCheckDigit(payload: string): string {
  const digits = payload.split('').reverse().map(Number);
  const sum = digits.map((digit, at) => (at % 2 === 0 ? String(digit * 2) : String(digit))).join('');
  const total = sum.split('').reduce((left, right) => left + Number(right), 0);
  return payload + String((10 - (total % 10)) % 10);
}

const prefixes: readonly (readonly [string, number])[] = [
  ['4', 13],
  ['4', 16],
  ['4', 19],
  ['51', 16],
  ['55', 16],
  ['2221', 16],
  ['2720', 16],
  ['2204', 16],
  ['34', 15],
  ['37', 15],
  ['36', 14],
  ['3528', 16],
  ['6011', 16],
  ['62', 19],
  ['5018', 13],
  ['8171', 16],
  ['9792', 16],
];

const cardNumber = fc
  .tuple(fc.constantFrom(...prefixes), fc.array(fc.nat(9), { minLength: 18, maxLength: 18 }))
  .map(([[prefix, length], tail]) => withCheckDigit((prefix + tail.join('')).slice(0, length - 1)));

describe('maskCardNumbers', () => {
  it.each([
    ['4111111111111111', '411111******1111'],
    ['pay 4111 1111 1111 1111 now', 'pay 4111 11** **** 1111 now'],
    ['4111-1111-1111-1111', '4111-11**-****-1111'],
    ['4111\u00a01111\u00a01111\u00a01111', '4111\u00a011**\u00a0****\u00a01111'],
    ['4111 - 1111 - 1111 - 1111', '4111 - 11** - **** - 1111'],
    ['amex 3782 822463 10005', 'amex 3782 82**** *0005'],
    ['card:5555555555554444;', 'card:555555******4444;'],
    ['REF4111111111111111X', 'REF411111******1111X'],
    ['12 4111 1111 1111 1111 2026', '12 4111 11** **** 1111 2026'],
    ['4111111111111111 123 12-26', '411111******1111 123 12-26'],
    ['4111111111111111, 5555555555554444', '411111******1111, 555555******4444'],
    ['4111111111111111 5555555555554444', '411111******1111 555555******4444'],
    ['2223 0000 4841 0010', '2223 00** **** 0010'],
    ['6304000000000000', '630400******0000'],
  ])('%j becomes %j', (text, masked) => {
    expect(maskCardNumbers(text)).toBe(masked);
    expect(hasCardNumber(text)).toBe(true);
  });

  it.each([
    '',
    'invoice 42',
    '4111 1111 1111',
    '411111111111',
    '4111111111111112',
    '4111.1111.1111.1111',
    '0000000000000000',
    '1234567890123456',
    '2026-11-21 10:15:30 2026',
    '41111111111111110000',
    '9999999999999995',
    '411111******1111',
    '4111    1111    1111    1111',
    '+52 55 1234 5678',
    '5d41402abc4b2a76b9719d911017c592',
    '2721000000000004',
  ])('does not change %j, and returns the same string', (text) => {
    expect(maskCardNumbers(text)).toBe(text);
    expect(hasCardNumber(text)).toBe(false);
  });

  it('finds 2,000 random numbers in any words, in groups or not', () => {
    const words = fc.stringMatching(/^[a-z ,.]{0,20}$/);
    const separator = fc.constantFrom('', ' ', '-', ' - ');
    fc.assert(
      fc.property(cardNumber, separator, fc.tuple(words, words), (number, between, [before, after]) => {
        const written = number.match(/.{1,4}/g)!.join(between);
        const masked = maskCardNumbers(`${before}x${written}x${after}`);
        const kept = masked.replace(/[^\d*]/g, '');
        expect(kept).toBe(number.slice(0, 6) + '*'.repeat(number.length - 10) + number.slice(-4));
        expect(masked.length).toBe(before.length + written.length + after.length + 2);
        expect(maskCardNumbers(masked)).toBe(masked);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });

  it('takes linear time for very long runs of digits', () => {
    const hostile = ['1 '.repeat(32_000), '4'.repeat(64_000), '4 1-'.repeat(16_000), '4111 '.repeat(12_800)];
    for (const text of hostile) expect(maskCardNumbers(text).length).toBe(text.length);
  });
});

describe('hasSureCardNumber', () => {
  it.each([
    ['646180157000000059', false],
    ['to CLABE 646180157000000059, thanks', false],
    // The check digit of a card number, but not that of a CLABE.
    ['646180157000000109', true],
    ['4111111111111111', true],
    ['646180157000000059 and 4111 1111 1111 1111', true],
    ['6461 8015 7000 0000 59', true],
    ['invoice 2026-1187', false],
  ])('%s: %s', (text, isSure) => {
    expect(hasSureCardNumber(text)).toBe(isSure);
  });

  it('concerns a CLABE that looks like a card number', () => {
    expect(hasCardNumber('646180157000000059')).toBe(true);
  });
});
