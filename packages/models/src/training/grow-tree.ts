import type { ModelTree } from '../artifact.ts';
import { bestSplit, type Split } from './best-split.ts';
import { type BinnedColumn, missingBin } from './bins.ts';
import { emptyHistogram, fillHistogram, type Histogram, subtractHistogram } from './histogram.ts';
import { type Bounds, leafValue, type Scale, type Sums, unbounded } from './leaf.ts';
import type { TrainingSettings } from './settings.ts';

/** The derivatives of the loss by row, and the row's weight, in whole numbers of units. */
export interface Derivatives {
  readonly gradients: Float64Array;
  readonly hessians: Float64Array;
  /** Absent: each row weighs 1. */
  readonly weights?: Float64Array;
}

/** A leaf with the rows that reach it. */
export interface GrownLeaf {
  readonly value: number;
  readonly rows: Uint32Array;
}

export interface GrownTree {
  readonly tree: ModelTree;
  readonly leaves: readonly GrownLeaf[];
  readonly splits: readonly { readonly column: number; readonly gain: number }[];
}

/** A leaf that may still be divided; its rows are `from` to `to` of the grower's order. */
interface OpenLeaf {
  readonly node: number;
  readonly from: number;
  readonly to: number;
  readonly sums: Sums;
  readonly bounds: Bounds;
  readonly histogram: Histogram;
  readonly split: Split | undefined;
}

/** Grows the trees of one training, one after the other, in memory that is taken once. */
export class TreeGrower {
  readonly #columns: readonly BinnedColumn[];
  readonly #settings: TrainingSettings & Scale;
  readonly #rows: Uint32Array;
  readonly #spare: Uint32Array;
  readonly #gradients: Float64Array;
  readonly #hessians: Float64Array;
  readonly #free: Histogram[] = [];

  constructor(columns: readonly BinnedColumn[], rows: number, settings: TrainingSettings & Scale) {
    this.#columns = columns;
    this.#settings = settings;
    this.#rows = new Uint32Array(rows);
    this.#spare = new Uint32Array(rows);
    this.#gradients = new Float64Array(rows);
    this.#hessians = new Float64Array(rows);
  }

  /** Divides the leaf where the loss falls most, until there are enough leaves or none gains by it. */
  grow(derivatives: Derivatives): GrownTree {
    const nodes = new NodeList();
    const splits: { column: number; gain: number }[] = [];
    let open: readonly OpenLeaf[] = [this.#root(nodes, derivatives)];
    while (open.length < this.#settings.leaves) {
      const next = mostGain(open);
      if (next?.split === undefined) break;
      splits.push({ column: next.split.column, gain: next.split.gain });
      open = [...open.filter((leaf) => leaf !== next), ...this.#divide(nodes, next, derivatives)];
    }
    const leaves = open.map((leaf) => this.#close(nodes, leaf, derivatives));
    for (const { histogram } of open) this.#free.push(histogram);
    return { tree: nodes.tree(), leaves, splits };
  }

  #root(nodes: NodeList, { gradients, hessians }: Derivatives): OpenLeaf {
    const rows = this.#rows;
    let gradient = 0;
    let hessian = 0;
    for (let row = 0; row < rows.length; row++) {
      rows[row] = row;
      gradient += gradients[row]!;
      hessian += hessians[row]!;
    }
    const histogram = this.#takeHistogram();
    fillHistogram(histogram, this.#columns, { rows, gradients, hessians });
    const sums = { gradient, hessian, rows: rows.length };
    const place = { node: nodes.add(), from: 0, to: rows.length };
    return this.#opened({ ...place, sums, bounds: unbounded, histogram });
  }

  #divide(nodes: NodeList, leaf: OpenLeaf, derivatives: Derivatives): readonly OpenLeaf[] {
    const split = leaf.split!;
    const { column, bin, categories, missingLeft } = split;
    const { edges } = this.#columns[column]!;
    const [left, right] = [nodes.add(), nodes.add()];
    nodes.divide(leaf.node, {
      input: column,
      threshold: categories === undefined ? edges[bin]! : 0,
      left,
      right,
      missingLeft,
      categories,
    });
    const middle = this.#partition(leaf, split);
    const bounds = this.#childBounds(leaf.bounds, split);
    const below = { node: left, from: leaf.from, to: middle, sums: split.left, bounds: bounds.left };
    const above = { node: right, from: middle, to: leaf.to, sums: split.right, bounds: bounds.right };
    // Only the smaller child is counted; the larger one is what the parent has beside it.
    const smaller = this.#takeHistogram();
    const isLeftSmaller = below.to - below.from <= above.to - above.from;
    this.#fill(smaller, isLeftSmaller ? below : above, derivatives);
    subtractHistogram(leaf.histogram, smaller);
    return [
      this.#opened({ ...below, histogram: isLeftSmaller ? smaller : leaf.histogram }),
      this.#opened({ ...above, histogram: isLeftSmaller ? leaf.histogram : smaller }),
    ];
  }

  #opened(leaf: Omit<OpenLeaf, 'split'>): OpenLeaf {
    return { ...leaf, split: bestSplit(this.#columns, leaf, this.#settings) };
  }

  /** Brings the rows that go left before the others, both in their order, and returns where the others begin. */
  #partition({ from, to }: OpenLeaf, { column, bin, categories, missingLeft }: Split): number {
    const { bins } = this.#columns[column]!;
    const goesLeft = new Uint8Array(missingBin + 1);
    if (categories === undefined) goesLeft.fill(1, 0, bin + 1);
    else for (const position of categories) goesLeft[position] = 1;
    goesLeft[missingBin] = missingLeft ? 1 : 0;
    const [rows, spare] = [this.#rows, this.#spare];
    let left = from;
    let right = 0;
    for (let at = from; at < to; at++) {
      const row = rows[at]!;
      if (goesLeft[bins[row]!] === 1) rows[left++] = row;
      else spare[right++] = row;
    }
    rows.set(spare.subarray(0, right), left);
    return left;
  }

  #fill(histogram: Histogram, { from, to }: { from: number; to: number }, derivatives: Derivatives): void {
    const rows = this.#rows.subarray(from, to);
    const gradients = this.#gradients.subarray(0, rows.length);
    const hessians = this.#hessians.subarray(0, rows.length);
    for (let at = 0; at < rows.length; at++) {
      gradients[at] = derivatives.gradients[rows[at]!]!;
      hessians[at] = derivatives.hessians[rows[at]!]!;
    }
    fillHistogram(histogram, this.#columns, { rows, gradients, hessians });
  }

  /** Both sides of an input with a direction stay on their side of the middle, also further below. */
  #childBounds(bounds: Bounds, { column, left, right }: Split): { left: Bounds; right: Bounds } {
    const { monotone } = this.#columns[column]!;
    if (monotone === 0) return { left: bounds, right: bounds };
    const scale = this.#settings;
    const middle = (leafValue(left, bounds, scale) + leafValue(right, bounds, scale)) / 2;
    const under = { low: bounds.low, high: middle };
    const over = { low: middle, high: bounds.high };
    return monotone === 1 ? { left: under, right: over } : { left: over, right: under };
  }

  #close(nodes: NodeList, leaf: OpenLeaf, { weights }: Derivatives): GrownLeaf {
    const value = leafValue(leaf.sums, leaf.bounds, this.#settings) * this.#settings.rate;
    const rows = this.#rows.subarray(leaf.from, leaf.to);
    let cover = rows.length;
    if (weights !== undefined) {
      cover = 0;
      for (const row of rows) cover += weights[row]!;
      cover *= this.#settings.unit;
    }
    nodes.close(leaf.node, value, cover);
    return { value, rows };
  }

  #takeHistogram(): Histogram {
    return this.#free.pop() ?? emptyHistogram(this.#columns.length);
  }
}

/** Of equal leaves the first. */
function mostGain(leaves: readonly OpenLeaf[]): OpenLeaf | undefined {
  let best: OpenLeaf | undefined;
  for (const leaf of leaves) {
    if (leaf.split !== undefined && leaf.split.gain > (best?.split?.gain ?? 0)) best = leaf;
  }
  return best;
}

interface Question {
  readonly input: number;
  readonly threshold: number;
  readonly left: number;
  readonly right: number;
  readonly missingLeft: boolean;
  readonly categories: readonly number[] | undefined;
}

/** The nodes of a tree while it grows. */
class NodeList {
  readonly #input: number[] = [];
  readonly #value: number[] = [];
  readonly #left: number[] = [];
  readonly #right: number[] = [];
  readonly #missingLeft: number[] = [];
  readonly #cover: number[] = [];
  readonly #categories: Record<number, readonly number[]> = {};

  /** A leaf, until it is divided. */
  add(): number {
    this.#input.push(-1);
    for (const property of [this.#value, this.#left, this.#right, this.#missingLeft, this.#cover]) property.push(0);
    return this.#input.length - 1;
  }

  divide(node: number, { input, threshold, left, right, missingLeft, categories }: Question): void {
    this.#input[node] = input;
    this.#value[node] = threshold;
    this.#left[node] = left;
    this.#right[node] = right;
    this.#missingLeft[node] = missingLeft ? 1 : 0;
    if (categories !== undefined) this.#categories[node] = categories;
  }

  close(node: number, value: number, cover: number): void {
    this.#value[node] = value + 0;
    this.#cover[node] = cover;
  }

  /** Children come after their parent, so their covers are there before it is reached from the end. */
  tree(): ModelTree {
    for (let node = this.#input.length - 1; node >= 0; node--) {
      if (this.#input[node] === -1) continue;
      this.#cover[node] = this.#cover[this.#left[node]!]! + this.#cover[this.#right[node]!]!;
    }
    const hasCategories = Object.keys(this.#categories).length > 0;
    return {
      input: this.#input,
      value: this.#value,
      left: this.#left,
      right: this.#right,
      missingLeft: this.#missingLeft,
      cover: this.#cover,
      ...(hasCategories ? { categories: this.#categories } : {}),
    };
  }
}
