import fc from 'fast-check';
import { expect, it } from 'vitest';
import { calibrated, calibratedProbability } from '../src/calibrated.ts';
import { probabilityOf } from '../src/logistic.ts';

const calibration = { lowSlope: 0.75, highSlope: 1.25, shift: -0.5 };

it('adds ln p and -ln(1 - p), each with its slope', () => {
  for (let margin = -30; margin <= 30; margin += 0.37) {
    const [p, q] = [1 / (1 + Math.exp(-margin)), 1 / (1 + Math.exp(margin))];
    expect(calibrated(calibration, margin)).toBeCloseTo(-0.5 + 0.75 * Math.log(p) - 1.25 * Math.log(q), 10);
  }
});

it('is the identity where all slopes are 1, and absent it is the probability of the trees', () => {
  for (let margin = -40; margin <= 40; margin += 0.7) {
    expect(calibrated({ lowSlope: 1, highSlope: 1, shift: 0 }, margin)).toBeCloseTo(margin, 12);
    expect(calibratedProbability({}, margin)).toBe(probabilityOf(margin));
  }
});

it('never changes which of two events is more suspicious', () => {
  const slope = fc.double({ min: 0.01, max: 10, noNaN: true });
  const margin = fc.double({ min: -50, max: 50, noNaN: true });
  fc.assert(
    fc.property(fc.tuple(slope, slope), margin, margin, ([lowSlope, highSlope], a, b) => {
      fc.pre(Math.abs(a - b) > 1e-9);
      const of = (one: number): number => calibrated({ lowSlope, highSlope, shift: 1 }, one);
      expect(of(Math.min(a, b))).toBeLessThan(of(Math.max(a, b)));
    }),
  );
});

it.each([
  [-7.3, -5.974662344649207, 0.0025359131782433653],
  [-0.01, -0.16342015974606883, 0.45923564129387767],
  [0.2, 0.04906943469079594, 0.5122648978100777],
  [5.9, 6.876367849689268, 0.9989691784804695],
])('of log-odds of %d has the same digits everywhere', (margin, logOdds, p) => {
  expect([calibrated(calibration, margin), calibratedProbability({ calibration }, margin)]).toEqual([logOdds, p]);
});

it('of the largest log-odds is 0 or 1', () => {
  expect([-1e300, 1e300].map((margin) => calibratedProbability({ calibration }, margin))).toEqual([0, 1]);
});
