import { type BinnedColumn, missingBin, type Monotone } from './bins.ts';
import { binSums, type Histogram } from './histogram.ts';
import { type Bounds, isLargeEnough, leafGain, leafValue, type Scale, type Sums } from './leaf.ts';
import type { TrainingSettings } from './settings.ts';

/** How a node is divided. */
export interface Split {
  readonly column: number;
  /** Of a number: its bins up to this one go left. */
  readonly bin: number;
  /** Of a category: the positions that go left, ascending. */
  readonly categories?: readonly number[];
  readonly missingLeft: boolean;
  readonly left: Sums;
  readonly right: Sums;
  readonly gain: number;
}

/** A node whose division is looked for. */
export interface Candidate {
  readonly histogram: Histogram;
  readonly sums: Sums;
  readonly bounds: Bounds;
}

/**
 * The division that lowers the loss most. Of equal ones the first input's, the lowest threshold's, and missing values
 * to the left: the order of the rows decides nothing.
 */
export function bestSplit(
  columns: readonly BinnedColumn[],
  node: Candidate,
  settings: TrainingSettings & Scale,
): Split | undefined {
  const search = new SplitSearch(node, settings);
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at]!;
    search.begin(at, column.monotone);
    if (column.kind === 'number') search.numbers(column.edges.length);
    else search.categories(column.count);
  }
  return search.best;
}

class SplitSearch {
  best: Split | undefined;
  readonly #node: Candidate;
  readonly #settings: TrainingSettings & Scale;
  readonly #whole: number;
  #column = 0;
  #monotone: Monotone = 0;
  #missing: Sums = { gradient: 0, hessian: 0, rows: 0 };

  constructor(node: Candidate, settings: TrainingSettings & Scale) {
    this.#node = node;
    this.#settings = settings;
    this.#whole = leafGain(node.sums, leafValue(node.sums, node.bounds, settings), settings);
  }

  begin(column: number, monotone: Monotone): void {
    this.#column = column;
    this.#monotone = monotone;
    this.#missing = binSums(this.#node.histogram, column, missingBin);
  }

  numbers(edges: number): void {
    let left: Sums = { gradient: 0, hessian: 0, rows: 0 };
    for (let bin = 0; bin < edges; bin++) {
      const own = binSums(this.#node.histogram, this.#column, bin);
      if (own.rows === 0) continue; // the same division as at the edge before
      left = plus(left, own);
      this.#offer(left, bin);
    }
  }

  /**
   * Along the order of their gradients by hessian. The gain is convex in both sums, so that one of these divisions is
   * the best of all, as long as no leaf is too small.
   */
  categories(count: number): void {
    const present = Array.from({ length: count }, (_, bin) => {
      const sums = binSums(this.#node.histogram, this.#column, bin);
      return { bin, sums, ratio: sums.hessian === 0 ? sums.gradient * Infinity || 0 : sums.gradient / sums.hessian };
    });
    const sorted = present.filter(({ sums }) => sums.rows > 0);
    sorted.sort((a, b) => a.ratio - b.ratio || a.bin - b.bin);
    let left: Sums = { gradient: 0, hessian: 0, rows: 0 };
    const taken: number[] = [];
    for (const { bin, sums } of sorted) {
      left = plus(left, sums);
      taken.push(bin);
      this.#offer(left, 0, taken);
    }
  }

  /** Tries the rows of `known`, with and without those whose value is missing. */
  #offer(known: Sums, bin: number, categories?: readonly number[]): void {
    if (this.#missing.rows === 0) {
      this.#consider(known, { bin, categories, missingLeft: known.rows * 2 >= this.#node.sums.rows });
      return;
    }
    this.#consider(plus(known, this.#missing), { bin, categories, missingLeft: true });
    this.#consider(known, { bin, categories, missingLeft: false });
  }

  #consider(left: Sums, way: { bin: number; categories: readonly number[] | undefined; missingLeft: boolean }): void {
    const right = minus(this.#node.sums, left);
    const settings = this.#settings;
    if (!isLargeEnough(left, settings, settings.unit) || !isLargeEnough(right, settings, settings.unit)) return;
    const low = leafValue(left, this.#node.bounds, settings);
    const high = leafValue(right, this.#node.bounds, settings);
    if ((high - low) * this.#monotone < 0) return;
    const gain = leafGain(left, low, settings) + leafGain(right, high, settings) - this.#whole;
    if (!(gain > settings.gainMin) || (this.best !== undefined && gain <= this.best.gain)) return;
    const { bin, categories, missingLeft } = way;
    this.best = {
      column: this.#column,
      bin,
      ...(categories === undefined ? {} : { categories: categories.toSorted((a, b) => a - b) }),
      missingLeft,
      left,
      right,
      gain,
    };
  }
}

function plus(a: Sums, b: Sums): Sums {
  return { gradient: a.gradient + b.gradient, hessian: a.hessian + b.hessian, rows: a.rows + b.rows };
}

function minus(a: Sums, b: Sums): Sums {
  return { gradient: a.gradient - b.gradient, hessian: a.hessian - b.hessian, rows: a.rows - b.rows };
}
