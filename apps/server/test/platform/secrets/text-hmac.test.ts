import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextHmac, textBytesMax } from '../../../src/platform/secrets/text-hmac.ts';

const key = Buffer.from('4a656665'.repeat(8), 'hex');

function expected(text: string, under: Uint8Array = key): Buffer {
  return createHmac('sha256', under).update(text).digest();
}

test('every length up to the longest, with texts of one, two and three bytes', () => {
  const hmac = new TextHmac(key);
  for (const unit of ['a', 'é', '€']) {
    for (let length = 0; length * Buffer.byteLength(unit) <= textBytesMax; length++) {
      const text = unit.repeat(length);
      expect(hmac.digest(text)).toStrictEqual(expected(text));
    }
  }
});

test('the test case of RFC 4231 with a key of four bytes', () => {
  const digest = new TextHmac(Buffer.from('Jefe')).digest('what do ya want for nothing?');
  expect(digest?.toString('hex')).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
});

test('a longer text is left to node:crypto', () => {
  const hmac = new TextHmac(key);
  expect(hmac.digest('a'.repeat(textBytesMax + 1))).toBeUndefined();
  expect(hmac.digest('€'.repeat(86))).toBeUndefined();
});

test('any keys and texts, one after the other', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 80 }), { maxLength: 5 });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), texts, (bytes, some) => {
      const [hmac, other] = [new TextHmac(bytes), new TextHmac(key)];
      for (const text of some) {
        expect(hmac.digest(text)).toStrictEqual(expected(text, bytes));
        expect(other.digest(text)).toStrictEqual(expected(text));
      }
    }),
  );
});
