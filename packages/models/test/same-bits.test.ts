import { expect, it } from 'vitest';
import { hashOfAllBits } from './all-bits.ts';

/**
 * Guarantees that decisions of the past come out the same, on any machine and after any change of the code. A change
 * of this hash changes the decisions of recorded histories with models: it needs a new `engineVersion`.
 */
it('every margin, probability, score and explanation has the bits that it always had', () => {
  expect(hashOfAllBits()).toBe('bb3ee33a4d9c3b1dce3179286d11857d95c2f774d1434c36bbe33a83c7ea2d26');
});
