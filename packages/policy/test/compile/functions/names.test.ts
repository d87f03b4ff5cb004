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

  it.each([['similarity(user, order.currency) > 0.0', { user: 'a' }]])('%s is missing', (text, facts) => {
    expect(evaluate(text, facts)).toBeUndefined();
  });

  it.each([
    [`similarity(user, "ana") == similarity(${JSON.stringify('ana'.padEnd(64, 'x'))}, "ana")`, 'ana'.padEnd(900, 'x')],
    ['nameSimilarity(user, "Ana Maria") > 0.9', `Ana Maria${' '.repeat(60)}x`],
    ['nameSimilarity(user, "a b c d e f g h i j") == 1.0', 'a b c d e f g h i j k l'],
    ['nameSimilarity(user, "José Peña") == 1.0', `J\u200bos\u00adé${'\u2060'.repeat(100)} Pe\ufeffña`],
  ])('of a longer text, the beginning is compared: %s', (text, user) => {
    expect(evaluate(text, { user })).toBe(true);
  });
});

describe('a text longer than functions look at', () => {
  const behind = '😀'.repeat(2_048);

  it.each([
    ['contains, found', 'user.contains("regalo")', `regalo${behind}`, true],
    ['contains, not found', 'user.contains("regalo")', `${behind}regalo`, undefined],
    ['plain', 'user.plain().contains("regalo")', `Regaló${behind}`, true],
  ] as const)('%s', (...[, text, user, expected]) => {
    expect(evaluate(text, { user })).toBe(expected);
  });
});

describe('characters that show nothing', () => {
  it.each(
    [
      0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180e, 0x200b, 0x200d, 0x202e, 0x2060, 0x2064, 0x3164, 0xfe0f, 0xfeff,
      0xffa0, 0x1d173, 0xe0041, 0xe01ef,
    ].map((code) => String.fromCodePoint(code)),
  )('plain() drops %j', (character) => {
    const user = `${character}Re${character}GA${character}${character}lo${character}`;
    expect(evaluate('user.plain() == "regalo"', { user })).toBe(true);
  });

  it.each(['😀', '漢', '\ud83d', '𝄞', '-', ' '])('plain() keeps %j', (character) => {
    expect(evaluate('user.plain() == order.currency', { user: character, 'order.currency': character })).toBe(true);
  });
});
