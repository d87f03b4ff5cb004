import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteReader, ByteWriter } from '@ringfence/contract';
import { EncodedText } from '../../../src/bytes/encoded-text.ts';
import { textHash } from '../../../src/bytes/text-hash.ts';
import { Texts } from '../../../src/features/store/texts.ts';
import { Arena } from '../../../src/store/memory/arena.ts';

function newTexts(arena: Arena, seed = 1): Texts {
  return new Texts(arena, seed, new EncodedText());
}

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.string({ minLength: 120, maxLength: 140 }),
  fc.integer({ min: 0, max: 300 }).map((number) => `payee ${number}`),
);

function written(texts: Texts): Uint8Array {
  const writer = new ByteWriter();
  texts.write(writer);
  return writer.take();
}

it('numbers texts in order of arrival, few or many, and finds no others', () => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 90 }), fc.uniqueArray(text, { maxLength: 4 }), (all, others) => {
      const arena = new Arena();
      const [texts, neighbour] = [newTexts(arena), newTexts(arena)];
      // Other texts grow in parallel, which would reveal writes outside the block.
      for (const [number, one] of all.entries()) {
        expect(texts.find(one)).toBe(-1);
        expect(texts.numberOf(one)).toBe(number);
        expect(texts.numberOf(one)).toBe(number);
        neighbour.numberOf(`n${one}`);
        texts.place(texts.block);
      }
      expect(texts.all()).toEqual(all);
      expect(neighbour.all()).toEqual(all.map((one) => `n${one}`));
      expect(all.map((one) => texts.find(one))).toEqual([...all.keys()]);
      expect([...all.keys()].map((number) => texts.textOf(number))).toEqual(all);
      for (const other of others) expect(texts.find(other)).toBe(all.indexOf(other));

      // A snapshot contains them as texts, and they are restored from it.
      const reader = new ByteReader(written(texts));
      const restored = newTexts(arena, 2);
      restored.read(reader);
      expect(reader.done).toBe(true);
      expect(written(restored)).toEqual(written(texts));
      expect(all.map((one) => restored.find(one))).toEqual([...all.keys()]);
      expect(restored.numberOf('one more than there were')).toBe(all.length);

      for (const one of [texts, neighbour, restored]) one.release();
      expect(arena.usedBytes).toBe(0);
    }),
    { numRuns: 1_000 },
  );
});

it('is stored as a number and the texts', () => {
  const kept = ['EUR', '', 'Pérez', '\ud83d', '\u{1f600}', 'x'.repeat(200)];
  const texts = newTexts(new Arena());
  texts.take(kept);
  const reader = new ByteReader(written(texts));
  expect(reader.uint()).toBe(kept.length);
  expect(kept.map(() => reader.text())).toEqual(kept);
  expect(reader.done).toBe(true);
});

it.each([
  { what: 'few', count: 17, length: 1 },
  { what: 'as many short ones as numbers of 16 bits are for', count: 2_730, length: 1 },
  { what: 'more of them', count: 2_731, length: 1 },
  { what: 'long ones beyond 65,536 bytes', count: 700, length: 120 },
  { what: 'many', count: 20_000, length: 1 },
])('finds each of $what', ({ count, length }) => {
  const arena = new Arena();
  const texts = newTexts(arena);
  const name = (number: number): string => `${'x'.repeat(length)}${number}`;
  for (let number = 0; number < count; number++) expect(texts.numberOf(name(number))).toBe(number);
  for (let number = 0; number < count; number++) {
    expect(texts.find(name(number))).toBe(number);
    expect(texts.textOf(number)).toBe(name(number));
  }
  expect(texts.find(name(count))).toBe(-1);
  texts.release();
  expect(arena.usedBytes).toBe(0);
});

it('replaces all its texts', () => {
  const arena = new Arena();
  const texts = newTexts(arena);
  for (let number = 0; number < 5_000; number++) texts.numberOf(`payee ${number}`);
  expect(texts.find('payee 4999')).toBe(4_999);
  texts.take(['MXN', 'payee 7']);
  expect([texts.find('payee 7'), texts.find('payee 8'), texts.count]).toEqual([1, -1, 2]);
  texts.take([]);
  expect([texts.find('payee 7'), texts.block, arena.usedBytes]).toEqual([-1, 0, 0]);
});

it('keeps marked texts, in their order, under new numbers', () => {
  const arena = new Arena();
  const texts = newTexts(arena);
  const name = (number: number): string => (number % 3 === 0 ? `peña ${number}` : 'x'.repeat(number % 200) + number);
  for (let number = 0; number < 5_000; number++) texts.numberOf(name(number));
  const marks = Uint8Array.from({ length: 5_000 }, (_, number) => (number % 7 === 0 ? 1 : 0));
  const numbers = texts.keep(marks);
  const kept = Array.from({ length: 715 }, (_, place) => name(place * 7));
  expect(texts.all()).toEqual(kept);
  expect(kept.map((text) => texts.find(text))).toEqual(kept.map((_, place) => place));
  expect([numbers[0], numbers[1], numbers[7], numbers[4_998]]).toEqual([0, -1, 1, 714]);
  expect(texts.numberOf('another')).toBe(715);
  texts.keep(new Uint8Array(716));
  expect([texts.count, texts.block, arena.usedBytes]).toEqual([0, 0, 0]);
});

it('knows the hash of each text', () => {
  const kept = ['EUR', '', 'Pérez', '\u{1f600}', 'x'.repeat(200), 'peña '.repeat(100)];
  const texts = newTexts(new Arena());
  texts.take(kept);
  expect([...texts.hashes()]).toEqual(kept.map(textHash));
});

it('rejects an unassigned number', () => {
  const texts = newTexts(new Arena());
  expect(() => texts.textOf(0)).toThrow('the entity has no text with this number');
  texts.numberOf('MXN');
  expect(() => texts.textOf(1)).toThrow('the entity has no text with this number');
});

it('rejects truncated bytes', () => {
  const texts = newTexts(new Arena());
  texts.take(['MXN', 'payee 7']);
  const bytes = written(texts);
  expect(() => newTexts(new Arena()).read(new ByteReader(bytes.subarray(0, -1)))).toThrow('truncated');
});
