import { describe, expect, it } from 'vitest';
import { check, type Mistake } from '../../../src/platform/shapes/check.ts';
import {
  decimalNumber,
  exactly,
  listOf,
  oneOf,
  text,
  wholeNumber,
  yesOrNo,
} from '../../../src/platform/shapes/shape.ts';

const shape = exactly({
  name: text({ maxLength: 5 }),
  port: wholeNumber({ minimum: 0, maximum: 65_535, default: 8_080 }),
  mode: oneOf(['live', 'observe'], { default: 'observe' }),
  loud: yesOrNo({ default: false }),
  items: listOf(exactly({ id: wholeNumber({ minimum: 1, maximum: 9 }) }), { maxItems: 2, default: [] }),
});

function mistakesOf(value: unknown): readonly Mistake[] {
  const checked = check(shape, value);
  return checked.ok ? [] : checked.mistakes;
}

describe('a valid value', () => {
  it('is completed with the defaults', () => {
    expect(check(shape, { name: 'a', mode: 'live' })).toEqual({
      ok: true,
      value: { name: 'a', mode: 'live', port: 8_080, loud: false, items: [] },
    });
  });

  it('does not share its defaults', () => {
    const [a, b] = [check(shape, { name: 'a' }), check(shape, { name: 'b' })];
    if (!a.ok || !b.ok) throw new Error('both are right');
    expect(a.value.items).not.toBe(b.value.items);
  });
});

describe('a text', () => {
  it('is measured in code points, as in JSON Schema', () => {
    expect(mistakesOf({ name: '😀'.repeat(5) })).toEqual([]);
    expect(mistakesOf({ name: '😀'.repeat(6) })).toHaveLength(1);
  });

  it.each(['a\0', '\ud800', 'a\udc00'])('%j is refused: the database cannot store it', (name) => {
    const [mistake] = mistakesOf({ name });
    expect(mistake?.expected).toBe('text without the character NUL and without lone surrogates');
    expect(mistake?.path).toEqual(['name']);
  });
});

describe('a decimal number', () => {
  const share = exactly({ share: decimalNumber({ minimum: 0, maximum: 1 }) });

  it.each([0, 0.25, 1])('%j is taken', (value) => {
    expect(check(share, { share: value })).toEqual({ ok: true, value: { share: value } });
  });

  it.each([-0.1, 1.5, NaN, Infinity, '0.5'])('%j is refused', (value) => {
    const checked = check(share, { share: value });
    expect(checked.ok ? [] : checked.mistakes).toMatchObject([{ path: ['share'], expected: 'a number from 0 to 1' }]);
  });
});

describe('an error', () => {
  it.each([
    ['nothing', null, 'the top level: expected a mapping (key: value), found nothing'],
    ['a missing member', {}, 'name is missing: expected text of 1 to 5 characters'],
    ['a misspelt name', { name: 'a', prot: 1 }, 'prot is not known; did you mean "port"?'],
    ['an unknown name', { name: 'a', zzz: 1 }, 'zzz is not known; expected one of name, port, mode, loud, items'],
    [
      'a number out of bounds',
      { name: 'a', port: 65_536 },
      'port: expected a whole number from 0 to 65535, found 65536',
    ],
    ['a fraction', { name: 'a', port: 1.5 }, 'port: expected a whole number from 0 to 65535, found 1.5'],
    ['a number in quotes', { name: 'a', port: '80' }, 'port: expected a whole number from 0 to 65535, found "80"'],
    [
      'a misspelt value',
      { name: 'a', mode: 'lvie' },
      'mode: expected live or observe, found "lvie"; did you mean "live"?',
    ],
    ['text too long', { name: 'abcdef' }, 'name: expected text of 1 to 5 characters, found "abcdef"'],
    ['a list for a mapping', [], 'the top level: expected a mapping (key: value), found a list'],
    [
      'too many items',
      { name: 'a', items: [{ id: 1 }, { id: 2 }, { id: 3 }] },
      'items: expected at most 2 items, found 3',
    ],
    [
      'a wrong item',
      { name: 'a', items: [{ id: 1 }, { id: 0 }] },
      'items[1].id: expected a whole number from 1 to 9, found 0',
    ],
    [
      'a property name of Object',
      { name: 'a', constructor: 1 },
      'constructor is not known; expected one of name, port, mode, loud, items',
    ],
  ])('about %s is reported in one sentence', (_, value, message) => {
    expect(mistakesOf(value).map((mistake) => mistake.message)).toEqual([message]);
  });

  it('does not hide another: all are reported together', () => {
    const mistakes = mistakesOf({ naem: 'a', port: -1, mode: 1, loud: 'yes', items: [{}] });
    expect(mistakes.map(({ path }) => path.join('.'))).toEqual(['naem', 'port', 'mode', 'loud', 'items.0', '']);
  });

  it('in a secret does not reveal it', () => {
    const secretive = exactly({ key: text({ maxLength: 3, secret: true, expected: 'a short key' }) });
    const checked = check(secretive, { key: 'do not tell' });
    expect(JSON.stringify(checked)).not.toContain('do not tell');
  });
});

describe('a check beyond the schema', () => {
  const even = exactly({
    n: wholeNumber({ minimum: 0, maximum: 9, refine: (n) => (n % 2 === 0 ? undefined : 'an even number') }),
  });

  it('is reported in the same form', () => {
    const checked = check(even, { n: 3 });
    expect(checked).toMatchObject({ ok: false, mistakes: [{ message: 'n: expected an even number, found 3' }] });
  });

  it('is not run on a value that violates the schema', () => {
    const checked = check(even, { n: 11 });
    expect(checked).toMatchObject({
      ok: false,
      mistakes: [{ message: 'n: expected a whole number from 0 to 9, found 11' }],
    });
  });
});
