import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainLetters } from '../../../src/compile/functions/plain-letters.ts';
import { jaroWinkler, nameSimilarity } from '../../../src/compile/functions/similarity.ts';
import { formedLetters, letterFormsModule } from './letter-forms.ts';
import { evaluate } from '../../evaluate.ts';

describe('letters without diacritics', () => {
  it('come from the current output of `node tools/letter-forms.ts`', () => {
    const file = new URL('../../../src/compile/functions/letter-forms.generated.ts', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(letterFormsModule());
  });

  it('are the same for a letter, its capital, and the letter followed by its combining marks', () => {
    const differing = formedLetters().filter((letter) =>
      [letter.toLowerCase(), letter.normalize('NFD')].some((form) => plainLetters(form) !== plainLetters(letter)),
    );
    expect(differing).toEqual([]);
  });

  it.each([
    ['Straße ŁÓDŹ Ærø Œuvre', 'strasse lodz aero oeuvre'],
    ['Cafe\u0301', 'cafe'],
    ['İstanbul ılık', 'istanbul ilik'],
    ['Москва ЁЛКИН Їжак Қазақстан', 'москва елкин іжак қазақстан'],
    ['ΟΔΥΣΣΕΎΣ Οδυσσέας ᾠδή', 'οδυσσευσ οδυσσεασ ωδη'],
    ['Nguyễn Thị Ánh ĐẶNG', 'nguyen thi anh dang'],
    ['Ĳssel Ǆuro Ŋ', 'ijssel dzuro ŋ'],
    ['ԱՐԱՄ ᲗᲑᲘᲚᲘᲡᲘ', 'արամ თბილისი'],
    ['ＡＢｃ１２＠', 'abc12@'],
    ['東京 ×÷', '東京 ×÷'],
    ['É'.repeat(3_000), 'e'.repeat(3_000)],
  ])('%s', (text, plain) => {
    expect(plainLetters(text)).toBe(plain);
  });
});

describe('the similarity of texts', () => {
  /** Values of Winkler's paper. */
  it.each([
    ['martha', 'marhta', 0.961],
    ['dwayne', 'duane', 0.84],
    ['dixon', 'dicksonx', 0.813],
    ['jones', 'johnson', 0.832],
    ['abc', 'xyz', 0],
    ['', '', 1],
    ['', 'a', 0],
    ['a', 'a', 1],
  ])('%s and %s: %s', (a, b, likeness) => {
    expect(jaroWinkler(a, b)).toBeCloseTo(likeness, 3);
  });

  it('is between 0 and 1, and is symmetric for names', () => {
    const text = fc.string({ maxLength: 30, unit: fc.constantFrom('a', 'b', 'É', ' ', ',', '🎁') });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [one, other] = [jaroWinkler(a, b), nameSimilarity(a, b) ?? 0];
        expect(Math.min(one, other)).toBeGreaterThanOrEqual(0);
        expect(Math.max(one, other)).toBeLessThanOrEqual(1);
        expect(nameSimilarity(b, a) ?? 0).toBeCloseTo(other, 12);
        expect(nameSimilarity(a, a)).toBe(1);
      }),
      { seed: 4, numRuns: 1_000 },
    );
  });

  it.each([
    ['José Peña Ruiz', 'RUIZ PENA, JOSE', 1, 1],
    ['María Guadalupe Hernández', 'Ma. Guadalupe Hernandez', 0.9, 1],
    ['Juan Pérez López', 'Juan Peres Lopes', 0.9, 1],
    ['Ana López', 'Pedro Gómez', 0, 0.6],
    ['', 'Ana', 0, 0],
  ])('names: %s and %s', (...[a, b, least, most]) => {
    const likeness = nameSimilarity(a, b) ?? -1;
    expect(likeness).toBeGreaterThanOrEqual(least);
    expect(likeness).toBeLessThanOrEqual(most);
  });

  it.each([
    ['similarity(user, "ana") > 0.0', { user: 'a'.repeat(65) }],
    ['nameSimilarity(user, "ana") > 0.0', { user: 'a'.repeat(65) }],
    ['nameSimilarity(user, "ana") > 0.0', { user: 'a '.repeat(11) }],
    ['similarity(user, order.currency) > 0.0', { user: 'a' }],
  ])('%s is missing', (text, facts) => {
    expect(evaluate(text, facts)).toBeUndefined();
  });
});
