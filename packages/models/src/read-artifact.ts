import { encodeUtf8 } from '@ringfence/contract';
import { artifactFormat, type ModelArtifact, type ModelTree, type PopulationBins } from './artifact.ts';
import {
  checkBounds,
  checkCalibration,
  checkInputs,
  checkPopulation,
  checkScores,
  checkTree,
} from './check-artifact.ts';
import { artifactBytesMax } from './limits.ts';
import { Mistakes, type ModelResult, shown } from './mistakes.ts';

/**
 * Reads the text of an artifact. Checks everything that an evaluation relies on: kinds, bounds, indices, and that each
 * tree is a tree. Members that it does not know are refused, because they could change what the model means.
 */
export function readArtifact(text: string): ModelResult<ModelArtifact> {
  return Mistakes.collect((mistakes) => {
    const bytes = encodeUtf8(text).length;
    if (bytes > artifactBytesMax) mistakes.stop('', `has ${bytes} bytes; expected at most ${artifactBytesMax}`);
    const artifact = artifactOf(readJson(text, mistakes), mistakes);
    checkBounds(artifact, mistakes);
    return artifact;
  });
}

/** Parses JSON; a syntax mistake ends the reading. */
export function readJson(text: string, mistakes: Mistakes): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return mistakes.stop('', `is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

const members = {
  artifact: [
    'format',
    'inputs',
    'precision',
    'comparison',
    'base',
    'divisor',
    'slope',
    'zeroBand',
    'trees',
    'calibration',
    'scores',
    'population',
  ],
  input: ['name', 'kind', 'texts', 'zeroIsMissing'],
  tree: ['input', 'value', 'left', 'right', 'missingLeft', 'cover', 'categories'],
  calibration: ['lowSlope', 'highSlope', 'shift'],
  scores: ['margins', 'shares'],
  population: ['margins', 'inputs'],
  bins: ['edges', 'counts'],
} as const;

function artifactOf(value: unknown, mistakes: Mistakes): ModelArtifact {
  const file = objectOf(value, { place: '', members: members.artifact, mistakes });
  if (file['format'] !== artifactFormat) {
    mistakes.stop('format', `is ${shown(file['format'])}; expected ${shown(artifactFormat)}`);
  }
  oneOf(file['precision'], { place: 'precision', allowed: ['double', 'single'], mistakes });
  oneOf(file['comparison'], { place: 'comparison', allowed: ['<', '<='], mistakes });
  if (!Number.isFinite(file['base'])) mistakes.add('base', `is ${shown(file['base'])}; expected a finite number`);
  for (const name of ['divisor', 'slope', 'zeroBand']) {
    const member = file[name];
    if (member !== undefined && !(typeof member === 'number' && Number.isFinite(member) && member > 0)) {
      mistakes.add(name, `is ${shown(member)}; expected a number above 0`);
    }
  }
  const inputs = arrayOf(file['inputs'], 'inputs', mistakes);
  inputs.forEach((input, at) => objectOf(input, { place: `inputs[${at}]`, members: members.input, mistakes }));
  const trees = arrayOf(file['trees'], 'trees', mistakes);
  trees.forEach((tree, at) => objectOf(tree, { place: `trees[${at}]`, members: members.tree, mistakes }));
  // The kinds of what is inside are checked below; until then nothing relies on them.
  const artifact = file as unknown as ModelArtifact;
  checkInputs(artifact.inputs, mistakes);
  if (!mistakes.isEmpty) return artifact;
  trees.forEach((tree, at) =>
    checkTree(tree as ModelTree, { place: `trees[${at}]`, inputs: artifact.inputs, mistakes }),
  );
  if (file['calibration'] !== undefined) {
    objectOf(file['calibration'], { place: 'calibration', members: members.calibration, mistakes });
    checkCalibration(artifact.calibration!, mistakes);
  }
  if (file['scores'] !== undefined) {
    objectOf(file['scores'], { place: 'scores', members: members.scores, mistakes });
    checkScores(artifact.scores!, mistakes);
  }
  if (file['population'] !== undefined) readPopulation(file['population'], artifact, mistakes);
  return artifact.precision === 'single' && mistakes.isEmpty ? rounded(artifact) : artifact;
}

function readPopulation(value: unknown, { inputs }: ModelArtifact, mistakes: Mistakes): void {
  const population = objectOf(value, { place: 'population', members: members.population, mistakes });
  const bins = (one: unknown, place: string): void => {
    const read = objectOf(one, { place, members: members.bins, mistakes });
    checkPopulation(read as unknown as PopulationBins, place, mistakes);
  };
  bins(population['margins'], 'population.margins');
  const ofInputs = arrayOf(population['inputs'], 'population.inputs', mistakes);
  if (ofInputs.length !== inputs.length) {
    mistakes.stop('population.inputs', `has ${ofInputs.length} entries; expected ${inputs.length}, as in inputs`);
  }
  ofInputs.forEach((one, at) => bins(one, `population.inputs[${at}]`));
}

/** Thresholds and leaves of 32 bits are written with the digits that identify them among 32-bit numbers. */
function rounded(artifact: ModelArtifact): ModelArtifact {
  return {
    ...artifact,
    base: Math.fround(artifact.base),
    trees: artifact.trees.map((tree) => ({ ...tree, value: tree.value.map(Math.fround) })),
  };
}

interface ObjectPlace {
  readonly place: string;
  readonly members: readonly string[];
  readonly mistakes: Mistakes;
}

function objectOf(value: unknown, { place, members, mistakes }: ObjectPlace): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return mistakes.stop(place, `is ${shown(value)}; expected an object`);
  }
  for (const name of Object.keys(value)) {
    if (!members.includes(name)) {
      mistakes.add(place === '' ? name : `${place}.${name}`, `is not known; expected ${members.join(', ')}`);
    }
  }
  return value as Record<string, unknown>;
}

function arrayOf(value: unknown, place: string, mistakes: Mistakes): readonly unknown[] {
  return Array.isArray(value) ? value : mistakes.stop(place, `is ${shown(value)}; expected an array`);
}

interface Choice {
  readonly place: string;
  readonly allowed: readonly string[];
  readonly mistakes: Mistakes;
}

function oneOf(value: unknown, { place, allowed, mistakes }: Choice): void {
  if (typeof value === 'string' && allowed.includes(value)) return;
  mistakes.add(place, `is ${shown(value)}; expected ${allowed.map(shown).join(' or ')}`);
}
