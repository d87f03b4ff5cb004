import { expect, it } from 'vitest';
import { floatLog, floatLogit } from '../../src/import/float-log.ts';
import { doubles } from './fixtures.ts';

const pairs = doubles('xgboost', 'logits.bin');

it('gives the log-odds of 1,000 probabilities as the C library does, where the nearest number differs as well', () => {
  const rows = Array.from({ length: pairs.length / 2 }, (_, at) => [pairs[2 * at]!, pairs[2 * at + 1]!] as const);
  expect(rows.filter(([probability, logit]) => !Object.is(floatLogit(probability), logit))).toEqual([]);
  const nearest = (probability: number): number =>
    -Math.fround(Math.log(Math.fround(Math.fround(1 / probability) - 1)));
  expect(rows.filter(([probability, logit]) => nearest(probability) !== logit).length).toBeGreaterThan(4);
});

it.each([
  [1, 0],
  [2, Math.fround(Math.LN2)],
  [0.5, -Math.fround(Math.LN2)],
])('the logarithm of %d', (x, expected) => {
  expect(floatLog(x)).toBe(expected);
});
