import { describe, expect, it } from 'vitest';
import { parseExpression } from '../../src/expression/parse.ts';
import { printExpression } from '../../src/expression/print.ts';
import type { Mistake } from '../../src/check/mistake.ts';

function parse(text: string): { readonly printed: string | undefined; readonly mistakes: readonly Mistake[] } {
  const mistakes: Mistake[] = [];
  const node = parseExpression(text, (mistake) => mistakes.push(mistake));
  return { printed: node === undefined ? undefined : printExpression(node), mistakes };
}

describe('a duration literal', () => {
  it.each([
    ['a < 15m', 'a < 15m'],
    ['a < 90m', 'a < 1h30m'],
    ['0s == a', '0s == a'],
    ['a == "15m"', 'a == "15m"'],
    ["a == '5s' && b > 5s", 'a == "5s" && b > 5s'],
    ['a == """5s""" && b > 1d', 'a == "5s" && b > 1d'],
    ['a > 5s // not 7s', 'a > 5s'],
    ['a15m > 1', 'a15m > 1'],
    ['x.exists(y, y > 500ms)', 'x.exists(y, y > 500ms)'],
    ['r"\\5s" == a', '"\\\\5s" == a'],
  ])('%s', (text, printed) => {
    expect(parse(text).printed).toBe(printed);
  });

  it('keeps every position', () => {
    const text = 'a < 15m && b > 1h30m && c.d';
    const mistakes: Mistake[] = [];
    const node = parseExpression(text, (mistake) => mistakes.push(mistake));
    if (node?.kind !== 'logic') throw new Error('a conjunction is expected');
    expect(text.slice(node.right.start, node.right.end)).toBe('c.d');
  });

  it.each([
    ['a < 30m1h', '30m1h is not a duration'],
    ['a < 1234567d', '1234567d is not a duration'],
  ])('%s: %s', (text, message) => {
    expect(parse(text).mistakes).toMatchObject([{ message }]);
  });
});

describe('printing', () => {
  it.each([
    ['(a||b)&&!c', '(a || b) && !c'],
    ['((a))', 'a'],
    ['a&&(b&&c)', 'a && (b && c)'],
    ['a-(b-c)', 'a - (b - c)'],
    ['(a-b)-c', 'a - b - c'],
    ['(a+b)*c/d', '(a + b) * c / d'],
    ['-(a+b)', '-(a + b)'],
    ['!(a==b)', '!(a == b)'],
    ['a?b:c?d:e', 'a ? b : c ? d : e'],
    ['(a?b:c)?d:e', '(a ? b : c) ? d : e'],
    ['f(a , b).g( )', 'f(a, b).g()'],
    ["a [ 'k' ]", 'a["k"]'],
    ['a in [1,2,]', 'a in [1, 2]'],
    ['a.b.?c', 'a.b.c'],
    ['(a == b) == c', 'a == b == c'],
    ['a == (b == c)', 'a == (b == c)'],
    ['{"a" : 1u, 2:b"x"}.a', '{"a": 1u, 2: b"\\x78"}.a'],
    ['f( a ).b', 'f(a).b'],
    ['a.`b-c`.d', 'a.`b-c`.d'],
    ['a.`b`', 'a.b'],
    ['-9223372036854775808', '-9223372036854775808'],
    ["br'\\d' + b'é'", 'b"\\x5c\\x64" + b"\\xc3\\xa9"'],
  ])('%s prints as %s, which prints as itself', (text, printed) => {
    expect(parse(text).printed).toBe(printed);
    expect(parse(printed).printed).toBe(printed);
  });
});

describe('a text that is not an expression', () => {
  it.each([
    ['', 0, 'the expression is empty', undefined],
    ['   ', 3, 'the expression is empty', undefined],
    ['a = b', 2, '"=" is not expected here', '== to compare'],
    ['a => 3', 2, '"=" is not expected here', '>= to compare'],
    ['a =< 3', 2, '"=" is not expected here', '<= to compare'],
    ['a and b', 2, '"and" is not expected here', '&& for "and"'],
    ['a OR b', 2, '"OR" is not expected here', '|| for "or"'],
    ['a & b', 2, '"&" is not expected here', '&& for "and"'],
    ['a not in b', 2, '"not" is not expected here', '!(x in [1, 2])'],
    ['a <> b', 3, 'a value is expected here, not >', '!= for "not equal"'],
    ['a between 1', 2, '"between" is not expected here', 'x >= 1 && x <= 9'],
    ['a > 1.5h', 7, '"h" is not expected here', 'a duration in whole units, such as 1h30m'],
    ['a > 1w', 5, '"w" is not expected here', 'a duration in d, h, m, s or ms, such as 7d, 24h or 90s'],
    ['a < 05:30', 6, '":" is not expected here', '5h30m'],
    ['a in 22..23', 8, 'expected a name, got .', 'x >= 22 && x <= 23'],
    ['a in [22...23]', 9, 'expected a name, got .', 'x >= 22 && x <= 23'],
    ['“a” == b', 0, '"“" (U+201C) is not expected here', 'straight quotes'],
    ['a &&', 4, 'the expression ends too early', 'a condition after it, or nothing'],
    ['(a', 2, 'expected ), got the end', 'a ) for each ('],
    ['"a', 0, 'unterminated string', 'the same quote at its end'],
    ['a.while.b == if', 13, 'reserved identifier: if', undefined],
    ['99999999999999999999', 0, '99999999999999999999 is too large', 'a whole number of at most 64 bits'],
    ['18446744073709551616u', 0, 'invalid integer: 18446744073709551616', undefined],
    ['`a` == 1', 0, '`a` needs a value and a dot before it', 'transaction.details.`content-type`'],
  ])('%s', (text, ...[start, message, suggestion]) => {
    const { printed, mistakes } = parse(text);
    expect(printed).toBeUndefined();
    expect(mistakes[0]).toMatchObject({ start, message });
    expect(mistakes[0]?.suggestion).toBe(suggestion);
  });
});
