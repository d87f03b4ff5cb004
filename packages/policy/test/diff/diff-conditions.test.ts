import { expect, it } from 'vitest';
import { conditionChanges } from '../../src/diff/diff-conditions.ts';

it.each([
  ['a > 1 && b', 'a > 1 && b', []],
  ['a > 1 && b > 2', 'a > 5 && b > -2', ['threshold of a 1 to 5', 'threshold of b 2 to -2']],
  ['a > 1 || b', 'a >= 1 || b', ['condition a > 1 to a >= 1']],
  ['a > b', 'a > c', ['threshold of a b to c']],
  ['a > b * 2', 'a > b * 3', ['condition a > b * 2 to a > b * 3']],
  [
    'a.exists(x, x > 1 && x < 5)',
    'a.exists(x, x > 1 && x < 6)',
    ['condition a.exists(x, x > 1 && x < 5) to a.exists(x, x > 1 && x < 6)'],
  ],
  ['a == "it > b"', 'a == "it > c"', ['threshold of a "it > b" to "it > c"']],
])('reports changed parts if the parts are joined as before: %s to %s', (before, after, changes) => {
  expect(conditionChanges(before, after)).toEqual(changes);
});

it.each([
  ['a && b', 'a', ['no longer requires b']],
  ['a && b && c', 'b', ['no longer requires a', 'no longer requires c']],
  ['a', 'a && (b || c)', ['also requires b || c']],
  ['a || b', '(a || b) && c && d', ['also requires c', 'also requires d']],
])('reports added and removed requirements: %s to %s', (before, after, changes) => {
  expect(conditionChanges(before, after)).toEqual(changes);
});

it.each([
  ['a > 100 && b > 2', 'a > 200 || b > 2'],
  ['a && b', 'a || b'],
  ['a && b', 'a || b || c > 3'],
  ['a && b && c > 3', 'a || b'],
  ['a && b', 'a && c && d'],
  ['a && (b || c)', '(a && b) || c'],
  ['!(a && b)', 'a && b'],
  ['!(a && b)', '!(a || b)'],
  ['a && b', 'a && b && a'],
  ['a && b && c', 'a && (b && c)'],
])('shows both conditions if they are joined differently: %s to %s', (before, after) => {
  expect(conditionChanges(before, after)).toEqual([`condition ${before} to ${after}`]);
});

it('shows both conditions if one is longer than an expression may be', () => {
  const long = `a == "${'x'.repeat(5_000)}"`;
  expect(conditionChanges('a == "x"', long)).toEqual([`condition a == "x" to ${long}`]);
});
