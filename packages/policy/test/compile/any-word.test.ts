import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordSearch } from '../../src/compile/word-search.ts';
import { check, evaluate } from '../evaluate.ts';

/** Two letters, so that words overlap, contain and begin each other. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'Ж'), maxLength: 5 });

it('finds a word exactly where the host does', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), fc.array(word), (words, parts) => {
      const text = parts.join('');
      expect(new WordSearch(words).isIn(text)).toBe(words.some((one) => text.includes(one)));
    }),
    { seed: 1, numRuns: 5_000 },
  );
});

/** With `== true` after it, the same condition is evaluated word by word. */
describe('returns the same as a search word by word', () => {
  const long = 'a'.repeat(300);
  const tooLong = 'b'.repeat(4_097);
  it.each([
    ['["gift", "card"]', 'a gift', true],
    ['["gift", "card"]', 'a present', false],
    ['["gift", ""]', 'a present', true],
    [`["${long}", "gift"]`, 'a gift', true],
    [`["${long}", "gift"]`, 'a present', undefined],
    ['["gift", order.currency]', 'a gift', true],
    ['["gift", order.currency]', 'a present', undefined],
    ['["gift"]', undefined, undefined],
    ['["gift"]', tooLong, undefined],
    ['["gift"].filter(x, x == "")', undefined, false],
    ['["gift"].filter(x, x == "")', tooLong, false],
    ['[order.currency].filter(x, x == "")', 'a gift', undefined],
  ])('%s in %s', (list, text, outcome) => {
    const facts = text === undefined ? {} : { 'transaction.description': text };
    expect(evaluate(`${list}.exists(w, transaction.description.contains(w))`, facts)).toBe(outcome);
    expect(evaluate(`${list}.exists(w, transaction.description.contains(w) == true)`, facts)).toBe(outcome);
  });

  it('a word that changes with the event is not cached', () => {
    const condition = '["gift", order.currency].exists(w, transaction.description.contains(w))';
    const facts = (currency: string) => ({ 'transaction.description': 'MXN', 'order.currency': currency });
    expect([evaluate(condition, facts('EUR')), evaluate(condition, facts('MXN'))]).toEqual([false, true]);
  });

  it('builds no tree of words that come with the event, because that takes longer than searching for each', () => {
    const contains = (words: number): string =>
      `[${Array.from({ length: words }, () => 'account.email').join(', ')}].exists(w, transaction.description.contains(w)`;
    const best = (condition: string): number => {
      const { run } = check(condition);
      const times = Array.from({ length: 40 }, (_, at) => {
        const facts = { 'account.email': String(at).repeat(120), 'transaction.description': 'a gift' };
        const begun = performance.now();
        expect(run(facts)).toBe(false);
        return performance.now() - begun;
      });
      return Math.min(...times);
    };
    // With six times the words, and a margin for a slow machine: a tree took some hundred times as long.
    expect(best(`${contains(48)})`)).toBeLessThan(6 * 4 * best(`${contains(8)} == true)`));
  });
});
