import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecentTexts } from '../../src/clients/recent-texts.ts';

it('is a map in the order of setting, few or many', () => {
  const text = fc.integer({ min: 0, max: 50 }).map((number) => `body ${number}`);
  const moves = fc.array(fc.record({ text, isSet: fc.boolean(), value: fc.nat() }), { maxLength: 300 });
  fc.assert(
    fc.property(moves, (history) => {
      const texts = new RecentTexts<number>();
      const model = new Map<string, number>();
      for (const { text: one, isSet, value } of history) {
        model.delete(one);
        if (isSet) {
          texts.set(one, value);
          model.set(one, value);
        } else texts.delete(one);
        expect(texts.get(one)).toBe(model.get(one));
        expect(texts.oldest()).toEqual(model.entries().next().value);
        expect(texts.size).toBe(model.size);
      }
      expect([...texts.entries()]).toEqual([...model]);
    }),
    { seed: 1, numRuns: 300 },
  );
});
