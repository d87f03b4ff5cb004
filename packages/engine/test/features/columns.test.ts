import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BigColumn, NumberColumn } from '../../src/features/columns.ts';

/** What is done to a column and, beside it, to a plain list. */
const moves = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<readonly Move<Value>[]> =>
  fc.array(fc.record({ kind: fc.constantFrom('insert', 'insert', 'insert', 'set', 'drop'), place: fc.nat(), value }), {
    maxLength: 120,
  });

interface Move<Value> {
  readonly kind: string;
  readonly place: number;
  readonly value: Value;
}

interface Column<Value> {
  at(index: number): Value;
  set(index: number, value: Value): void;
  insert(index: number, value: Value): void;
  dropFirst(count: number): void;
}

/** @returns the list that the column must be like */
function doAll<Value>(column: Column<Value>, history: readonly Move<Value>[]): readonly Value[] {
  const list: Value[] = [];
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

it('a column of numbers is a list', () => {
  fc.assert(
    fc.property(moves(fc.double({ noNaN: true })), (history) => {
      const column = new NumberColumn();
      const list = doAll(column, history);
      expect(Array.from({ length: column.length }, (_, index) => column.at(index))).toEqual(list);
    }),
    { seed: 1, numRuns: 200 },
  );
});

it.each([
  ['of 64 bits', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
  ['of any size', fc.oneof({ weight: 30, arbitrary: fc.bigInt({ min: -9n, max: 9n }) }, fc.bigInt())],
])('a column of whole numbers %s is a list', (_, value) => {
  fc.assert(
    fc.property(moves(value), (history) => {
      const column = new BigColumn();
      const list = doAll(column, history);
      expect(list.map((_each, index) => column.at(index))).toEqual(list);
    }),
    { seed: 2, numRuns: 200 },
  );
});

it.each([
  ['small', fc.bigInt({ min: -9n, max: 9n })],
  ['of 64 bits, whose sums may have more', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
  ['of any size', fc.oneof({ weight: 9, arbitrary: fc.bigInt({ min: -9n, max: 9n }) }, fc.bigInt())],
])('becomes the sums of numbers that are %s, and the largest of them, again and again', (_, value) => {
  const [sums, largest] = [new BigColumn(), new BigColumn()];
  fc.assert(
    fc.property(fc.array(value, { maxLength: 40 }), (values) => {
      const column = new BigColumn();
      values.forEach((one, index) => column.insert(index, one));
      sums.becomeSumsOf(column);
      largest.becomeLargestOf(column);
      const from = (index: number): readonly bigint[] => values.slice(index);
      for (let index = 0; index <= values.length; index++) {
        expect(sums.at(index)).toBe(from(index).reduce((sum, one) => sum + one, 0n));
        if (index === values.length) return;
        expect(largest.at(index)).toBe(from(index).reduce((most, one) => (one > most ? one : most)));
      }
    }),
    { seed: 3, numRuns: 300 },
  );
});

it('becomes the sums of other numbers', () => {
  const [column, sums] = [new NumberColumn(), new NumberColumn()];
  for (let count = 0; count < 50; count++) {
    sums.becomeSumsOf(column);
    expect([sums.length, sums.at(count), sums.at(0)]).toEqual([count + 1, 0, (count * count - count) / 2]);
    column.insert(count, count);
  }
});

it('finds the first value above a limit', () => {
  const column = new NumberColumn();
  for (const value of [1, 2, 2, 5]) column.insert(column.length, value);
  for (const near of [0, 1, 2, 3, 4, 5]) {
    expect([0, 1, 2, 4, 5].map((limit) => column.firstAbove(limit, near))).toEqual([0, 1, 3, 3, 4]);
  }
});
