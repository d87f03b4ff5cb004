import { encodeUtf8 } from '@ringfence/contract';
import { artifactFormat, type ModelArtifact, type ModelInput, type ModelTree } from '../artifact.ts';
import { checkBounds, checkInputs, checkTree } from '../check-artifact.ts';
import { artifactBytesMax, textsMax } from '../limits.ts';
import type { Mistakes } from '../mistakes.ts';
import { writeArtifact } from '../write-artifact.ts';
import { buildTree, type SourceTree } from './source-tree.ts';

/** A model of a library, as an artifact. */
export interface ImportedModel {
  readonly artifact: ModelArtifact;
  /** For each input of the artifact its index in the library's model, which may have more. */
  readonly features: readonly number[];
  /** Names of features that no tree asks. They are no inputs of the artifact. */
  readonly unused: readonly string[];
}

export interface ImportOptions {
  /** The features in the order of the library, if the file does not name them well. */
  readonly inputs?: readonly ImportedInput[];
}

export interface ImportedInput {
  readonly name: string;
  /** The texts of a category, by the library's code, which counts from 0. */
  readonly texts?: readonly string[];
}

/** A feature of the library. */
export interface SourceFeature {
  readonly name: string;
  readonly kind: 'number' | 'boolean';
  /** The texts by code, if the file has them. */
  readonly texts?: readonly string[] | undefined;
  /** Codes that the file names. Without `texts` they become the texts; if absent, all codes up to the largest asked. */
  readonly codes?: readonly number[] | undefined;
  readonly zeroIsMissing?: boolean;
}

/** What an importer has read. */
export interface SourceModel extends Pick<ModelArtifact, 'precision' | 'comparison' | 'base'> {
  readonly scaling?: Pick<ModelArtifact, 'divisor' | 'slope' | 'zeroBand'>;
  readonly features: readonly SourceFeature[];
  readonly trees: readonly SourceTree[];
}

/** Builds the artifact from what an importer has read: only inputs that trees ask, categories by position. */
export function importedModel(source: SourceModel, options: ImportOptions, mistakes: Mistakes): ImportedModel {
  const features = named(source.features, options, mistakes);
  const built = source.trees.map((tree) => buildTree(tree, features.length, mistakes));
  const usage = usageOf(built, features, mistakes);
  const used = features.flatMap((_, feature) => (usage[feature] === undefined ? [] : [feature]));
  const unused = features.flatMap(({ name }, feature) => (usage[feature] === undefined ? [name] : []));
  if (used.length === 0) {
    // A model of constants: it must still have an input.
    used.push(0);
    unused.splice(0, 1);
  }
  const inputs = used.map((feature) => inputOf(features[feature]!, usage[feature], mistakes));
  checkInputs(inputs, mistakes);
  const { precision, comparison, base, scaling } = source;
  const codes = used.map((feature, at) => positionsByCode(inputs[at]!, features[feature]!));
  const trees = built.map((tree) => withInputs(tree, { used, codes }));
  const artifact = { format: artifactFormat, inputs, precision, comparison, base, ...scaling, trees } as const;
  if (mistakes.isEmpty) {
    trees.forEach((tree, at) => checkTree(tree, { place: source.trees[at]!.place, inputs, mistakes }));
    checkBounds(artifact, mistakes);
    const bytes = encodeUtf8(writeArtifact(artifact)).length;
    if (bytes > artifactBytesMax) mistakes.add('', `becomes ${bytes} bytes; expected at most ${artifactBytesMax}`);
  }
  return { artifact, features: used, unused };
}

/** Features under the names that were given for them. */
function named(features: readonly SourceFeature[], { inputs }: ImportOptions, mistakes: Mistakes): SourceFeature[] {
  if (inputs !== undefined && inputs.length !== features.length) {
    const detail = `have ${inputs.length} entries; expected ${features.length}, the number of features of the model`;
    mistakes.stop('the given inputs', detail);
  }
  return features.map((feature, at) => ({
    ...feature,
    ...inputs?.[at],
    name: inputs?.[at]?.name ?? feature.name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_'),
  }));
}

/** The largest code that a tree asks of each category; -1 for a number; `undefined` for a feature that is not asked. */
type Usage = readonly (number | undefined)[];

function usageOf(trees: readonly ModelTree[], features: readonly SourceFeature[], mistakes: Mistakes): Usage {
  const usage: (number | undefined)[] = features.map(() => undefined);
  for (const { input, categories } of trees) {
    input.forEach((feature, node) => {
      if (feature === -1) return;
      const codes = categories?.[node];
      const before = usage[feature];
      if (before !== undefined && before >= 0 !== (codes !== undefined)) {
        mistakes.stop(features[feature]!.name, 'is compared as a number and as a category; expected one of them');
      }
      usage[feature] = codes === undefined ? -1 : Math.max(before ?? 0, codes.at(-1) ?? 0);
    });
  }
  return usage;
}

function inputOf(feature: SourceFeature, codeMax: number | undefined, mistakes: Mistakes): ModelInput {
  const { name, kind, texts, codes, zeroIsMissing } = feature;
  if (codeMax === undefined || codeMax < 0) {
    return { name, kind, ...(zeroIsMissing === true && { zeroIsMissing }) };
  }
  if (texts !== undefined && codeMax >= texts.length) {
    mistakes.add(
      name,
      `has ${texts.length} texts; expected more than ${codeMax}, the largest code that the model asks`,
    );
  }
  if (texts === undefined && codes === undefined && codeMax >= textsMax) {
    mistakes.stop(name, `has the code ${codeMax}; expected codes below ${textsMax}`);
  }
  return { name, kind: 'category', texts: texts ?? (codes ?? allUpTo(codeMax)).map(String) };
}

function allUpTo(last: number): readonly number[] {
  return Array.from({ length: last + 1 }, (_, code) => code);
}

/** The position of each code among the texts; `undefined` if they are the same. */
function positionsByCode(input: ModelInput, { texts, codes }: SourceFeature): ReadonlyMap<number, number> | undefined {
  if (input.kind !== 'category' || texts !== undefined || codes === undefined) return undefined;
  return new Map(codes.map((code, position) => [code, position]));
}

interface Renumbering {
  /** The features that become inputs. */
  readonly used: readonly number[];
  readonly codes: readonly (ReadonlyMap<number, number> | undefined)[];
}

function withInputs(tree: ModelTree, { used, codes }: Renumbering): ModelTree {
  const input = tree.input.map((feature) => (feature === -1 ? -1 : used.indexOf(feature)));
  if (tree.categories === undefined) return { ...tree, input };
  const categories = Object.entries(tree.categories).map(([node, set]) => {
    const positions = codes[input[Number(node)]!];
    return [node, positions === undefined ? set : set.map((code) => positions.get(code)!)] as const;
  });
  return { ...tree, input, categories: Object.fromEntries(categories) };
}
