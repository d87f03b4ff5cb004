/**
 * Goal: each division that the trainer makes is the best there is.
 * Method: on few rows with few values, follow its first tree division by division. Before each, try every division of
 * every leaf by plain sums over the rows, for a category every set of its texts. None may gain more.
 */
import { expect, it } from 'vitest';
import { grown } from './grown.ts';
import { prng } from '../prng.ts';
import { pathOf } from './walk.ts';

const rows = 40;
const texts = 4;
const l2 = 0.5;

interface Example {
  readonly columns: readonly (readonly number[])[];
  readonly labels: readonly number[];
  readonly weights: readonly number[];
}

function exampleOf(seed: number): Example {
  const random = prng(seed);
  const column = (values: number): readonly number[] =>
    Array.from({ length: rows }, () => (random() < 0.15 ? NaN : Math.floor(random() * values)));
  return {
    columns: [column(5), column(texts), column(3)],
    labels: Array.from({ length: rows }, (_, row) => (row < 2 ? row : random() < 0.3 ? 1 : 0)),
    weights: Array.from({ length: rows }, () => 1 + Math.floor(random() * 3)),
  };
}

/** Twice the fall of the loss when these rows are divided like this. */
function gainOf({ labels, weights }: Example, node: readonly number[], isLeft: (row: number) => boolean): number {
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const prior = total(weights.map((weight, row) => weight * labels[row]!)) / total(weights);
  const reach = (some: readonly number[]): number => {
    const gradient = total(some.map((row) => weights[row]! * (prior - labels[row]!)));
    const hessian = total(some.map((row) => weights[row]! * prior * (1 - prior)));
    return gradient ** 2 / (hessian + l2);
  };
  const [left, right] = [node.filter(isLeft), node.filter((row) => !isLeft(row))];
  return left.length === 0 || right.length === 0 ? 0 : reach(left) + reach(right) - reach(node);
}

function bestGainOf(example: Example, node: readonly number[]): number {
  const gains = example.columns.flatMap((column, input) => {
    const sets =
      input === 1
        ? Array.from({ length: 2 ** texts }, (_, set) => (value: number) => ((set >> value) & 1) === 1)
        : [...new Set(column)].map((threshold) => (value: number) => value <= threshold);
    return sets.flatMap((isIn) =>
      [true, false].map((missingLeft) =>
        gainOf(example, node, (row) => (Number.isNaN(column[row]!) ? missingLeft : isIn(column[row]!))),
      ),
    );
  });
  return Math.max(...gains);
}

it.each(Array.from({ length: 60 }, (_, seed) => seed))('no division gains more (seed %i)', (seed) => {
  const example = exampleOf(seed);
  const inputs = example.columns.map((column, input) => ({
    column: Float64Array.from(column),
    ...(input === 1 ? { texts } : {}),
  }));
  const table = { inputs, labels: Uint8Array.from(example.labels), weights: Float64Array.from(example.weights) };
  const settings = { trees: 1, leaves: 6, rate: 1, l2, leafRowsMin: 1, leafHessianMin: 0 };
  const tree = grown(table, settings).trees[0]!;

  const paths = example.labels.map((_, row) =>
    pathOf(
      tree,
      example.columns.map((column) => column[row]!),
    ),
  );
  const rowsAt = tree.input.map((_, node) => [...paths.keys()].filter((row) => paths[row]!.includes(node)));
  const open = new Set([0]);
  for (let left = 1; left < tree.input.length; left += 2) {
    const parent = tree.left.indexOf(left);
    const best = Math.max(...[...open].map((node) => bestGainOf(example, rowsAt[node]!)));
    const own = gainOf(example, rowsAt[parent]!, (row) => rowsAt[left]!.includes(row));
    expect(own).toBeGreaterThan(0);
    expect(own).toBeCloseTo(best, 9);
    open.delete(parent);
    open.add(left).add(left + 1);
  }
  expect(open.size).toBeGreaterThan(1);
});
