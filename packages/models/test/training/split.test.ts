import { expect, it } from 'vitest';
import { type SplitSettings, timeFolds, useOf } from '../../src/training/split.ts';

const dayMs = 86_400_000;
const settings: SplitSettings = {
  fromMs: 40 * dayMs,
  toMs: 108 * dayMs,
  delayMs: 7 * dayMs,
  testMs: 7 * dayMs,
  foldsMax: 4,
  trainMsMin: 28 * dayMs,
};

it('tests by the last weeks, and trains on all before the delay', () => {
  const inDays = timeFolds(settings).map(({ trainFromMs, trainToMs, testFromMs, testToMs }) =>
    [trainFromMs, trainToMs, testFromMs, testToMs].map((ms) => ms / dayMs),
  );
  expect(inDays).toEqual([
    [40, 73, 80, 87],
    [40, 80, 87, 94],
    [40, 87, 94, 101],
    [40, 94, 101, 108],
  ]);
});

it('leaves out folds that would train on too little', () => {
  expect(timeFolds({ ...settings, fromMs: 60 * dayMs }).map(({ testFromMs }) => testFromMs / dayMs)).toEqual([101]);
  expect(timeFolds({ ...settings, fromMs: 100 * dayMs, trainMsMin: 0 })).toEqual([]);
});

it('uses each event for one thing at most, and none of the gap', () => {
  const [fold] = timeFolds(settings);
  const partAt = (day: number): string | undefined => useOf(fold!, { atMs: day * dayMs })?.part;
  expect([39.9, 40, 72.9, 73, 79.9, 80, 86.9, 87].map(partAt)).toEqual([
    undefined,
    'train',
    'train',
    undefined,
    undefined,
    'test',
    'test',
    undefined,
  ]);
});

it('trains on a label only if it was known when the test begins', () => {
  const [fold] = timeFolds(settings);
  const isFraud = (day: number, knownDay?: number): boolean | undefined =>
    useOf(fold!, { atMs: day * dayMs, ...(knownDay === undefined ? {} : { fraudKnownAtMs: knownDay * dayMs }) })?.fraud;
  expect([isFraud(70), isFraud(70, 79), isFraud(70, 80), isFraud(70, 81)]).toEqual([false, true, true, false]);
  expect([isFraud(81), isFraud(81, 200)]).toEqual([false, true]);
});
