/*
 * Exact TreeSHAP (path dependent), in a time that grows with nodes times depth.
 *
 * A leaf of value v is reached on a path that asks d different inputs. Of each input j it is known whether the event
 * passes all its questions (o = 1, otherwise 0), and which share of the training rows does (z). If only the inputs of a
 * set S are known, the leaf counts v * product(j in S: o_j) * product(j not in S: z_j). The Shapley value of input i
 * weighs the difference that i makes by s! (d - s - 1)! / d!, which is the integral of t^s (1 - t)^(d - 1 - s) over
 * [0, 1]. So the sum over all sets S is one integral:
 *
 *     value of i = v * (o_i - z_i) * integral of product(j other than i: o_j t + z_j (1 - t)) dt
 *
 * The integrand is a polynomial of degree d - 1, for which a Gauss-Legendre rule with d / 2 points is exact. For each
 * point one pass down a tree multiplies the factors, and one pass up adds the leaves and divides by the factor of i.
 * All products are positive, so that no digits cancel. Lundberg's algorithm computes the same with a list of set sizes,
 * in a time that grows with the square of the depth.
 *
 * Sources: Lundberg, Erion, Lee: Consistent Individualized Feature Attribution for Tree Ensembles (2018),
 * https://arxiv.org/abs/1802.03888; Yu, Bifet, Read, Xu: Linear TreeShap (2022), https://arxiv.org/abs/2209.08192
 */
import type { ModelArtifact } from './artifact.ts';
import { Ensemble } from './ensemble.ts';
import { childOf, type FlatTrees, leaf } from './flat-trees.ts';
import { gaussLegendre, type Quadrature } from './quadrature.ts';

/** Why a margin is what it is, in log-odds. `expected` and all `values` sum to the margin. */
export interface Explanation {
  /**
   * The mean margin of the training rows. For a model of 32 bits it includes the rounding of the margin, about 1e-7, so
   * that the sum is right.
   */
  readonly expected: number;
  /** What each input adds, in the order of the artifact. */
  readonly values: Float64Array;
}

/**
 * Explains margins. To make one takes about as long as to read the artifact; an instance holds buffers, so it belongs
 * to one thread.
 */
export class Explainer {
  private readonly ensemble: Ensemble;
  private readonly inputCount: number;
  private readonly isSingle: boolean;
  private readonly scale: number;
  private readonly expected: number;
  private readonly trees: readonly TreePaths[];
  /** For each node of a tree, of the input that its parent asks: `o t + z (1 - t)`. */
  private readonly factors: Float64Array;
  /** `(o - z) / (o t + z (1 - t))`. */
  private readonly gains: Float64Array;
  /** The product of the factors of all inputs asked on the path to the node. */
  private readonly products: Float64Array;
  /** The product times the value, summed over the leaves below the node. */
  private readonly sums: Float64Array;
  /** 1 if the event passes all questions about the input of the node's parent, on the path to the node. */
  private readonly passes: Uint8Array;

  /** @param artifact checked by `readArtifact` or an importer */
  constructor(artifact: ModelArtifact) {
    this.ensemble = new Ensemble(artifact);
    this.inputCount = artifact.inputs.length;
    this.isSingle = artifact.precision === 'single';
    this.scale = this.ensemble.slope / this.ensemble.divisor;
    const { roots, input } = this.ensemble.trees;
    const rules = new Map<number, Quadrature>();
    this.trees = Array.from(roots, (root, at) => {
      const paths = treePaths(this.ensemble.trees, root, roots[at + 1] ?? input.length);
      const count = Math.max(1, Math.ceil(paths.inputsOnPath / 2));
      const rule = rules.get(count) ?? gaussLegendre(count);
      rules.set(count, rule);
      return { ...paths, rule };
    });
    const size = this.trees.reduce((most, { about }) => Math.max(most, about.length), 0);
    this.factors = new Float64Array(size);
    this.gains = new Float64Array(size);
    this.products = new Float64Array(size);
    this.sums = new Float64Array(size);
    this.passes = new Uint8Array(size);
    this.expected = this.trees.reduce((sum, tree) => sum + tree.expected, artifact.base) * this.scale;
  }

  /** `inputs` as for `Ensemble.margin`. */
  explain(inputs: Float64Array): Explanation {
    const { ensemble, scale, expected } = this;
    const values = new Float64Array(this.inputCount);
    const slots = ensemble.slotsOf(inputs);
    for (const tree of this.trees) {
      this.answer(tree, slots);
      for (let point = 0; point < tree.rule.points.length; point++) this.integrate(tree, point, values);
    }
    let sum = expected;
    for (let at = 0; at < values.length; at++) {
      values[at] = values[at]! * scale;
      sum += values[at]!;
    }
    return { expected: this.isSingle ? expected + (ensemble.margin(inputs) - sum) : expected, values };
  }

  /** Asks every question, and so finds which paths the event passes for each input. */
  private answer({ root, about, previous }: TreePaths, slots: Float64Array): void {
    const { passes } = this;
    const { trees } = this.ensemble;
    const { input, children } = trees;
    passes[0] = 1;
    for (let at = 0; at < about.length; at++) {
      const node = root + at;
      passes[at]! &= passes[previous[at]!]!;
      if (input[node] === leaf) continue;
      const isLeft = childOf(trees, node, slots) === node + 1 ? 1 : 0;
      passes[at + 1] = isLeft;
      passes[children[2 * node]! - root] = 1 - isLeft;
    }
  }

  /**
   * The part of one point of the quadrature. From the root down: the product of the factors, where a second question
   * about an input replaces its factor. From the leaves up: each edge gives its input what the leaves below it add; if
   * the path asked the input before, these leaves also belong to the edge before, so its part is taken back.
   *
   * Without branches, which a processor could not predict.
   */
  private integrate(tree: TreePaths, point: number, values: Float64Array): void {
    const { parent, about, previous, share, leaves, rule } = tree;
    const { passes, products, sums, factors, gains } = this;
    const t = rule.points[point]!;
    const weight = rule.weights[point]!;
    const size = about.length;
    products[0] = 1;
    factors[0] = 1;
    gains[0] = 0;
    for (let at = 1; at < size; at++) {
      const z = share[at]!;
      const o = passes[at]!;
      const factor = o * t + z * (1 - t);
      const product = (products[parent[at]!]! / factors[previous[at]!]!) * factor;
      factors[at] = factor;
      gains[at] = (o - z) / factor;
      products[at] = product;
      sums[at] = product * leaves[at]!;
    }
    for (let at = size - 1; at > 0; at--) {
      const below = sums[at]!;
      sums[parent[at]!]! += below;
      values[about[at]!]! += weight * below * (gains[at]! - gains[previous[at]!]!);
    }
  }
}

/** Instead of a share of 0, so that no factor is 0. What a path of such a share adds is lost in the rounding. */
const shareMin = 1e-200;

/** What is the same for every event, for each node of a tree. Nodes count from the root of the tree. */
interface TreePaths {
  readonly root: number;
  readonly parent: Int32Array;
  /** The input that the parent asks; 0 for the root. */
  readonly about: Int32Array;
  /** The last node above, on the same path, whose parent asks the same input; the root if no other node asks it. */
  readonly previous: Int32Array;
  /** The share of the training rows that pass all questions about this input, on the path to the node. */
  readonly share: Float64Array;
  /** What a leaf adds; 0 for other nodes. */
  readonly leaves: Float64Array;
  /** The mean of the leaves, by training rows. */
  readonly expected: number;
  readonly rule: Quadrature;
}

interface MeasuredPaths extends Omit<TreePaths, 'rule'> {
  /** The most different inputs that one path asks. */
  readonly inputsOnPath: number;
}

function treePaths({ input, value, children, cover }: FlatTrees, root: number, end: number): MeasuredPaths {
  const size = end - root;
  const parent = new Int32Array(size);
  const about = new Int32Array(size);
  const previous = new Int32Array(size);
  const leaves = new Float64Array(size);
  const share = new Float64Array(size).fill(1);
  const different = new Int32Array(size);
  const reached = new Float64Array(size).fill(1);
  let expected = 0;
  let inputsOnPath = 0;
  for (let at = 0; at < size; at++) {
    const node = root + at;
    inputsOnPath = Math.max(inputsOnPath, different[at]!);
    if (input[node] === leaf) {
      leaves[at] = value[node]!;
      expected += value[node]! * reached[at]!;
      continue;
    }
    const asked = input[node]!;
    let above = at;
    while (above > 0 && about[above] !== asked) above = parent[above]!;
    for (const child of [at + 1, children[2 * node]! - root]) {
      // A node that no training row reached: each way is as likely.
      const part = cover[node] === 0 ? 0.5 : cover[root + child]! / cover[node]!;
      parent[child] = at;
      about[child] = asked;
      previous[child] = above;
      share[child] = Math.max(share[above]! * part, shareMin);
      different[child] = different[at]! + (above > 0 ? 0 : 1);
      reached[child] = reached[at]! * part;
    }
  }
  return { root, parent, about, previous, share, leaves, expected, inputsOnPath };
}
