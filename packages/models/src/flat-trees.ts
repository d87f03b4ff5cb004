import { assert } from '@ringfence/contract';
import type { ModelArtifact, ModelTree } from './artifact.ts';
import { depthOf } from './tree-depths.ts';

/**
 * All trees of a model in typed arrays, an entry for each node. A tree's nodes are together, and a left child follows
 * its parent.
 *
 * Inputs come as two slots each, so that a missing number needs no question of its own: in slot `2 i` it is minus
 * infinity, which goes left at every threshold, in slot `2 i + 1` it is NaN, which never does.
 */
export interface FlatTrees {
  /** The first node of each tree. */
  readonly roots: Int32Array;
  /** The questions on the longest way of each tree. */
  readonly depths: Int32Array;
  /** 1 for a tree that asks a category. */
  readonly asksCategory: Uint8Array;
  /** The index of the input that a node asks; `leaf`. */
  readonly input: Int32Array;
  /** The slot of the input. 0 for a leaf. */
  readonly slot: Int32Array;
  /** A number at most so large goes left. Of a leaf what it adds; of a category 1 if a missing one goes left. */
  readonly value: Float64Array;
  /** The right child of node `n` is at `2 n`, the left one at `2 n + 1`. A leaf is its own child. */
  readonly children: Int32Array;
  readonly cover: Float64Array;
  /** Of a category the first word of its set. */
  readonly setStart: Int32Array;
  /** Of a category the number of words of its set; `noSet` for other nodes. */
  readonly setSize: Int32Array;
  /** The sets of positions that go left, 32 to a word. */
  readonly sets: Int32Array;
}

export const leaf = -1;

/** `setSize` of a node that asks no category. */
const noSet = -1;

/** Writes the two slots of each input. */
export function fillSlots(slots: Float64Array, inputs: Float64Array): void {
  for (let at = 0; 2 * at < slots.length; at++) {
    const value = inputs[at]!;
    slots[2 * at] = value >= -Infinity ? value : -Infinity;
    slots[2 * at + 1] = value;
  }
}

/** The child that a question sends an event to. */
export function childOf(trees: FlatTrees, node: number, slots: Float64Array): number {
  const { children, setSize, setStart, sets } = trees;
  const value = slots[trees.slot[node]!]!;
  if (setSize[node] === noSet) return children[2 * node + +(value <= trees.value[node]!)]!;
  if (Number.isNaN(value)) return children[2 * node + trees.value[node]!]!;
  // A negative number has no position, nor has one after the last word.
  if (!(value >= 0 && value < setSize[node]! * 32)) return children[2 * node]!;
  const position = Math.trunc(value);
  const word = sets[setStart[node]! + (position >>> 5)]!;
  return children[2 * node + ((word >>> (position & 31)) & 1)]!;
}

/** Compiles the trees of an artifact that `readArtifact` or an importer has checked. */
export function flatTrees(artifact: ModelArtifact): FlatTrees {
  const { trees } = artifact;
  const nodes = trees.reduce((sum, tree) => sum + tree.input.length, 0);
  const words: number[] = [];
  const flat = {
    roots: new Int32Array(trees.length),
    depths: Int32Array.from(trees, depthOf),
    asksCategory: Uint8Array.from(trees, ({ categories }) => (categories === undefined ? 0 : 1)),
    input: new Int32Array(nodes),
    slot: new Int32Array(nodes),
    value: new Float64Array(nodes),
    children: new Int32Array(2 * nodes),
    cover: new Float64Array(nodes),
    setStart: new Int32Array(nodes),
    setSize: new Int32Array(nodes).fill(noSet),
  };
  const threshold = thresholdOf(artifact);
  let next = 0;
  trees.forEach((tree, index) => {
    flat.roots[index] = next;
    // A node, and where its parent keeps it (-1 for the root).
    const open: [node: number, place: number][] = [[0, -1]];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const [node, place] = one;
      const at = next++;
      if (place >= 0) flat.children[place] = at;
      flat.input[at] = tree.input[node]!;
      flat.cover[at] = tree.cover[node]!;
      if (tree.input[node] === leaf) {
        flat.value[at] = tree.value[node]!;
        flat.children.fill(at, 2 * at, 2 * at + 2);
        continue;
      }
      const isTurned = addQuestion({ tree, node, at, flat, words, threshold });
      const left = (isTurned ? tree.right : tree.left)[node]!;
      const right = (isTurned ? tree.left : tree.right)[node]!;
      open.push([right, 2 * at], [left, 2 * at + 1]);
    }
  });
  assert(next === nodes, 'every node belongs to its tree, once');
  return { ...flat, sets: Int32Array.from(words) };
}

interface Question {
  readonly tree: ModelTree;
  readonly node: number;
  readonly at: number;
  readonly flat: Omit<FlatTrees, 'sets'>;
  readonly words: number[];
  readonly threshold: (value: number) => number;
}

/** Whether the question is turned around: what goes left in the artifact goes right. */
function addQuestion({ tree, node, at, flat, words, threshold }: Question): boolean {
  const input = tree.input[node]!;
  const isMissingLeft = tree.missingLeft[node] === 1;
  const positions = tree.categories?.[node];
  if (positions !== undefined) {
    flat.slot[at] = 2 * input + 1;
    flat.value[at] = isMissingLeft ? 1 : 0;
    const first = words.length;
    const size = positions.reduce((most, position) => Math.max(most, (position >>> 5) + 1), 0);
    flat.setStart[at] = first;
    flat.setSize[at] = size;
    for (let word = 0; word < size; word++) words.push(0);
    for (const position of positions) words[first + (position >>> 5)]! |= 1 << (position & 31);
    return false;
  }
  const value = threshold(tree.value[node]!);
  // No number goes left. If missing ones do, the other way around: all numbers go left, and missing ones right.
  const isTurned = Number.isNaN(value) && isMissingLeft;
  flat.slot[at] = isMissingLeft && !isTurned ? 2 * input : 2 * input + 1;
  flat.value[at] = isTurned ? Infinity : value;
  return isTurned;
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
