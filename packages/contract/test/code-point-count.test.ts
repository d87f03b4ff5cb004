import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codePointCount } from '../src/code-point-count.ts';

it('counts code points, and a lone surrogate as one', () => {
  const unit = fc.constantFrom('a', 'ñ', '😀', '\ud83d', '\ude00');
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = units.join('');
      expect(codePointCount(text)).toBe(Array.from(text).length);
    }),
    { seed: 1, numRuns: 1_000 },
  );
});
