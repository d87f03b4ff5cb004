import { expect, it } from 'vitest';
import { segmentsOf } from '../../src/measures/segments.ts';
import { scored } from './scored.ts';

it('has the events of each segment in their order, the lowest segment first', () => {
  const segments = segmentsOf(scored([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], [1, 2, 3, 4]), [7, 3, 7, 3]);
  expect([...segments]).toEqual([
    [3, scored([0.2, 0.4], [1, 1], [2, 4])],
    [7, scored([0.1, 0.3], [0, 0], [1, 3])],
  ]);
  expect([...segmentsOf(scored([1], [1]), [0])]).toEqual([[0, scored([1], [1])]]);
});
