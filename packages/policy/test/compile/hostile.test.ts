import { describe, expect, it } from 'vitest';
import { patternBounds } from '../../src/compile/functions/pattern.ts';
import { check, decimal, evaluate } from '../evaluate.ts';

const repeat = (text: string, times: number): string => text.repeat(times);

/** For any text, the check ends quickly with a mistake and never with an exception. */
describe('refused immediately', () => {
  it.each([
    ['a megabyte of text', `user == "${repeat('x', 1_000_000)}"`],
    ['a megabyte of operators', repeat('!', 1_000_000)],
    ['deep parentheses', repeat('(', 1_000) + repeat(')', 1_000)],
    ['deep lists', repeat('[', 1_000)],
    ['a long conjunction', Array.from({ length: 400 }, () => 'client.known').join('&&')],
    ['a long chain of members', `a${repeat('.b', 1_500)}`],
    ['a long chain of calls', `user${repeat('.trim()', 500)} == ""`],
    ['many negations', `${repeat('!', 3_000)}client.known`],
    ['many minus signs', `${repeat('-', 3_000)}1 == 1`],
    ['nested choices', `${repeat('client.known ? ', 300)}true${repeat(' : false', 300)}`],
    ['nested quantifiers', `${repeat('[1,2,3,4,5,6,7,8,9,10].exists(x, ', 6)}client.known${repeat(')', 6)}`],
    [
      'nested quantifiers over names of their own',
      ['a', 'b', 'c', 'd', 'e'].reduce(
        (inner, name) => `[1,2,3,4,5,6,7,8,9,10].all(${name}, ${name} > 0 && ${inner})`,
        'a + b + c + d + e > 0',
      ),
    ],
    ['many patterns', Array.from({ length: 90 }, (_, at) => `user.matches("[ab]{40}${at}$")`).join(' || ')],
    ['a pattern of nested counts', 'user.matches("(((a{9}){9}){9}){9}")'],
    ['a pattern of a large count', 'user.matches("a{1000}b{1000}")'],
    ['the prototype', 'user.__proto__ == "x"'],
    ['the constructor', 'user.constructor == "x"'],
    ['a method of the host', 'user.toString() == "x"'],
    ['a call of the host', 'constructor.constructor("return 1")() == 1'],
    ['a NUL', 'user == \0'],
    ['a lone surrogate', 'user == "\\ud800"'],
    ['an unfinished escape', 'user == "\\u12"'],
    ['a map literal of 300 entries', `{${repeat('"a": 1,', 300)}}.size() == 1`],
    ['bindings', 'cel.bind(x, user, x == "a")'],
  ])('%s', (_, text) => {
    const { compiled, mistakes } = check(text);
    expect(compiled).toBeUndefined();
    expect(mistakes.length).toBeGreaterThan(0);
    expect(mistakes.length).toBeLessThan(1_000);
  });
});

describe('patterns run in linear time', () => {
  it.each(['^(a+)+$', '(a|a)*b', '(.*)(.*)(.*)(.*)x', '([a-z]+)*[0-9]', '(a|b)*a(a|b){20}[cd]'])('%s', (pattern) => {
    // A backtracking engine takes years over these.
    expect(evaluate(`user.matches("${pattern}")`, { user: repeat('a', patternBounds.textLength) })).toBe(
      pattern === '^(a+)+$',
    );
  });

  it.each([
    ['(?i)bitcoin', 'Bitcoin ', true],
    ['bitcoin', '', undefined],
    ['a$', '', undefined],
    [String.raw`a\z`, '', undefined],
    [String.raw`a\b`, '', undefined],
  ])('of a longer text only the beginning is looked at: %s', (pattern, before, expected) => {
    const user = `${before}${repeat('a', patternBounds.textLength)} bitcoin`;
    expect(evaluate(`user.matches(${JSON.stringify(pattern)})`, { user })).toBe(expected);
  });
});

describe('long texts of events', () => {
  const long = repeat('a', 60_000);

  it.each([
    ['user.contains("b")', undefined],
    ['user.contains(order.currency)', undefined],
    ['user.lowerAscii() == "a"', false],
    ['user.trim() == "a"', undefined],
    ['"a".contains(user)', undefined],
    ['user.startsWith("a")', true],
    ['user.endsWith("b")', false],
    ['user.size() == 60000', true],
    ['user == order.currency', true],
  ])('%s is %s', (text, outcome) => {
    expect(evaluate(text, { user: long, 'order.currency': long })).toBe(outcome);
  });

  it('spaces in the middle do not slow trim down', () => {
    const blanks = `a${repeat(' ', 4_000)}a`;
    expect(evaluate('user.trim() == user', { user: blanks })).toBe(true);
  });
});

it('products of decimals stay bounded', () => {
  const power = Array.from({ length: 100 }, () => 'order.amount').join(' * ');
  expect(evaluate(`${power} > 0`, { 'order.amount': (10n ** 30n) as never })).toBeUndefined();
});

it('quotients of decimals stay bounded', () => {
  const quotient = `order.amount${repeat(' / 0.000000000001', 100)}`;
  expect(evaluate(`${quotient} > 0`, { 'order.amount': decimal('1') })).toBeUndefined();
  expect(evaluate('order.amount / 0.000000000001 == 1000000000000', { 'order.amount': decimal('1') })).toBe(true);
});

it('keys of a map are not members of its prototype', () => {
  const facts = { 'transaction.details': new Map([['a', 'b']]) };
  expect(evaluate('has(transaction.details["constructor"])', facts)).toBe(false);
  expect(evaluate('"__proto__" in transaction.details', facts)).toBe(false);
});
