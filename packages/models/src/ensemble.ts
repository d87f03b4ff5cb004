import type { ModelArtifact } from './artifact.ts';
import { childOf, fillSlots, type FlatTrees, flatTrees, leaf } from './flat-trees.ts';

/** Trees that are walked together: while one waits for its next node, the others go on. Two took 1.4 times as long. */
const groupSize = 4;

/**
 * A model, ready to be evaluated. The same inputs give the same bits on every machine: thresholds are compared, and
 * leaves are added in the order of the trees, without any other arithmetic.
 *
 * A tree takes about 3 ns a level; four of them are walked at a time, without branches, which a processor could not
 * predict. One that asks categories takes about 10 ns a level. An instance holds buffers, so it belongs to one thread.
 */
export class Ensemble {
  /** Of the artifact, in its order. */
  readonly inputNames: readonly string[];
  readonly trees: FlatTrees;
  /** What the sum of the trees is divided by, and then multiplied with. */
  readonly divisor: number;
  readonly slope: number;
  private readonly base: number;
  private readonly single: boolean;
  private readonly zeroBand: number;
  /** 1 for an input whose 0 is missing. */
  private readonly zeroIsMissing: Uint8Array;
  /** Whether inputs are rounded or replaced before they are compared. */
  private readonly changesInputs: boolean;
  private readonly changed: Float64Array;
  private readonly slots: Float64Array;
  /** For each tree the levels of the group that begins with it; 0 for a tree that is walked alone. */
  private readonly groupLevels: Int32Array;

  /** @param artifact checked by `readArtifact` or an importer */
  constructor(artifact: ModelArtifact) {
    const { inputs, precision, base, divisor = 1, slope = 1, zeroBand = 0 } = artifact;
    this.inputNames = inputs.map(({ name }) => name);
    this.trees = flatTrees(artifact);
    this.divisor = divisor;
    this.slope = slope;
    this.single = precision === 'single';
    this.base = this.single ? Math.fround(base) : base;
    this.zeroBand = zeroBand;
    this.zeroIsMissing = Uint8Array.from(inputs, ({ zeroIsMissing }) => (zeroIsMissing === true ? 1 : 0));
    this.changesInputs = this.single || zeroBand > 0 || this.zeroIsMissing.includes(1);
    this.changed = new Float64Array(inputs.length);
    this.slots = new Float64Array(2 * inputs.length);
    this.groupLevels = groupsOf(this.trees);
  }

  /** The log-odds of an event. `inputs` are in the order of the artifact; NaN is a missing one. */
  margin(inputs: Float64Array): number {
    const slots = this.slotsOf(inputs);
    const { trees, single, groupLevels } = this;
    const { roots, slot, value, children } = trees;
    let sum = this.base;
    for (let tree = 0; tree < roots.length;) {
      const levels = groupLevels[tree]!;
      if (levels === 0) {
        const added = value[this.leafOf(roots[tree]!, slots)]!;
        sum = single ? Math.fround(sum + added) : sum + added;
        tree++;
        continue;
      }
      let a = roots[tree]!;
      let b = roots[tree + 1]!;
      let c = roots[tree + 2]!;
      let d = roots[tree + 3]!;
      for (let level = 0; level < levels; level++) {
        a = children[2 * a + +(slots[slot[a]!]! <= value[a]!)]!;
        b = children[2 * b + +(slots[slot[b]!]! <= value[b]!)]!;
        c = children[2 * c + +(slots[slot[c]!]! <= value[c]!)]!;
        d = children[2 * d + +(slots[slot[d]!]! <= value[d]!)]!;
      }
      if (single) {
        sum = Math.fround(Math.fround(sum + value[a]!) + value[b]!);
        sum = Math.fround(Math.fround(sum + value[c]!) + value[d]!);
      } else sum = sum + value[a]! + value[b]! + value[c]! + value[d]!;
      tree += groupSize;
    }
    return this.scaled(sum);
  }

  /** The inputs as questions read them. The result is valid until the next call. */
  slotsOf(inputs: Float64Array): Float64Array {
    fillSlots(this.slots, this.changesInputs ? this.comparable(inputs) : inputs);
    return this.slots;
  }

  private comparable(inputs: Float64Array): Float64Array {
    const { changed, single, zeroBand, zeroIsMissing } = this;
    for (let at = 0; at < changed.length; at++) {
      let value = inputs[at]!;
      if (single) value = Math.fround(value);
      if (value >= -zeroBand && value <= zeroBand) value = zeroIsMissing[at] === 1 ? NaN : 0;
      changed[at] = value;
    }
    return changed;
  }

  private leafOf(root: number, slots: Float64Array): number {
    let node = root;
    while (this.trees.input[node] !== leaf) node = childOf(this.trees, node, slots);
    return node;
  }

  private scaled(sum: number): number {
    if (this.divisor === 1 && this.slope === 1) return sum;
    if (!this.single) return (sum / this.divisor) * this.slope;
    return Math.fround(Math.fround(sum / this.divisor) * this.slope);
  }
}

function groupsOf({ depths, asksCategory }: FlatTrees): Int32Array {
  const levels = new Int32Array(depths.length);
  let tree = 0;
  while (tree + groupSize <= depths.length) {
    const end = tree + groupSize;
    if (asksCategory.subarray(tree, end).includes(1)) tree++;
    else {
      levels[tree] = Math.max(1, ...depths.subarray(tree, end));
      tree = end;
    }
  }
  return levels;
}
