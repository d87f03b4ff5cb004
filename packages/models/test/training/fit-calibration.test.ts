import { expect, it } from 'vitest';
import { calibrated, calibratedProbability } from '../../src/calibrated.ts';
import { fitCalibration } from '../../src/training/fit-calibration.ts';
import { prng } from '../prng.ts';

/** Log-odds of 200,000 events, and labels that are drawn by what a calibration makes of them. */
function drawn(truth: { readonly lowSlope: number; readonly highSlope: number; readonly shift: number }): {
  readonly scores: Float64Array;
  readonly labels: Uint8Array;
} {
  const random = prng(3);
  const scores = Float64Array.from({ length: 200_000 }, () => -6 + 10 * random() * random());
  const labels = Uint8Array.from(scores, (margin) =>
    random() < calibratedProbability({ calibration: truth }, margin) ? 1 : 0,
  );
  return { scores, labels };
}

it('finds the calibration by which labels were drawn', () => {
  const truth = { lowSlope: 1.4, highSlope: 0.7, shift: 0.3 };
  const fitted = fitCalibration(drawn(truth))!;
  for (const margin of [-5, -3, -1, 0, 1, 3])
    expect(Math.abs(calibrated(fitted, margin) - calibrated(truth, margin))).toBeLessThan(0.12);
});

it('predicts as many frauds as there are', () => {
  const events = drawn({ lowSlope: 0.8, highSlope: 1.3, shift: -0.4 });
  const fitted = fitCalibration(events)!;
  const predicted = events.scores.reduce(
    (sum, margin) => sum + calibratedProbability({ calibration: fitted }, margin),
    0,
  );
  const frauds = events.labels.reduce((sum, label) => sum + label, 0);
  expect(Math.abs(predicted / frauds - 1)).toBeLessThan(1e-3);
});

it('stays finite where log-odds part fraud from all else', () => {
  const scores = Float64Array.from({ length: 1_000 }, (_, row) => (row < 100 ? 3 : -3));
  const fitted = fitCalibration({ scores, labels: Uint8Array.from(scores, (margin) => (margin > 0 ? 1 : 0)) })!;
  expect(Object.values(fitted).every((one) => Math.abs(one) < 10)).toBe(true);
  expect(calibratedProbability({ calibration: fitted }, 3)).toBeGreaterThan(0.95);
});

it('needs 50 events of each kind, and log-odds that mean fraud', () => {
  const scores = Float64Array.from({ length: 1_000 }, (_, row) => row / 200 - 3);
  const first = (frauds: number): Uint8Array => Uint8Array.from(scores, (_, row) => (row < frauds ? 1 : 0));
  const last = (frauds: number): Uint8Array => first(frauds).toReversed();
  expect(fitCalibration({ scores, labels: last(49) })).toBeUndefined();
  expect(fitCalibration({ scores, labels: last(951) })).toBeUndefined();
  expect(fitCalibration({ scores, labels: last(50) })).toBeDefined();
  expect(fitCalibration({ scores, labels: first(300) })).toBeUndefined();
});
