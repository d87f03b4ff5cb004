import { parseJson } from '@ringfence/contract';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../src/limits.ts';
import { plainCopy } from '../src/plain-copy.ts';

describe('a plain copy', () => {
  it.each([
    [
      'a value of a signal',
      { width: 1_280, list: ['a', 1.5, true, null] },
      { width: 1_280, list: ['a', 1.5, true, null] },
    ],
    ['NUL', 'a\0b', 'a\uFFFDb'],
    ['a lone surrogate', 'a\uD83Db', 'a\uFFFDb'],
    ['a pair', '🙂', '🙂'],
    [
      'a pair that is cut in two',
      `${'x'.repeat(limits.textLengthMax - 1)}🙂`,
      `${'x'.repeat(limits.textLengthMax - 1)}\uFFFD`,
    ],
    ['no number', Number.NaN, null],
    ['infinity', -Infinity, null],
    ['a function', () => 1, null],
    ['nothing', undefined, null],
    ['a symbol', Symbol('x'), null],
    ['what is too deep', [[[[[1]]]]], [[[[null]]]]],
  ])('of %s', (_, value, copy) => {
    expect(plainCopy(value)).toEqual(copy);
  });

  it('is bounded in number', () => {
    const many = Array.from({ length: 5_000 }, (_, item) => item);
    expect(plainCopy(many)).toHaveLength(limits.itemsMax);
    expect(Object.keys(plainCopy(Object.fromEntries(many.entries())) as object)).toHaveLength(limits.itemsMax);
  });

  /**
   * Whatever a page puts in place of the browser's members, the service's strict reader accepts the token's content.
   */
  it('is accepted by the strict reader', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(fc.anything({ key: text.filter((name) => name !== '__proto__'), maxDepth: 5 }), (value) => {
        const parsed = parseJson(JSON.stringify(plainCopy(value)));
        expect(parsed).toHaveProperty('ok', true);
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });
});
