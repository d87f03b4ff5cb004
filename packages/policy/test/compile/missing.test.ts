import { describe, expect, it } from 'vitest';
import { evaluate } from '../evaluate.ts';

type Truth = boolean | undefined;

/** `client.known` and `client.blocked` represent two parts of any condition. */
function outcome(text: string, a: Truth, b: Truth): unknown {
  return evaluate(text, { 'client.known': a, 'client.blocked': b });
}

const pairs: readonly (readonly [a: Truth, b: Truth, and: Truth, or: Truth])[] = [
  [true, true, true, true],
  [true, false, false, true],
  [true, undefined, undefined, true],
  [false, true, false, true],
  [false, false, false, false],
  [false, undefined, false, undefined],
  [undefined, true, undefined, true],
  [undefined, false, false, undefined],
  [undefined, undefined, undefined, undefined],
];

describe('three values', () => {
  it.each(pairs)('%s and %s: && is %s, || is %s', (a, b, ...[and, or]) => {
    expect(outcome('client.known && client.blocked', a, b)).toBe(and);
    expect(outcome('client.known || client.blocked', a, b)).toBe(or);
  });

  it.each([
    [true, false],
    [false, true],
    [undefined, undefined],
  ] as const)('!%s is %s', (a, not) => {
    expect(outcome('!client.known', a, undefined)).toBe(not);
  });

  it.each(['==', '!=', '<', '<=', '>', '>='])('a comparison with a missing side is missing: %s', (operator) => {
    const facts = { 'client.logins': 5, 'client.operations': undefined };
    expect(evaluate(`client.logins ${operator} client.operations`, facts)).toBeUndefined();
    expect(evaluate(`client.operations ${operator} client.logins`, facts)).toBeUndefined();
    expect(evaluate(`client.operations ${operator} 5`, facts)).toBeUndefined();
    expect(evaluate(`client.operations ${operator} client.operations`, facts)).toBeUndefined();
  });

  it.each([
    'order.currency in ["MXN"]',
    'order.currency in lists.words',
    'order.currency.startsWith("M")',
    '"x".startsWith(order.currency)',
    'order.amount + 1 > 0',
    '-order.amount < 0',
    'order.amount > 0 ? true : true',
    '"fee" in transaction.details',
    '["a"].exists(x, x == order.currency)',
    '["a"].all(x, x == order.currency)',
  ])('%s is missing', (text) => {
    expect(evaluate(text)).toBeUndefined();
  });

  it('a list search uses the items that are present, and is missing only if none of them matches', () => {
    const facts = { user: 'a' };
    expect(evaluate('user in [order.currency, "a"]', facts)).toBe(true);
    expect(evaluate('user in [order.currency, "b"]', facts)).toBeUndefined();
  });

  it('a quantifier that the present items decide is not missing', () => {
    const facts = { 'client.known': true };
    expect(evaluate('[true, false].exists(x, x ? client.known : client.blocked)', facts)).toBe(true);
    expect(evaluate('[true, false].all(x, x ? client.known : client.blocked)', facts)).toBeUndefined();
    expect(evaluate('[true, false].all(x, x ? !client.known : client.blocked)', facts)).toBe(false);
    expect(evaluate('[true, false].exists_one(x, x ? client.known : client.blocked)', facts)).toBeUndefined();
  });

  it('has and orValue are never missing', () => {
    expect(evaluate('has(order.amount)')).toBe(false);
    expect(evaluate('order.amount.orValue(0) == 0')).toBe(true);
    expect(evaluate('has(transaction.details["x"])')).toBe(false);
  });
});
