import { describe, expect, it } from 'vitest';
import { printRows, readRows } from '../src/pages/policy/builder-condition.ts';
import { writeCondition } from '../src/pages/policy/write-condition.ts';

describe('the builder', () => {
  it.each([
    'order.amount > 10000',
    'clientPayments5m >= 6 && order.currency == "MXN"',
    'order.amount > 3 * clientAmountAvg30d && clientPayeeFirstSeen == 0s',
    'session.mismatch != "a && b" && session.age < 1m',
  ])('reads %s, and writes the same', (text) => {
    expect(printRows(readRows(text)!)).toBe(text);
  });

  it('writes out what is said without an operator', () => {
    expect(printRows(readRows('device.isNew && !device.reported')!)).toBe(
      'device.isNew == true && device.reported == false',
    );
  });

  it.each([
    'a > 1 || b > 2',
    '(a > 1 || b > 2) && c',
    'payee.id in lists.mules',
    'x.orValue(1h) >= 1h',
    'has(order.amount)',
  ])('leaves %s to the text', (text) => {
    expect(readRows(text)).toBeUndefined();
  });

  it('changes nothing of a file but the condition', () => {
    const text = '# Why\nrules:\n  - reason: 1 # the first\n    when: a > 1\n  - reason: 2\n    when: b > 1\n';
    expect(writeCondition({ path: 'a.yaml', text }, 2, 'b > 5 && c == "x"').text).toBe(
      text.replace('b > 1', 'b > 5 && c == "x"'),
    );
  });
});
