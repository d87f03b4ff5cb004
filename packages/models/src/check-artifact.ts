/** What an evaluation relies on. Readers and importers check it; nothing checks it again. */
import type { Calibration, ModelArtifact, ModelInput, ModelTree, PopulationBins, ScoreTable } from './artifact.ts';
import {
  costMax,
  depthMax,
  inputsMax,
  nameLengthMax,
  populationEdgesMax,
  scorePairsMax,
  textLengthMax,
  textsMax,
} from './limits.ts';
import { type Mistakes, shown } from './mistakes.ts';
import { costOf, depthOf } from './tree-depths.ts';

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const kinds: readonly string[] = ['number', 'boolean', 'category'];

/** Names are unique identifiers; a category has its texts, another input has none. */
export function checkInputs(inputs: readonly ModelInput[], mistakes: Mistakes): void {
  if (inputs.length < 1 || inputs.length > inputsMax) {
    mistakes.stop('inputs', `has ${inputs.length} entries; expected 1 to ${inputsMax}`);
  }
  const names = new Map<string, number>();
  inputs.forEach((input, at) => {
    const place = `inputs[${at}]`;
    const { name, kind, texts } = input;
    const zeroIsMissing: unknown = input.zeroIsMissing;
    if (typeof name !== 'string' || name.length > nameLengthMax || !identifier.test(name)) {
      const expected = `letters, digits and _, not first a digit, at most ${nameLengthMax}`;
      mistakes.add(`${place}.name`, `is ${shown(name)}; expected ${expected}`);
    } else if (names.has(name)) {
      mistakes.add(
        `${place}.name`,
        `is ${shown(name)}, as is inputs[${names.get(name)}].name; expected each name once`,
      );
    } else names.set(name, at);
    if (!kinds.includes(kind)) mistakes.add(`${place}.kind`, `is ${shown(kind)}; expected ${kinds.join(', ')}`);
    if (zeroIsMissing !== undefined && zeroIsMissing !== true) {
      mistakes.add(`${place}.zeroIsMissing`, `is ${shown(zeroIsMissing)}; expected true, or no such member`);
    }
    if (kind === 'category') checkTexts(texts, `${place}.texts`, mistakes);
    else if (texts !== undefined) mistakes.add(`${place}.texts`, 'is of an input that is no category; expected none');
  });
}

function checkTexts(texts: readonly string[] | undefined, place: string, mistakes: Mistakes): void {
  if (!Array.isArray(texts) || texts.length < 1 || texts.length > textsMax) {
    mistakes.add(place, `is ${shown(texts)}; expected an array of 1 to ${textsMax} texts`);
    return;
  }
  const known = new Set<unknown>();
  texts.forEach((text: unknown, at) => {
    const isText = typeof text === 'string' && text !== '' && text.length <= textLengthMax && text.isWellFormed();
    if (!isText) mistakes.add(`${place}[${at}]`, `is ${shown(text)}; expected 1 to ${textLengthMax} characters`);
    else if (known.has(text)) mistakes.add(`${place}[${at}]`, `is ${shown(text)} again; expected each text once`);
    known.add(text);
  });
}

interface TreePlace {
  readonly place: string;
  readonly inputs: readonly ModelInput[];
  readonly mistakes: Mistakes;
}

const columns = ['input', 'value', 'left', 'right', 'missingLeft', 'cover'] as const;

/** Arrays of one length; finite numbers; every node but the root is the child of exactly one node before it. */
export function checkTree(tree: ModelTree, { place, inputs, mistakes }: TreePlace): void {
  for (const name of columns) {
    if (!Array.isArray(tree[name])) mistakes.stop(`${place}.${name}`, `is ${shown(tree[name])}; expected an array`);
  }
  const nodes = tree.input.length;
  if (nodes === 0) mistakes.stop(`${place}.input`, 'is empty; expected a node');
  for (const name of columns) {
    const { length } = tree[name];
    if (length !== nodes) mistakes.stop(`${place}.${name}`, `has ${length} entries; expected ${nodes}, as in input`);
  }
  const parents = new Int32Array(nodes).fill(-1);
  for (let node = 0; node < nodes; node++) checkNode(tree, node, { place, inputs, mistakes, parents });
  checkCategories(tree, { place, inputs, mistakes });
  if (!mistakes.isEmpty) return;
  const orphan = parents.findIndex((parent, node) => node > 0 && parent === -1);
  if (orphan > 0) mistakes.stop(`${place}.input[${orphan}]`, 'is a node without a parent; expected each to have one');
  const depth = depthOf(tree);
  if (depth > depthMax) mistakes.add(place, `is ${depth} levels deep; expected at most ${depthMax}`);
}

interface NodePlace extends TreePlace {
  /** The parent of each node that has one so far. */
  readonly parents: Int32Array;
}

function checkNode(tree: ModelTree, node: number, { place, inputs, mistakes, parents }: NodePlace): void {
  const wrong = (name: string, value: unknown, expected: string): void =>
    mistakes.add(`${place}.${name}[${node}]`, `is ${shown(value)}; expected ${expected}`);
  const input = tree.input[node]!;
  if (!Number.isInteger(input) || input < -1 || input >= inputs.length) {
    wrong('input', input, `an index of inputs, 0 to ${inputs.length - 1}, or -1 for a leaf`);
  }
  const isLeaf = input === -1;
  const value: unknown = tree.value[node];
  if (typeof value !== 'number' || Number.isNaN(value) || (isLeaf && !Number.isFinite(value))) {
    wrong('value', value, isLeaf ? 'a finite number' : 'a number');
  }
  const cover: unknown = tree.cover[node];
  if (!(typeof cover === 'number' && Number.isFinite(cover) && cover >= 0)) {
    wrong('cover', cover, 'a finite number, 0 or more');
  }
  const missingLeft = tree.missingLeft[node];
  if (missingLeft !== 0 && missingLeft !== 1) wrong('missingLeft', missingLeft, '0 or 1');
  for (const side of ['left', 'right'] as const) {
    const child = tree[side][node]!;
    if (isLeaf) {
      if (child !== 0) wrong(side, child, '0, because the node is a leaf');
    } else if (!Number.isInteger(child) || child <= node || child >= parents.length) {
      wrong(side, child, `a node after ${node} and before ${parents.length}`);
    } else if (parents[child] !== -1) {
      wrong(side, child, `a node that is not yet a child of node ${parents[child]}`);
    } else parents[child] = node;
  }
}

function checkCategories(tree: ModelTree, { place, inputs, mistakes }: TreePlace): void {
  const sets: unknown = tree.categories;
  if (sets !== undefined && (typeof sets !== 'object' || sets === null || Array.isArray(sets))) {
    mistakes.stop(`${place}.categories`, `is ${shown(sets)}; expected an object of arrays by node`);
  }
  const categories: Readonly<Record<number, unknown>> = tree.categories ?? {};
  const isCategory = (node: number): boolean => inputs[tree.input[node]!]?.kind === 'category';
  for (let node = 0; node < tree.input.length; node++) {
    if (isCategory(node) && categories[node] === undefined) {
      mistakes.add(`${place}.categories`, `lacks node ${node}, which asks a category; expected its positions`);
    }
  }
  for (const [key, positions] of Object.entries(categories)) {
    const at = `${place}.categories.${key}`;
    const node = Number(key);
    if (String(node) !== key || !isCategory(node)) {
      mistakes.add(at, 'is of no node that asks a category; expected only such nodes');
    } else if (tree.value[node] !== 0) {
      mistakes.add(`${place}.value[${node}]`, `is ${shown(tree.value[node])}; expected 0, because it asks a category`);
    } else checkPositions(positions, { place: at, texts: inputs[tree.input[node]!]?.texts?.length ?? 0, mistakes });
  }
}

interface Positions {
  readonly place: string;
  readonly texts: number;
  readonly mistakes: Mistakes;
}

function checkPositions(positions: unknown, { place, texts, mistakes }: Positions): void {
  if (!Array.isArray(positions)) return mistakes.add(place, `is ${shown(positions)}; expected an array of positions`);
  positions.forEach((position: unknown, at) => {
    const before: unknown = at === 0 ? -1 : positions[at - 1];
    if (!Number.isInteger(position) || (position as number) <= (before as number) || (position as number) >= texts) {
      const expected = `a position above ${shown(before)} and below ${texts}, the number of texts`;
      mistakes.add(`${place}[${at}]`, `is ${shown(position)}; expected ${expected}`);
    }
  });
}

/** Slopes are above 0, so that the map rises. */
export function checkCalibration(calibration: Calibration, mistakes: Mistakes): void {
  for (const name of ['lowSlope', 'highSlope', 'shift'] as const) {
    const value: unknown = calibration[name];
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    if (isNumber && (name === 'shift' || value > 0)) continue;
    const expected = name === 'shift' ? 'a finite number' : 'a number above 0';
    mistakes.add(`calibration.${name}`, `is ${shown(value)}; expected ${expected}`);
  }
}

/** Margins grow; shares do not fall, and are 0 to 1. */
export function checkScores({ margins, shares }: ScoreTable, mistakes: Mistakes): void {
  for (const [name, list] of Object.entries({ margins, shares })) {
    if (!Array.isArray(list)) mistakes.stop(`scores.${name}`, `is ${shown(list)}; expected an array`);
  }
  if (margins.length < 1 || margins.length > scorePairsMax) {
    mistakes.stop('scores.margins', `has ${margins.length} entries; expected 1 to ${scorePairsMax}`);
  }
  if (shares.length !== margins.length) {
    mistakes.stop('scores.shares', `has ${shares.length} entries; expected ${margins.length}, as in margins`);
  }
  for (let at = 0; at < margins.length; at++) {
    const margin = margins[at]!;
    if (!Number.isFinite(margin) || (at > 0 && margin <= margins[at - 1]!)) {
      mistakes.add(`scores.margins[${at}]`, `is ${shown(margin)}; expected a finite number above the one before`);
    }
    const share = shares[at]!;
    if (!Number.isFinite(share) || share < (shares[at - 1] ?? 0) || share > 1) {
      mistakes.add(`scores.shares[${at}]`, `is ${shown(share)}; expected 0 to 1, not below the one before`);
    }
  }
}

/** Edges grow; counts are whole numbers, two more than edges. */
export function checkPopulation(bins: PopulationBins, place: string, mistakes: Mistakes): void {
  for (const name of ['edges', 'counts'] as const) {
    if (!Array.isArray(bins[name])) mistakes.stop(`${place}.${name}`, `is ${shown(bins[name])}; expected an array`);
  }
  const { edges, counts } = bins;
  if (edges.length > populationEdgesMax) {
    mistakes.stop(`${place}.edges`, `has ${edges.length} entries; expected at most ${populationEdgesMax}`);
  }
  if (counts.length !== edges.length + 2) {
    const expected = `${edges.length + 2}, two more than edges`;
    mistakes.stop(`${place}.counts`, `has ${counts.length} entries; expected ${expected}`);
  }
  edges.forEach((edge, at) => {
    if (Number.isFinite(edge) && (at === 0 || edge > edges[at - 1]!)) return;
    mistakes.add(`${place}.edges[${at}]`, `is ${shown(edge)}; expected a finite number above the one before`);
  });
  counts.forEach((count, at) => {
    if (Number.isSafeInteger(count) && count >= 0) return;
    mistakes.add(`${place}.counts[${at}]`, `is ${shown(count)}; expected a whole number, 0 or more`);
  });
}

/** The cost of all trees together. */
export function checkBounds(artifact: ModelArtifact, mistakes: Mistakes): void {
  if (!mistakes.isEmpty) return;
  const cost = costOf(artifact);
  if (cost > costMax) mistakes.add('trees', `take ${cost} steps (trees times depth); expected at most ${costMax}`);
}
