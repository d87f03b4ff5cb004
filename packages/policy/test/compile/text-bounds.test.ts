import { describe, expect, it } from 'vitest';
import { textLengthMax } from '../../src/compile/bounds.ts';
import { check } from '../evaluate.ts';

const items = (count: number): string => `[${Array.from({ length: count }, (_, at) => `"${at}"`).join(', ')}]`;
const built = '(transaction.description + x)';

/** The work of a function grows with the length of its text, so its cost must grow too. */
describe('the cost of functions on long texts', () => {
  it.each([
    [`${items(200)}.exists(x, ${built}.upperAscii() == "z")`, 'upperAscii'],
    [`${items(90)}.exists(x, ${built}.lowerAscii() == "z")`, 'lowerAscii'],
    [`${items(30)}.exists(x, ${built}.replace("a", "bc").size() == 1)`, 'replace'],
    [`${items(90)}.exists(x, ${built}.trim() == "z")`, 'trim'],
    [`${items(90)}.exists(x, ${built}.substring(1) == "z")`, 'substring'],
    [`${items(90)}.exists(x, ${built}.substring(1, 9) == "z")`, 'substring'],
    [`${items(90)}.exists(x, ${built}.split("ab").size() == 9)`, 'split'],
    [`${items(90)}.exists(x, ${built}.contains("aab"))`, 'contains'],
    [`${items(90)}.exists(x, ${built}.indexOf("aab") > 9)`, 'indexOf'],
    [`${items(90)}.exists(x, ${built}.plain() == "z")`, 'plain'],
    [`${items(90)}.exists(x, ${built}.size() == 9)`, 'size'],
    [`${items(90)}.exists(x, bytes(${built}) == b"z")`, 'bytes'],
    [`${items(90)}.exists(x, [transaction.description, x].join() == "z")`, 'join'],
    [`${items(200)}.exists(x, ${built} == "z")`, '+'],
    [`${items(90)}.exists(x, ${built}.maskEmail() == "z")`, 'maskEmail'],
    [`${items(90)}.exists(x, x + "a" == "z" || dyn(${built}).lowerAscii() == "z")`, 'lowerAscii'],
    [`string(bytes(transaction.description)) == "z"`, 'string'],
  ])('%s: %s', (text, name) => {
    const { compiled } = check(text);
    expect(compiled?.dearest?.name).toBe(name);
    expect(compiled?.cost).toBeGreaterThan(10_000);
  });

  it('is refused if it is too high, naming the most expensive function', () => {
    const { compiled, mistakes } = check(`${items(90)}.exists(x, (x + account.email).matches("^(?:a|b|ab|c)*z"))`);
    expect(compiled).toBeUndefined();
    expect(mistakes.filter(({ severity }) => severity !== 'warning').map(({ message }) => message)).toEqual([
      expect.stringMatching(/takes too long.* of them for each call of matches$/),
    ]);
  });
});

describe('accepted', () => {
  it.each([
    ['transaction.description.lowerAscii().contains("x")', 2_500],
    ['order.currency.upperAscii() == "MXN"', 300],
    ['account.email.split("@")[1] == "mailinator.com"', 600],
    ['session.mismatch.upperAscii() == "NONE"', 50],
    ['"a".replace("a", "b") == order.currency', 30],
    [`lists.words.exists(word, transaction.description.plain().contains(word))`, 6_000],
    [`${items(200)}.exists(word, transaction.description.plain().contains(word))`, 7_000],
  ])('%s: at most %i steps', (text, cost) => {
    const { compiled, mistakes } = check(text);
    expect(mistakes).toEqual([]);
    expect(compiled?.cost).toBeLessThanOrEqual(cost);
  });

  it('a short text costs little in any function, a long one in proportion to its length', () => {
    const cost = (text: string): number => check(`${text}.lowerAscii() == user`).compiled?.cost ?? Number.NaN;
    const [short, long] = [cost('user'), cost('transaction.description')];
    expect(long / short).toBeGreaterThan((0.8 * textLengthMax) / 512);
  });
});
