import { encodeUtf8 } from '@ringfence/contract';
/** The text of an artifact: written and read back, and refused with the place of each mistake. */
import { describe, expect, it } from 'vitest';
import type { ModelArtifact } from '../src/artifact.ts';
import { mistakesMax } from '../src/limits.ts';
import { mistakeText } from '../src/mistakes.ts';
import { readArtifact } from '../src/read-artifact.ts';
import { costOf } from '../src/tree-depths.ts';
import { writeArtifact } from '../src/write-artifact.ts';
import { prng, randomModel } from './random-model.ts';

const example = {
  format: 'ringfence-model/1',
  inputs: [
    { name: 'amount', kind: 'number' },
    { name: 'channel', kind: 'category', texts: ['app', 'web'] },
  ],
  precision: 'double',
  comparison: '<=',
  base: -1.5,
  trees: [
    { input: [-1], value: [0.25], left: [0], right: [0], missingLeft: [0], cover: [10] },
    {
      input: [0, -1, 1, -1, -1],
      value: [100, 0.25, 0, 2, 4],
      left: [1, 0, 3, 0, 0],
      right: [2, 0, 4, 0, 0],
      missingLeft: [0, 0, 1, 0, 0],
      cover: [10, 6, 4, 3, 1],
      categories: { '2': [1] },
    },
  ],
  calibration: { lowSlope: 0.75, highSlope: 1.25, shift: -0.5 },
  scores: { margins: [-1, 2], shares: [0.5, 1] },
  population: {
    margins: { edges: [-1.25, 0], counts: [4, 3, 3, 0] },
    inputs: [
      { edges: [100], counts: [6, 3, 1] },
      { edges: [0], counts: [5, 5, 0] },
    ],
  },
};

function mistakes(text: string): readonly string[] {
  const result = readArtifact(text);
  return result.ok ? [] : result.mistakes.map(mistakeText);
}

/** Sets the member at a path of the example. */
function changed(path: string, value: unknown): string {
  const copy = structuredClone(example);
  const keys = path.split('.');
  const last = keys.pop()!;
  let inner: Record<string, unknown> = copy;
  for (const key of keys) inner = inner[key] as Record<string, unknown>;
  inner[last] = value;
  return JSON.stringify(copy);
}

describe('a written artifact', () => {
  it('is read back as it was, for 2,000 random models', () => {
    const random = prng(5);
    for (let run = 0; run < 2_000; run++) {
      const model = randomModel(random, { inputs: 6, trees: 6, depth: 5 });
      const result = readArtifact(writeArtifact(model));
      expect(result).toEqual({ ok: true, value: model });
    }
  });

  it('has the same text, whatever the order of members and the notation of numbers', () => {
    const text = writeArtifact(example as ModelArtifact);
    const { format, ...others } = example;
    const reordered = JSON.stringify({ ...others, format }, undefined, 2).replace('-1.5', '-15.0E-1');
    const result = readArtifact(reordered);
    expect(result.ok && writeArtifact(result.value)).toBe(text);
    expect(text).toMatchInlineSnapshot(`
      "{
      "format":"ringfence-model/1",
      "inputs":[
      {"name":"amount","kind":"number"},
      {"name":"channel","kind":"category","texts":["app","web"]}
      ],
      "precision":"double",
      "comparison":"<=",
      "base":-1.5,
      "trees":[
      {"input":[-1],"value":[0.25],"left":[0],"right":[0],"missingLeft":[0],"cover":[10]},
      {"input":[0,-1,1,-1,-1],"value":[100,0.25,0,2,4],"left":[1,0,3,0,0],"right":[2,0,4,0,0],"missingLeft":[0,0,1,0,0],"cover":[10,6,4,3,1],"categories":{"2":[1]}}
      ],
      "calibration":{"lowSlope":0.75,"highSlope":1.25,"shift":-0.5},
      "scores":{"margins":[-1,2],"shares":[0.5,1]},
      "population":{"margins":{"edges":[-1.25,0],"counts":[4,3,3,0]},"inputs":[
      {"edges":[100],"counts":[6,3,1]},
      {"edges":[0],"counts":[5,5,0]}
      ]}
      }
      "
    `);
  });

  it('of 32 bits has the digits that identify a number of 32 bits', () => {
    const single = { ...example, precision: 'single', base: Math.fround(0.1) } as ModelArtifact;
    expect(writeArtifact(single)).toContain('"base":0.1,');
  });
});

describe('a wrong artifact is refused with its place', () => {
  it.each<[path: string, value: unknown, mistake: string]>([
    ['format', 'x', 'format: is "x"; expected "ringfence-model/1"'],
    ['colour', 1, 'colour: is not known; expected format, inputs, precision, comparison'],
    ['precision', 'half', 'precision: is "half"; expected "double" or "single"'],
    ['comparison', undefined, 'comparison: is missing; expected "<" or "<="'],
    ['base', '1', 'base: is "1"; expected a finite number'],
    ['divisor', 0, 'divisor: is 0; expected a number above 0'],
    ['slope', -1, 'slope: is -1; expected a number above 0'],
    ['zeroBand', '0', 'zeroBand: is "0"; expected a number above 0'],
    ['inputs', {}, 'inputs: is {}; expected an array'],
    ['inputs', [], 'inputs: has 0 entries; expected 1 to 64'],
    ['inputs.0', 7, 'inputs[0]: is 7; expected an object'],
    ['inputs.0.type', 7, 'inputs[0].type: is not known; expected name, kind, texts, zeroIsMissing'],
    ['inputs.0.name', '1st', 'inputs[0].name: is "1st"; expected letters, digits and _'],
    ['inputs.0.name', 'a'.repeat(65), 'inputs[0].name: is'],
    ['inputs.1.name', 'amount', 'inputs[1].name: is "amount", as is inputs[0].name; expected each name once'],
    ['inputs.0.kind', 'text', 'inputs[0].kind: is "text"; expected number, boolean, category'],
    ['inputs.0.texts', ['a'], 'inputs[0].texts: is of an input that is no category; expected none'],
    ['inputs.0.zeroIsMissing', false, 'inputs[0].zeroIsMissing: is false; expected true, or no such member'],
    ['inputs.1.texts', undefined, 'inputs[1].texts: is missing; expected an array of 1 to 1024 texts'],
    ['inputs.1.texts', ['a', 'a'], 'inputs[1].texts[1]: is "a" again; expected each text once'],
    ['inputs.1.texts', ['a', ''], 'inputs[1].texts[1]: is ""; expected 1 to 128 characters'],
    ['trees', null, 'trees: is null; expected an array'],
    ['trees.0', null, 'trees[0]: is null; expected an object'],
    ['trees.0.input', 1, 'trees[0].input: is 1; expected an array'],
    ['trees.0.input', [], 'trees[0].input: is empty; expected a node'],
    ['trees.0.cover', [1, 2], 'trees[0].cover: has 2 entries; expected 1, as in input'],
    ['trees.1.input.0', 2, 'trees[1].input[0]: is 2; expected an index of inputs, 0 to 1, or -1 for a leaf'],
    ['trees.1.input.0', 0.5, 'trees[1].input[0]: is 0.5; expected an index of inputs'],
    ['trees.1.value.1', null, 'trees[1].value[1]: is null; expected a finite number'],
    ['trees.1.left.0', 0, 'trees[1].left[0]: is 0; expected a node after 0 and before 5'],
    ['trees.1.left.2', 1, 'trees[1].left[2]: is 1; expected a node after 2 and before 5'],
    ['trees.1.right.2', 5, 'trees[1].right[2]: is 5; expected a node after 2 and before 5'],
    ['trees.1.right.2', 3, 'trees[1].right[2]: is 3; expected a node that is not yet a child of node 2'],
    ['trees.1.right.1', 3, 'trees[1].right[1]: is 3; expected 0, because the node is a leaf'],
    ['trees.1.missingLeft.0', true, 'trees[1].missingLeft[0]: is true; expected 0 or 1'],
    ['trees.1.cover.0', -1, 'trees[1].cover[0]: is -1; expected a finite number, 0 or more'],
    ['trees.1.categories', [], 'trees[1].categories: is []; expected an object of arrays by node'],
    ['trees.1.categories', {}, 'trees[1].categories: lacks node 2, which asks a category'],
    ['trees.1.categories.0', [1], 'trees[1].categories.0: is of no node that asks a category'],
    ['trees.1.categories.02', [1], 'trees[1].categories.02: is of no node that asks a category'],
    ['trees.1.categories.2', 1, 'trees[1].categories.2: is 1; expected an array of positions'],
    ['trees.1.categories.2', [1, 1], 'trees[1].categories.2[1]: is 1; expected a position above 1 and below 2'],
    ['trees.1.categories.2', [2], 'trees[1].categories.2[0]: is 2; expected a position above -1 and below 2'],
    ['trees.1.value.2', 1, 'trees[1].value[2]: is 1; expected 0, because it asks a category'],
    ['calibration', 1, 'calibration: is 1; expected an object'],
    ['calibration.lowSlope', 0, 'calibration.lowSlope: is 0; expected a number above 0'],
    ['calibration.highSlope', undefined, 'calibration.highSlope: is missing; expected a number above 0'],
    ['calibration.shift', null, 'calibration.shift: is null; expected a finite number'],
    ['calibration.slope', 1, 'calibration.slope: is not known; expected lowSlope, highSlope, shift'],
    ['scores', [], 'scores: is []; expected an object'],
    ['scores.margins', 1, 'scores.margins: is 1; expected an array'],
    ['scores.margins', [], 'scores.margins: has 0 entries; expected 1 to 4096'],
    ['scores.shares', [1], 'scores.shares: has 1 entries; expected 2, as in margins'],
    ['scores.margins.1', -1, 'scores.margins[1]: is -1; expected a finite number above the one before'],
    ['scores.shares.1', 0.4, 'scores.shares[1]: is 0.4; expected 0 to 1, not below the one before'],
    ['population', [], 'population: is []; expected an object'],
    ['population.margins', undefined, 'population.margins: is missing; expected an object'],
    ['population.inputs', [], 'population.inputs: has 0 entries; expected 2, as in inputs'],
    ['population.margins.edges', 1, 'population.margins.edges: is 1; expected an array'],
    ['population.margins.edges.1', -2, 'population.margins.edges[1]: is -2; expected a finite number above the one'],
    ['population.margins.edges', Array.from({ length: 101 }, (_, at) => at), 'has 101 entries; expected at most 100'],
    ['population.inputs.0.counts', [1], 'population.inputs[0].counts: has 1 entries; expected 3, two more than edges'],
    ['population.inputs.1.counts.0', -1, 'population.inputs[1].counts[0]: is -1; expected a whole number, 0 or more'],
    ['population.inputs.1.rows', 1, 'population.inputs[1].rows: is not known; expected edges, counts'],
    ['scores.shares.1', 1.1, 'scores.shares[1]: is 1.1; expected 0 to 1'],
  ])('%s = %j', (path, value, mistake) => {
    expect(mistakes(changed(path, value))[0]).toContain(mistake);
  });

  it.each([
    ['no JSON', '{"format":', 'is not JSON: '],
    ['an array', '[]', 'is []; expected an object'],
    ['deep nesting', `{"format":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'format: is [...]; expected'],
    ['an infinite leaf', changed('trees.0.value', [7]).replace('[7]', '[1e999]'), 'trees[0].value[0]: is Infinity'],
    ['an infinite base', JSON.stringify(example).replace('-1.5', '1e999'), 'base: is Infinity'],
  ])('%s', (_, text, mistake) => {
    expect(mistakes(text)[0]).toContain(mistake);
  });

  it('a node that no parent names', () => {
    const tree = { input: [-1, -1], value: [0, 0], left: [0, 0], right: [0, 0], missingLeft: [0, 0], cover: [1, 1] };
    expect(mistakes(changed('trees.0', tree))).toEqual([
      'trees[0].input[1]: is a node without a parent; expected each to have one',
    ]);
  });

  it('65 inputs, 65 levels, 5,001 steps, a byte more than a MiB', () => {
    const inputs = Array.from({ length: 65 }, (_, at) => ({ name: `a${at}`, kind: 'number' }));
    expect(mistakes(changed('inputs', inputs))).toEqual(['inputs: has 65 entries; expected 1 to 64']);
    expect(mistakes(changed('trees.0', chain(64)))).toEqual([]);
    expect(mistakes(changed('trees.0', chain(65)))).toEqual(['trees[0]: is 65 levels deep; expected at most 64']);
    const trees = Array.from({ length: 2_500 }, () => chain(2));
    expect(mistakes(changed('trees', trees))).toEqual([]);
    expect(mistakes(changed('trees', [...trees, chain(0)]))).toEqual([
      'trees: take 5001 steps (trees times depth); expected at most 5000',
    ]);
    const text = JSON.stringify(example);
    expect(mistakes(text.padEnd(2 ** 20))).toEqual([]);
    expect(mistakes(text.padEnd(2 ** 20 + 1))).toEqual(['has 1048577 bytes; expected at most 1048576']);
  });

  it('with the first twenty mistakes', () => {
    const wrong = { ...chain(30), value: Array.from({ length: 61 }, () => null) };
    expect(mistakes(changed('trees.0', wrong))).toHaveLength(mistakesMax);
  });
});

/** A tree whose every right child asks again. */
function chain(depth: number): object {
  const nodes = Array.from({ length: 2 * depth + 1 }, (_, at) => at);
  const asks = (at: number): boolean => at % 2 === 0 && at < 2 * depth;
  return {
    input: nodes.map((at) => (asks(at) ? 0 : -1)),
    value: nodes,
    left: nodes.map((at) => (asks(at) ? at + 1 : 0)),
    right: nodes.map((at) => (asks(at) ? at + 2 : 0)),
    missingLeft: nodes.map(() => 0),
    cover: nodes.map(() => 1),
  };
}

it('the cost is the depth of all trees together', () => {
  expect(costOf(example as unknown as ModelArtifact)).toBe(3);
  expect(costOf({ ...example, trees: [chain(7), chain(0)] } as unknown as ModelArtifact)).toBe(8);
});

it('the bytes of a text', () => {
  for (const text of ['', 'abc', 'é', '€', '𝄞', '𝄞é€']) expect(encodeUtf8(text).length).toBe(Buffer.byteLength(text));
});
