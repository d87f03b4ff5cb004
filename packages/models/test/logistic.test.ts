import { describe, expect, it } from 'vitest';
import { exponential, probabilityOf } from '../src/logistic.ts';
import { prng } from './random-model.ts';

function errorOf(value: number, exact: number): number {
  return Math.abs(value - exact) / exact;
}

describe('e to the power of x', () => {
  it('is within 1e-15 of Math.exp', () => {
    const random = prng(2);
    let worst = 0;
    for (let run = 0; run < 200_000; run++) {
      const x = (random(2 ** 32) / 2 ** 32 - 0.5) * (run % 2 === 0 ? 1_400 : 20);
      worst = Math.max(worst, errorOf(exponential(x), Math.exp(x)));
    }
    expect(worst).toBeLessThan(1e-15);
  });

  it.each([
    [0, 1],
    [-0, 1],
    [1e-300, 1],
    [709.79, Infinity],
    [Infinity, Infinity],
    [-746, 0],
    [-745.1, 5e-324],
    [-Infinity, 0],
    [NaN, NaN],
  ])('e^%d', (x, expected) => {
    expect(exponential(x)).toBe(expected);
  });
});

describe('the probability of log-odds', () => {
  it('is within 1e-15 of 1 / (1 + e^-x), also where it is tiny', () => {
    const random = prng(3);
    let worst = 0;
    for (let run = 0; run < 100_000; run++) {
      const x = (random(2 ** 32) / 2 ** 32) * 60 - 40;
      const exact = x > 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
      worst = Math.max(worst, errorOf(probabilityOf(x), exact));
    }
    expect(worst).toBeLessThan(1e-15);
  });

  it.each([
    [0, 0.5],
    [800, 1],
    [-800, 0],
    [Infinity, 1],
    [-Infinity, 0],
  ])('of %d', (margin, expected) => {
    expect(probabilityOf(margin)).toBe(expected);
  });
});
