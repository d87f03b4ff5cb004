import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { naturalLog } from '../../src/measures/natural-log.ts';
import { probabilityOf } from '../../src/logistic.ts';

const steps = Array.from({ length: 40_001 }, (_, step) => (step - 20_000) / 28.3);

it('the logarithm is within some last digits of the exact one', () => {
  for (const x of steps) {
    expect(naturalLog(Math.exp(x))).toBeCloseTo(x, 11 - Math.ceil(Math.abs(x) / 100));
  }
  for (const x of [5e-324, 1e-300, 0.5, 0.999_999, 1, 1.000_001, 2, 3, 1e15, Number.MAX_VALUE]) {
    expect(Math.abs(naturalLog(x) - Math.log(x))).toBeLessThanOrEqual(Math.abs(Math.log(x)) * 4e-16);
  }
  expect([naturalLog(1), naturalLog(0), naturalLog(Infinity), naturalLog(-1)]).toEqual([0, -Infinity, Infinity, NaN]);
});

it('the logarithm and the probability are these numbers on every machine', () => {
  const values = Float64Array.from(steps.flatMap((x) => [probabilityOf(x / 20), naturalLog(Math.abs(x) + 1e-9)]));
  expect(createHash('sha256').update(values).digest('hex')).toMatchInlineSnapshot(
    `"5056ea32efc22584c056e6a8740d82ab1fa152dddff07856970b110a2bf70aa3"`,
  );
});
