import { artifactFormat, type ModelArtifact, type ModelInput, type ModelTree } from '../src/artifact.ts';

/** Whole numbers from 0 to below `below`. */
export type Random = (below: number) => number;

/** A small generator (mulberry32): the same seed gives the same numbers on every machine. */
export function prng(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[random(choices.length)]!;
}

/** Numbers at which comparisons go wrong, and ordinary ones: few, so that inputs often equal thresholds. */
const numbers: readonly number[] = [
  0,
  -0,
  1e-35,
  -1e-35,
  1e-36,
  5e-324,
  -5e-324,
  1,
  1 + 2 ** -23,
  1 + 2 ** -52,
  0.1,
  Math.fround(0.1),
  -1,
  2.5,
  3,
  1e38,
  3.5e38,
  1e308,
  -1e308,
  Number.MAX_VALUE,
  Infinity,
  -Infinity,
];

export interface ModelBounds {
  readonly inputs: number;
  readonly trees: number;
  readonly depth: number;
}

export function randomModel(random: Random, { inputs: inputsMax, trees: treesMax, depth }: ModelBounds): ModelArtifact {
  const inputs = Array.from({ length: 1 + random(inputsMax) }, (_, at) => randomInput(random, at));
  const precision = pick(random, ['double', 'single'] as const);
  const round = precision === 'single' ? Math.fround : (value: number): number => value;
  return {
    format: artifactFormat,
    inputs,
    precision,
    comparison: pick(random, ['<', '<='] as const),
    base: round(pick(random, [0, -0, -2.5, 0.3, 1e-3])),
    ...(random(8) === 0 && { divisor: 1 + random(9) }),
    ...(random(8) === 0 && { slope: pick(random, [0.5, 2, 0.3]) }),
    ...(random(4) === 0 && { zeroBand: Math.fround(1e-35) }),
    trees: Array.from({ length: random(treesMax + 1) }, () => randomTree(random, { inputs, depth, round })),
  };
}

function randomInput(random: Random, at: number): ModelInput {
  const name = `input_${at}`;
  const kind = pick(random, ['number', 'number', 'boolean', 'category'] as const);
  if (kind === 'category') return { name, kind, texts: Array.from({ length: 1 + random(70) }, (_, n) => `t${n}`) };
  return { name, kind, ...(random(6) === 0 && { zeroIsMissing: true }) };
}

interface TreeBounds {
  readonly inputs: readonly ModelInput[];
  readonly depth: number;
  readonly round: (value: number) => number;
}

function randomTree(random: Random, { inputs, depth, round }: TreeBounds): ModelTree {
  const input: number[] = [];
  const value: number[] = [];
  const left: number[] = [];
  const right: number[] = [];
  const missingLeft: number[] = [];
  const cover: number[] = [];
  const categories: Record<number, readonly number[]> = {};
  const grow = (levels: number, weight: number): number => {
    const node = input.length;
    const isLeaf = levels === 0 || random(5) === 0;
    const asked = random(inputs.length);
    const { texts } = inputs[asked]!;
    input.push(isLeaf ? -1 : asked);
    value.push(round(isLeaf ? (random(20_001) - 10_000) / 7_000 : texts === undefined ? pick(random, numbers) : 0));
    left.push(0);
    right.push(0);
    missingLeft.push(isLeaf ? 0 : random(2));
    cover.push(weight);
    if (isLeaf) return node;
    if (texts !== undefined) categories[node] = texts.flatMap((_, at) => (random(2) === 0 ? [at] : []));
    const leftWeight = 1 + random(9);
    const rightWeight = 1 + random(9);
    const part = weight / (leftWeight + rightWeight);
    left[node] = grow(levels - 1, part * leftWeight);
    right[node] = grow(levels - 1, part * rightWeight);
    return node;
  };
  grow(random(depth + 1), 1_000);
  return { input, value, left, right, missingLeft, cover, ...(Object.keys(categories).length > 0 && { categories }) };
}

/** Missing inputs, thresholds, their neighbours, positions inside and outside of the texts. */
export function randomInputs(random: Random, { inputs }: ModelArtifact): Float64Array {
  return Float64Array.from(inputs, ({ kind, texts = [] }) => {
    if (random(5) === 0) return NaN;
    if (kind === 'boolean') return random(2);
    if (kind === 'category') return pick(random, [random(texts.length), texts.length + random(40), 1.5, -1, Infinity]);
    return random(2) === 0 ? pick(random, numbers) : random(200) / 40;
  });
}
