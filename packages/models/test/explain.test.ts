/** Explanations against the definition: the mean over all orders in which inputs become known. */
import { describe, expect, it } from 'vitest';
import type { ModelArtifact, ModelTree } from '../src/artifact.ts';
import { Ensemble } from '../src/ensemble.ts';
import { Explainer } from '../src/explain.ts';
import { goesLeft, naiveInputs } from './naive-margin.ts';
import { prng, randomInputs, randomModel } from './random-model.ts';

/** The margin if only the inputs of the set `known` are known: other questions take both ways, by cover. */
function expectation(artifact: ModelArtifact, values: Float64Array, known: number): number {
  const walk = (tree: ModelTree, node: number): number => {
    const input = tree.input[node]!;
    if (input === -1) return tree.value[node]!;
    const left = tree.left[node]!;
    const right = tree.right[node]!;
    if ((known >> input) & 1) return walk(tree, goesLeft({ artifact, tree, node }, values[input]!) ? left : right);
    const part = (child: number): number => (tree.cover[node] === 0 ? 0.5 : tree.cover[child]! / tree.cover[node]!);
    return part(left) * walk(tree, left) + part(right) * walk(tree, right);
  };
  const sum = artifact.trees.reduce((total, tree) => total + walk(tree, 0), artifact.base);
  return (sum / (artifact.divisor ?? 1)) * (artifact.slope ?? 1);
}

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1);
}

/** Shapley values by their definition: every set of other inputs, with the share of orders in which it comes first. */
function byDefinition(artifact: ModelArtifact, inputs: Float64Array): readonly number[] {
  const values = naiveInputs(artifact, inputs);
  const count = inputs.length;
  const margins = Array.from({ length: 2 ** count }, (_, known) => expectation(artifact, values, known));
  return artifact.inputs.map((_, input) =>
    margins.reduce((sum, margin, known) => {
      if ((known >> input) & 1) return sum;
      const size = known.toString(2).replaceAll('0', '').length;
      const weight = (factorial(size) * factorial(count - size - 1)) / factorial(count);
      return sum + weight * (margins[known | (1 << input)]! - margin);
    }, 0),
  );
}

describe('an explanation', () => {
  it('equals the definition, for 1,000 random models', () => {
    const random = prng(6);
    let worst = 0;
    for (let run = 0; run < 1_000; run++) {
      const model = randomModel(random, { inputs: 6, trees: 4, depth: 6 });
      const explainer = new Explainer(model);
      for (let row = 0; row < 3; row++) {
        const inputs = randomInputs(random, model);
        const { values } = explainer.explain(inputs);
        byDefinition(model, inputs).forEach((value, at) => {
          worst = Math.max(worst, Math.abs(value - values[at]!));
        });
      }
    }
    expect(worst).toBeLessThan(1e-12);
  });

  it('sums to the margin, also of deep trees that ask an input again and again, and of 32 bits', () => {
    const random = prng(7);
    let worst = 0;
    for (let run = 0; run < 300; run++) {
      const model = randomModel(random, { inputs: run % 2 === 0 ? 3 : 40, trees: 8, depth: 12 });
      const explainer = new Explainer(model);
      const inputs = randomInputs(random, model);
      const { expected, values } = explainer.explain(inputs);
      const sum = values.reduce((total, value) => total + value, expected);
      worst = Math.max(worst, Math.abs(sum - new Ensemble(model).margin(inputs)));
    }
    expect(worst).toBeLessThan(1e-12);
  });

  it('gives an input that no tree asks nothing, and expects the mean of the training rows', () => {
    const model: ModelArtifact = {
      format: 'ringfence-model/1',
      inputs: [
        { name: 'amount', kind: 'number' },
        { name: 'age', kind: 'number' },
      ],
      precision: 'double',
      comparison: '<=',
      base: 1,
      trees: [
        {
          input: [0, -1, -1],
          value: [5, -2, 6],
          left: [1, 0, 0],
          right: [2, 0, 0],
          missingLeft: [1, 0, 0],
          cover: [4, 3, 1],
        },
      ],
    };
    const { expected, values } = new Explainer(model).explain(Float64Array.of(7, 7));
    expect(expected).toBe(1);
    expect([...values]).toEqual([6, 0]);
  });

  it('is right where no training row went', () => {
    const random = prng(8);
    for (let run = 0; run < 200; run++) {
      const grown = randomModel(random, { inputs: 4, trees: 3, depth: 4 });
      const trees = grown.trees.map((tree) => ({ ...tree, cover: emptied(tree, random(tree.input.length)) }));
      const model = { ...grown, trees };
      const inputs = randomInputs(random, model);
      const { values } = new Explainer(model).explain(inputs);
      byDefinition(model, inputs).forEach((value, at) => expect(values[at]).toBeCloseTo(value, 10));
    }
  });
});

/** The cover of a tree in which no training row reached `node`. */
function emptied({ cover, left, right, input }: ModelTree, node: number): readonly number[] {
  const changed = [...cover];
  const empty = (at: number): void => {
    changed[at] = 0;
    if (input[at] === -1) return;
    empty(left[at]!);
    empty(right[at]!);
  };
  empty(node);
  return changed;
}
