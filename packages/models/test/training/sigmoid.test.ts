import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { naturalLog } from '../../src/measures/natural-log.ts';
import { exponential, sigmoid } from '../../src/training/sigmoid.ts';

const steps = Array.from({ length: 40_001 }, (_, step) => (step - 20_000) / 28.3);

it('the exponential and the logarithm are within some last digits of the exact ones', () => {
  for (const x of steps) {
    expect(exponential(x) / Math.exp(x)).toBeCloseTo(1, 14);
    expect(naturalLog(Math.exp(x))).toBeCloseTo(x, 11 - Math.ceil(Math.abs(x) / 100));
  }
  for (const x of [5e-324, 1e-300, 0.5, 0.999_999, 1, 1.000_001, 2, 3, 1e15, Number.MAX_VALUE]) {
    expect(Math.abs(naturalLog(x) - Math.log(x))).toBeLessThanOrEqual(Math.abs(Math.log(x)) * 4e-16);
  }
  expect([naturalLog(1), naturalLog(0), naturalLog(Infinity), naturalLog(-1)]).toEqual([0, -Infinity, Infinity, NaN]);
});

it('the sigmoid is symmetric and never leaves 0 to 1', () => {
  expect([sigmoid(0), sigmoid(-1e9), sigmoid(1e9)]).toEqual([0.5, 0, 1]);
  for (const x of steps) expect(sigmoid(x) + sigmoid(-x)).toBeCloseTo(1, 15);
});

it('both are these numbers on every machine', () => {
  const values = Float64Array.from(steps.flatMap((x) => [sigmoid(x / 20), naturalLog(Math.abs(x) + 1e-9)]));
  expect(createHash('sha256').update(values).digest('hex')).toMatchInlineSnapshot(
    `"28b58ba957165bd7d62c883f54fc71d236c3776baf9ee37604f7e40df0040789"`,
  );
});
