/** Evaluation against a recursive walk over the artifact, and a model by hand. */
import { describe, expect, it } from 'vitest';
import { artifactFormat, type ModelArtifact } from '../src/artifact.ts';
import { Ensemble } from '../src/ensemble.ts';
import { naiveMargin } from './naive-margin.ts';
import { prng, randomInputs, randomModel } from './random-model.ts';

const stump: ModelArtifact = {
  format: artifactFormat,
  inputs: [
    { name: 'amount', kind: 'number' },
    { name: 'channel', kind: 'category', texts: ['app', 'web', 'branch'] },
  ],
  precision: 'double',
  comparison: '<=',
  base: -1,
  trees: [
    {
      input: [0, -1, 1, -1, -1],
      value: [100, 0.25, 0, 2, 4],
      left: [1, 0, 3, 0, 0],
      right: [2, 0, 4, 0, 0],
      missingLeft: [0, 0, 1, 0, 0],
      cover: [10, 6, 4, 3, 1],
      categories: { 2: [0, 2] },
    },
  ],
};

describe('a model by hand', () => {
  it.each([
    ['at the threshold', [100, 1], -0.75],
    ['above it, in a set', [100.00000000000001, 2], 1],
    ['outside the set', [101, 1], 3],
    ['an unknown text', [101, 3], 3],
    ['the first missing', [NaN, 1], 3],
    ['both missing', [NaN, NaN], 1],
    ['infinite', [-Infinity, NaN], -0.75],
  ])('%s', (_, inputs, margin) => {
    expect(new Ensemble(stump).margin(Float64Array.from(inputs))).toBe(margin);
  });

  it('compares with <', () => {
    const strict = new Ensemble({ ...stump, comparison: '<' });
    expect(strict.margin(Float64Array.of(100, 1))).toBe(3);
    expect(strict.margin(Float64Array.of(99.99999999999999, 1))).toBe(-0.75);
  });

  it('of 32 bits rounds inputs and sums', () => {
    const single = new Ensemble({ ...stump, base: 0.1, precision: 'single' });
    expect(single.margin(Float64Array.of(100.00000000000001, 1))).toBe(Math.fround(Math.fround(0.1) + 0.25));
  });

  it('without trees is its base', () => {
    expect(new Ensemble({ ...stump, trees: [] }).margin(Float64Array.of(1, 1))).toBe(-1);
  });
});

it('equals a recursive walk, for 10,000 random models', () => {
  const random = prng(1);
  let unequal = 0;
  for (let run = 0; run < 10_000; run++) {
    const model = randomModel(random, { inputs: 6, trees: 6, depth: 5 });
    const ensemble = new Ensemble(model);
    for (let row = 0; row < 10; row++) {
      const inputs = randomInputs(random, model);
      if (!Object.is(ensemble.margin(inputs), naiveMargin(model, inputs))) unequal++;
    }
  }
  expect(unequal).toBe(0);
});
