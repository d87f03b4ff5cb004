import { expect, it } from 'vitest';
import {
  type CalibrationBin,
  calibrationBins,
  calibrationError,
  joinedBins,
  probabilityEdges,
} from '../../src/measures/calibration.ts';
import { wilson } from '../../src/measures/wilson.ts';
import { scored } from './scored.ts';

it('a bin has the mean of what was predicted, and the share that was fraud', () => {
  const bins = calibrationBins(scored([0, 0.0999, 0.1, 0.3, 0.5, 1], [0, 1, 0, 0, 1, 1]), [0, 0.1, 0.5, 0.9, 1]);
  expect(bins.map(({ from, to, events, observed }) => [from, to, events, observed])).toEqual([
    [0, 0.1, 2, 0.5],
    [0.1, 0.5, 2, 0],
    [0.5, 0.9, 1, 1],
    [0.9, 1, 1, 1],
  ]);
  expect(bins.map(({ meanPredicted }) => meanPredicted)).toEqual([0.0999 / 2, 0.2, 0.5, 1]);
  expect(bins[0]?.interval).toEqual(wilson(0.5, 2));
});

it('counts by weight, leaves out empty bins, and is as sure as the rows that were seen', () => {
  const bins = calibrationBins(scored([0.003, 0.00390625, 0.625], [1, 0, 0], [1, 9, 10]));
  expect(bins).toEqual([
    {
      from: 0.002,
      to: 0.005,
      events: 10,
      meanPredicted: (0.003 + 9 * 0.00390625) / 10,
      observed: 0.1,
      interval: wilson(0.1, 2),
    },
    { from: 0.5, to: 0.8, events: 10, meanPredicted: 0.625, observed: 0, interval: wilson(0, 1) },
  ]);
  expect(probabilityEdges).toEqual([...probabilityEdges].sort((a, b) => a - b));
});

// statsmodels: proportion_confint(k, n, method='wilson')
it.each([
  [0, 10, 0, 0.2775327998628892],
  [5, 10, 0.23659309051256394, 0.7634069094874361],
  [50, 100, 0.4038315303659956, 0.5961684696340044],
  [1, 1, 0.20654931437723745, 1],
])("Wilson's interval of %i in %i", (...[count, of, low, high]) => {
  const interval = wilson(count / of, of);
  expect(interval.low).toBeCloseTo(low, 6);
  expect(interval.high).toBeCloseTo(high, 6);
});

it('without events everything is possible', () => {
  expect(wilson(NaN, 0)).toEqual({ low: 0, high: 1 });
});

it('joins neighbours until each bin has 100 events and 20 predicted frauds', () => {
  const bin = (from: number, events: number, [meanPredicted, observed]: readonly [number, number]): CalibrationBin => ({
    from,
    to: from + 0.1,
    events,
    meanPredicted,
    observed,
    interval: wilson(observed, events),
  });
  const joined = joinedBins([
    bin(0, 1_000, [0.01, 0.02]),
    bin(0.1, 90, [0.15, 0.1]),
    bin(0.2, 100, [0.25, 0.2]),
    bin(0.3, 50, [0.4, 0.5]),
  ]);
  expect(joined).toEqual([
    { ...bin(0, 1_090, [23.5 / 1_090, 29 / 1_090]), to: 0.2 },
    { ...bin(0.2, 150, [45 / 150, 45 / 150]), to: 0.4 },
  ]);
  expect(joinedBins([])).toEqual([]);
  expect(calibrationError(bin(0, 10, [0.3, 0.25]))).toBeCloseTo(0.2, 12);
  expect(calibrationError(bin(0, 10, [0.3, 0]))).toBe(Infinity);
});
