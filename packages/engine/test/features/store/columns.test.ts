import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NumberColumn } from '../../../src/features/store/columns.ts';

/** Operations on a column and, in parallel, on a plain list. */
const moves = fc.array(
  fc.record({
    kind: fc.constantFrom('insert', 'insert', 'insert', 'set', 'drop'),
    place: fc.nat(),
    value: fc.double({ noNaN: true }),
  }),
  { maxLength: 120 },
);

interface Move {
  readonly kind: string;
  readonly place: number;
  readonly value: number;
}

/** @returns the list that the column must equal */
function doAll(column: NumberColumn, history: readonly Move[]): readonly number[] {
  const list: number[] = [];
  for (const { kind, place, value } of history) {
    const index = place % (list.length + 1);
    if (kind === 'insert') {
      list.splice(index, 0, value);
      column.insert(index, value);
    } else if (kind === 'drop') {
      const count = index % 4 > list.length ? 0 : index % 4;
      list.splice(0, count);
      column.dropFirst(count);
    } else if (index < list.length) {
      list[index] = value;
      column.set(index, value);
    }
  }
  return list;
}

it('a column of numbers behaves like a list', () => {
  fc.assert(
    fc.property(moves, (history) => {
      const column = new NumberColumn();
      const list = doAll(column, history);
      expect(Array.from({ length: column.length }, (_, index) => column.at(index))).toEqual(list);
    }),
    { seed: 1, numRuns: 200 },
  );
});

it('computes suffix sums and suffix maxima, repeatedly', () => {
  const [sums, largest] = [new NumberColumn(), new NumberColumn()];
  fc.assert(
    fc.property(fc.array(fc.integer(), { maxLength: 40 }), (values) => {
      const column = new NumberColumn();
      values.forEach((one, index) => column.insert(index, one));
      sums.becomeSumsOf(column);
      largest.becomeLargestOf(column);
      const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
      expect(column.sum).toBe(sumOf(values));
      expect(sums.at(values.length)).toBe(0);
      values.forEach((_, index) => {
        expect(sums.at(index)).toBe(sumOf(values.slice(index)));
        expect(largest.at(index)).toBe(Math.max(...values.slice(index)));
      });
    }),
    { seed: 3, numRuns: 300 },
  );
});

it('finds the first value above a limit', () => {
  const column = new NumberColumn();
  for (const value of [1, 2, 2, 5]) column.insert(column.length, value);
  expect([0, 1, 2, 4, 5].map((limit) => column.firstAbove(limit))).toEqual([0, 1, 3, 3, 4]);
});
