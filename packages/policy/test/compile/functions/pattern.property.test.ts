import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/compile/functions/pattern.ts';

const piece = fc.constantFrom(
  'a',
  'b',
  'é',
  '[ab]',
  '[^a]',
  '.',
  '\\w',
  '\\b',
  '\\B',
  '^',
  '$',
  '(a|b)',
  '(?i)A',
  '\\pL',
  '',
);
const repeat = fc.constantFrom('', '*', '+', '?', '{2,5}', '{9}', '*?');
const pattern = fc
  .array(fc.tuple(piece, repeat), { minLength: 1, maxLength: 7 })
  .map((parts) =>
    parts.map(([one, times]) => (one === '' || /[\^$bB]$/.test(one) ? one : `(?:${one})${times}`)).join(''),
  );
const alternatives = fc.array(pattern, { minLength: 1, maxLength: 3 }).map((all) => all.join('|'));
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'é', ' ', '\n', '😀'), maxLength: 60 });

/**
 * re2js has two ways to search for a pattern: one caches states without a bound, the other does not. Both return the
 * same.
 */
describe('a pattern', () => {
  it('is found where `test` of re2js finds it, 3,000 times', () => {
    const seen = { found: 0, not: 0 };
    fc.assert(
      fc.property(alternatives, fc.array(text, { minLength: 1, maxLength: 5 }), (written, texts) => {
        const compiled = compilePattern(written);
        if ('wrong' in compiled) return;
        const other = RE2JS.compile(written);
        for (const one of texts) {
          const found = other.test(one);
          expect(compiled.apply(one), `${written} in ${JSON.stringify(one)}`).toBe(found);
          if (found) seen.found++;
          else seen.not++;
        }
      }),
      { seed: 12, numRuns: 3_000 },
    );
    expect(Math.min(seen.found, seen.not)).toBeGreaterThan(1_000);
  });

  it('costs as much as can be active in it, and little if a single character decides', () => {
    const cost = (written: string): number => {
      const compiled = compilePattern(written);
      if ('wrong' in compiled) throw new Error(compiled.wrong);
      return compiled.cost({ length: 512 });
    };
    expect(cost('^[A-Z]{3}[0-9]+$')).toBeLessThan(1_100);
    expect(cost('gift|bonus|prize|crypto')).toBeLessThan(8_000);
    expect(cost('[ab]*a[ab]{130}[cd]')).toBeGreaterThan(100_000);
    expect(cost('\\pL{1,70}[0-9]')).toBeGreaterThan(100_000);
  });
});
