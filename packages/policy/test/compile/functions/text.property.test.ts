import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainLetters } from '../../../src/compile/functions/plain-letters.ts';
import { text as table } from '../../../src/compile/functions/text.ts';
import { encodeUtf8 } from '../../../src/compile/functions/utf8.ts';

const runs = { seed: 1, numRuns: 2_000 };
/**
 * Characters of one, two and three bytes, surrogate pairs, a lone surrogate, combining marks, and letters that become
 * two; some texts longer than one buffer.
 */
const unit = fc.constantFrom(
  'a',
  'Z',
  '[',
  '@',
  ' ',
  'é',
  'Ñ',
  'ß',
  'ẞ',
  'Æ',
  'Ж',
  '🎁',
  '\ud800',
  '\udc00',
  '\u0301',
  '\0',
);
const text = fc
  .tuple(fc.array(unit, { maxLength: 12 }), fc.constantFrom(1, 1, 1, 200))
  .map(([units, times]) => units.join('').repeat(times));

/** Reference implementations that process one character at a time. */
const mapped = (value: string, change: (letter: string) => string): string => value.split('').map(change).join('');
/** The function of this signature, as rules call it. */
function call(signature: string): (...values: readonly unknown[]) => unknown {
  const definition = table.find((one) => one.signature === signature);
  return (...values) => definition?.apply(...(values as never[]));
}

it('converts the letters of ASCII and no others', () => {
  fc.assert(
    fc.property(text, (value) => {
      const lower = mapped(value, (one) =>
        one >= 'A' && one <= 'Z' ? String.fromCharCode(one.charCodeAt(0) + 32) : one,
      );
      const upper = mapped(value, (one) =>
        one >= 'a' && one <= 'z' ? String.fromCharCode(one.charCodeAt(0) - 32) : one,
      );
      const isBounded = value.length <= 4_096;
      expect(call('string.lowerAscii(): string')(value)).toBe(isBounded ? lower : undefined);
      expect(call('string.upperAscii(): string')(value)).toBe(isBounded ? upper : undefined);
    }),
    runs,
  );
});

it('cuts only between characters', () => {
  const place = fc.integer({ min: -1, max: 16 });
  fc.assert(
    fc.property(text, place, place, (value, from, to) => {
      const characters = Array.from(value);
      const cut = (end: number): string | undefined =>
        from < 0 || from > end || end > characters.length || value.length > 4_096
          ? undefined
          : characters.slice(from, end).join('');
      expect(call('string.substring(int, int): string')(value, from, to)).toBe(cut(to));
      expect(call('string.substring(int): string')(value, from)).toBe(cut(characters.length));
    }),
    runs,
  );
  expect(call('string.substring(int, int): string')('abc', 0, 2n ** 63n - 1n)).toBeUndefined();
  expect(call('string.substring(int): string')('abc', 2n ** 63n - 1n)).toBeUndefined();
});

it('replaces the empty text around each character', () => {
  fc.assert(
    fc.property(text, fc.constantFrom('', '-', 'éé'), (value, other) => {
      const replaced = ['', ...Array.from(value), ''].join(other);
      const isBounded = Math.max(value.length, replaced.length) <= 4_096;
      expect(call('string.replace(string, string): string')(value, '', other)).toBe(isBounded ? replaced : undefined);
    }),
    runs,
  );
});

it('encodes UTF-8 as the host does, and plain letters in pieces as in one', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(encodeUtf8(value)).toEqual(new TextEncoder().encode(value));
      expect(plainLetters(value)).toBe(mapped(value, plainLetters));
    }),
    runs,
  );
});
