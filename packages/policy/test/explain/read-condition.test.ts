import { describe, expect, it } from 'vitest';
import { printExpression } from '../../src/expression/print.ts';
import { readCondition } from '../../src/explain/read-condition.ts';

describe('the structure of a condition', () => {
  it('is read whatever its names mean', () => {
    const node = readCondition('a > 1 || !has(b.c)');
    expect(node).toMatchObject({ kind: 'logic', operator: '||', left: { kind: 'compare' }, right: { kind: 'not' } });
    expect(printExpression(node!)).toBe('a > 1 || !has(b.c)');
  });

  it.each(['', 'a >', 'a > 1 )', `a > ${'1'.repeat(4_000)}`])('is not read from %s', (text) => {
    expect(readCondition(text)).toBeUndefined();
  });
});
