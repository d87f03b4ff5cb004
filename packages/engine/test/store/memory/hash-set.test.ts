import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HashSet } from '../../../src/store/memory/hash-set.ts';

it('contains the added hashes, with 0 and 1 as one hash', () => {
  const hash = fc.oneof(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));
  fc.assert(
    fc.property(fc.array(hash, { maxLength: 500 }), fc.array(hash), (added, others) => {
      const set = new HashSet();
      const model = new Set<number>();
      for (const one of added) {
        set.add(one);
        model.add(one === 0 ? 1 : one);
        expect(set.size).toBe(model.size);
      }
      for (const one of [...added, ...others]) expect(set.has(one)).toBe(model.has(one === 0 ? 1 : one));
    }),
    { seed: 1, numRuns: 300 },
  );
});
