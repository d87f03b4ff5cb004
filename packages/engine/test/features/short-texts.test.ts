import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteReader } from '../../src/bytes/byte-reader.ts';
import { ByteWriter } from '../../src/bytes/byte-writer.ts';
import { writeTexts } from '../../src/features/extras-codec.ts';
import { ShortTexts } from '../../src/features/short-texts.ts';
import { allTexts } from '../../src/features/texts.ts';
import { Arena } from '../../src/memory/arena.ts';

const text = fc.oneof(fc.string({ maxLength: 30 }), fc.string({ unit: 'binary', maxLength: 10 }), fc.constant('MXN'));

it('numbers texts in the order in which they came, as long as they are few, short and ASCII', () => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 24 }), fc.uniqueArray(text, { maxLength: 4 }), (texts, others) => {
      const arena = new Arena();
      // Neighbours, so that one that wrote beyond its block would be seen.
      const before = ShortTexts.add(arena, 0, 'before');
      let block = 0;
      const kept: string[] = [];
      for (const [at, one] of texts.entries()) {
        const next = ShortTexts.add(arena, block, one);
        expect(next === 0 && !/[^\0-\x7f]/.test(one) && kept.length < 16 && one.length < 30).toBe(false);
        if (next === 0) continue;
        block = next;
        kept.push(one);
        if (at === 3) ShortTexts.add(arena, 0, 'between');
      }
      expect(allTexts(new ShortTexts(arena).place(before))).toEqual(['before']);
      if (block === 0) return;
      const look = new ShortTexts(arena).place(block);
      expect(allTexts(look)).toEqual(kept);
      expect(kept.map((one) => look.find(one))).toEqual([...kept.keys()]);
      for (const other of others) expect(look.find(other)).toBe(kept.indexOf(other));
    }),
    { numRuns: 2_000 },
  );
});

it('is stored as texts that are objects are', () => {
  const arena = new Arena();
  const texts = ['EUR', '', 'payee 7', 'x'.repeat(200)];
  const block = texts.reduce((known, one) => ShortTexts.add(arena, known, one), 0);
  const writer = new ByteWriter();
  writeTexts(writer, new ShortTexts(arena).place(block));
  const reader = new ByteReader(writer.take());
  expect(reader.uint()).toBe(4);
  expect(texts.map(() => reader.text())).toEqual(texts);
  expect(reader.done).toBe(true);
});

it('takes no more than sixteen, and no more than a kilobyte', () => {
  const arena = new Arena();
  let block = 0;
  for (let number = 0; number < 16; number++) block = ShortTexts.add(arena, block, `text ${number}`);
  expect(ShortTexts.add(arena, block, 'one more')).toBe(0);
  expect(new ShortTexts(arena).place(block).count).toBe(16);
  expect(ShortTexts.add(arena, 0, 'x'.repeat(1_100))).toBe(0);
  expect(ShortTexts.add(arena, 0, 'Pérez')).toBe(0);
});

it('gives its memory back', () => {
  const arena = new Arena();
  const block = ShortTexts.add(arena, 0, 'x'.repeat(300));
  ShortTexts.release(arena, block);
  expect(ShortTexts.add(arena, 0, 'y'.repeat(300))).toBe(block);
});

it('knows no text by a number that none has', () => {
  const arena = new Arena();
  const look = new ShortTexts(arena).place(ShortTexts.add(arena, 0, 'MXN'));
  expect(() => look.textOf(1)).toThrow('the number of a text that the entity keeps');
});
