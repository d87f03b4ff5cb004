import { expect, it } from 'vitest';
import { Dictionary } from '../../src/features/dictionary.ts';
import { allTexts } from '../../src/features/texts.ts';

const texts = Array.from({ length: 1_000 }, (_, at) => `payee ${(at * 7_919) % 1_000}`);

it('gives every text a number of its own, in the order in which they came, few or many', () => {
  const dictionary = new Dictionary();
  for (const [number, text] of texts.entries()) {
    expect(dictionary.find(text)).toBe(-1);
    expect(dictionary.numberOf(text)).toBe(number);
    expect(dictionary.find(text)).toBe(number);
    // The one that was asked for last stands in nobody's way.
    expect(dictionary.numberOf(texts[0]!)).toBe(0);
  }
  expect(texts.map((text) => dictionary.find(text))).toEqual([...texts.keys()]);
  expect(texts.map((text) => dictionary.textOf(dictionary.numberOf(text)))).toEqual(texts);
});

it('goes on from texts that were kept', () => {
  const dictionary = new Dictionary(texts.slice(0, 40));
  expect(dictionary.find('unknown')).toBe(-1);
  expect(dictionary.numberOf('unknown')).toBe(40);
  expect(texts.slice(0, 40).map((text) => dictionary.numberOf(text))).toEqual([...Array(40).keys()]);
  expect(allTexts(dictionary)).toEqual([...texts.slice(0, 40), 'unknown']);
});
