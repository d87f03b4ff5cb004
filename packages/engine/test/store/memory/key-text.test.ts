import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Arena, offsetMask } from '../../../src/store/memory/arena.ts';
import { hasPartAt, KeyText, partOfKey, textAt } from '../../../src/store/memory/key-text.ts';

function keyOf(text: string): KeyText {
  const key = new KeyText([1, 2]);
  key.set(text);
  return key;
}

it('compares the parts of a name in memory like the name itself, whatever the characters', () => {
  const part = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }), fc.constant('1:a'));
  fc.assert(
    fc.property(fc.array(part, { minLength: 2, maxLength: 4 }), part, (parts, other) => {
      const key = new KeyText([1, 2]);
      key.setParts(parts.map(keyOf));
      const arena = new Arena();
      const block = arena.allocate(key.cells);
      const cell = block & offsetMask;
      key.writeTo(arena.pageOf(block), cell);
      const { length, isWide } = key;
      const text = textAt(arena.pageOf(block), cell, { length, isWide });
      expect(parts.map((_, place) => partOfKey(text, { place, count: parts.length }))).toEqual(parts);
      parts.forEach((own, place) => {
        const isIn = (text: string): boolean => hasPartAt(arena.pageOf(block), cell, { isWide, place, part: text });
        expect([isIn(own), isIn(other)]).toEqual([true, other === own]);
      });
    }),
    { seed: 1, numRuns: 1_000 },
  );
});
