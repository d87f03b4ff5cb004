import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256 } from '../src/sha256.ts';

const known = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

it('equals another implementation, for every length around a block', () => {
  for (let length = 0; length < 200; length++) expect(sha256('a'.repeat(length))).toBe(known('a'.repeat(length)));
});

it('equals another implementation, for texts of all planes and lone surrogates', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(sha256(text)).toBe(known(text));
    }),
    { seed: 1, numRuns: 2_000 },
  );
  expect(sha256('\ud800 \udc00')).toBe(known('\ud800 \udc00'));
});
