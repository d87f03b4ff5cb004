import { expect, it } from 'vitest';
import { hashOfAllBits } from './all-bits.ts';

/**
 * Guarantees that decisions of the past come out the same, on any machine and after any change of the code. A change
 * of this hash changes the decisions of recorded histories with models: it needs a new `engineVersion`.
 */
it('every margin, probability, score and explanation has the bits that it always had', () => {
  expect(hashOfAllBits()).toBe('8689d943c03e7244049e4c2cb57f744a894fe7e8151c28fcbf05654c48e132fb');
});
