import { assert } from '@ringfence/contract';
import type { ModelArtifact, ModelTree } from './artifact.ts';

/**
 * All trees of a model in typed arrays, an entry for each node. A tree's nodes are together, and a left child follows
 * its parent, so that its index need not be stored.
 */
export interface FlatTrees {
  /** The first node of each tree. */
  readonly roots: Int32Array;
  /** `leaf`; the index of a number; `categoryOf(index)` of a category. */
  readonly input: Int32Array;
  /** A number at most so large goes left. Of a leaf what it adds; of a category the first word of its set. */
  readonly value: Float64Array;
  readonly right: Int32Array;
  /** The child of a missing input. */
  readonly missing: Int32Array;
  readonly cover: Float64Array;
  /** Of a category the number of words of its set. */
  readonly setSize: Int32Array;
  /** The sets of positions that go left, 32 to a word. */
  readonly sets: Int32Array;
}

export const leaf = -1;

/** Encodes the input of a node that asks a category; it is its own inverse. */
export function categoryOf(input: number): number {
  return -2 - input;
}

/** The child of a node that asks a category, which has the value `value` (NaN: missing). */
export function categoryChild(trees: FlatTrees, node: number, value: number): number {
  if (Number.isNaN(value)) return trees.missing[node]!;
  // A negative value has no position, nor has one after the last word.
  if (value < 0 || value >= trees.setSize[node]! * 32) return trees.right[node]!;
  const position = Math.trunc(value);
  const word = trees.sets[trees.value[node]! + (position >>> 5)]!;
  return ((word >>> (position & 31)) & 1) === 1 ? node + 1 : trees.right[node]!;
}

/** Compiles the trees of an artifact that `readArtifact` or an importer has checked. */
export function flatTrees(artifact: ModelArtifact): FlatTrees {
  const { trees } = artifact;
  const nodes = trees.reduce((sum, tree) => sum + tree.input.length, 0);
  const words: number[] = [];
  const flat = {
    roots: new Int32Array(trees.length),
    input: new Int32Array(nodes),
    value: new Float64Array(nodes),
    right: new Int32Array(nodes),
    missing: new Int32Array(nodes),
    cover: new Float64Array(nodes),
    setSize: new Int32Array(nodes),
  };
  const threshold = thresholdOf(artifact);
  let next = 0;
  trees.forEach((tree, index) => {
    flat.roots[index] = next;
    // A node, and the parent whose right child it is (-1 for none).
    const open: [node: number, parent: number][] = [[0, -1]];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const [node, parent] = one;
      const at = next++;
      if (parent >= 0) flat.right[parent] = at;
      copyNode({ tree, node, at, flat, words, threshold });
      if (tree.input[node] === -1) continue;
      open.push([tree.right[node]!, at], [tree.left[node]!, -1]);
    }
    // Right children are known now.
    for (let at = flat.roots[index]; at < next; at++) {
      flat.missing[at] = flat.missing[at] === 1 ? at + 1 : flat.right[at]!;
    }
  });
  assert(next === nodes, 'every node belongs to its tree, once');
  return { ...flat, sets: Int32Array.from(words) };
}

interface Copied {
  readonly tree: ModelTree;
  readonly node: number;
  readonly at: number;
  readonly flat: Omit<FlatTrees, 'sets'>;
  readonly words: number[];
  readonly threshold: (value: number) => number;
}

function copyNode({ tree, node, at, flat, words, threshold }: Copied): void {
  const input = tree.input[node]!;
  const positions = tree.categories?.[node];
  flat.cover[at] = tree.cover[node]!;
  flat.missing[at] = tree.missingLeft[node]!;
  if (positions !== undefined) {
    flat.input[at] = categoryOf(input);
    flat.value[at] = words.length;
    const size = positions.reduce((most, position) => Math.max(most, (position >>> 5) + 1), 0);
    flat.setSize[at] = size;
    const first = words.length;
    for (let word = 0; word < size; word++) words.push(0);
    for (const position of positions) words[first + (position >>> 5)]! |= 1 << (position & 31);
    return;
  }
  flat.input[at] = input;
  flat.value[at] = input === leaf ? tree.value[node]! : threshold(tree.value[node]!);
}

/**
 * How a threshold is stored, so that one loop with `<=` serves every model: `x < t` is `x <= p` for the greatest double
 * p below t.
 */
function thresholdOf({ comparison, precision }: ModelArtifact): (value: number) => number {
  const round = precision === 'single' ? Math.fround : (value: number): number => value;
  return comparison === '<=' ? round : (value) => doubleBelow(round(value));
}

/** The greatest double below `value`; NaN, with which every comparison is false, if there is none. */
function doubleBelow(value: number): number {
  if (value === -Infinity) return NaN;
  if (value === 0) return -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? -1n : 1n));
  return view.getFloat64(0);
}
