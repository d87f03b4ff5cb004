import { expect, it } from 'vitest';
import { waterfallOf } from '../src/pages/event/waterfall.ts';

const input = (name: string, contribution: number) => ({
  name,
  text: name,
  contribution,
  words: { en: name, es: name },
});

it('leads from the average to the result, the largest contribution first', () => {
  const { bars, from, to } = waterfallOf({
    expected: -3,
    inputs: [input('small', -1), input('large', 4), input('least', 0)],
  });
  expect(bars.map(({ input: { name }, left, width }) => [name, left, width])).toEqual([
    ['large', 0, 100],
    ['small', 75, 25],
    ['least', 75, 0.5],
  ]);
  expect([from, to]).toEqual([0, 75]);
});

it('fits where nothing contributes', () => {
  expect(waterfallOf({ expected: -3, inputs: [input('a', 0)] })).toMatchObject({ from: 0, to: 0 });
});
