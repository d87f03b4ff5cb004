import { codesMax, featuresMax, importBytesMax } from '../limits.ts';
import { Mistakes, type ModelResult, shown } from '../mistakes.ts';
import {
  type ImportedModel,
  importedModel,
  type ImportOptions,
  type SourceFeature,
  type SourceModel,
} from './imported-model.ts';
import { numberOf, readSections, type Section } from './lightgbm-text.ts';
import type { SourceNode, SourceTree } from './source-tree.ts';

/** LightGBM's `kZeroThreshold`, a number of 32 bits: inputs within it of 0 are 0. */
const zeroBand = 1.0000000180025095e-35;

/** Bits of `decision_type`. */
const isCategory = 1;
const isDefaultLeft = 2;
const missingTypes = ['none', 'zero', 'nan'] as const;

/**
 * Imports the text of LightGBM's `save_model`. The artifact gives the scores of `predict(raw_score=True)` bit for bit,
 * times `sigmoid`, and in a random forest divided by the number of trees, as `predict` does it: so the margin is the
 * log-odds.
 */
export function importLightgbm(text: string, options: ImportOptions = {}): ModelResult<ImportedModel> {
  return Mistakes.collect((mistakes) => {
    if (text.length > importBytesMax) {
      mistakes.stop('', `has ${text.length} characters; expected at most ${importBytesMax}`);
    }
    return importedModel(sourceOf(text, mistakes), options, mistakes);
  });
}

function sourceOf(text: string, mistakes: Mistakes): SourceModel {
  const { header, trees, pandasCategories } = readSections(text, mistakes);
  const version = header.text('version');
  if (!['v2', 'v3', 'v4'].includes(version)) header.wrong('version', 'v2, v3 or v4');
  for (const name of ['num_class', 'num_tree_per_iteration']) {
    if (header.text(name) !== '1') header.wrong(name, '1, because only two classes are supported');
  }
  const isForest = header.has('average_output');
  const slope = slopeOf(header);
  const sources = trees.map((tree) => treeSource(tree, mistakes));
  return {
    precision: 'double',
    comparison: '<=',
    base: 0,
    scaling: {
      ...(isForest && trees.length > 1 && { divisor: trees.length }),
      ...(slope !== 1 && { slope }),
      zeroBand,
    },
    features: featuresOf({ header, sources, pandasCategories, mistakes }),
    trees: sources.map(({ tree }) => tree),
  };
}

/** Log-odds for each unit of the score, from the objective: `binary sigmoid:1`, `cross_entropy`. */
function slopeOf(header: Section): number {
  const expected = 'binary or cross_entropy, whose score gives log-odds';
  if (!header.has('objective')) return header.wrong('objective', expected);
  const [name, ...params] = header.text('objective').split(' ');
  if (name === 'cross_entropy' || name === 'xentropy') return 1;
  if (name !== 'binary') return header.wrong('objective', expected);
  const sigmoid = params.find((param) => param.startsWith('sigmoid:'))?.slice('sigmoid:'.length) ?? '1';
  const slope = numberOf(sigmoid) ?? NaN;
  return slope > 0 && slope < Infinity ? slope : header.wrong('objective', 'a sigmoid above 0');
}

interface SourceFeatures {
  readonly header: Section;
  readonly sources: readonly TreeSource[];
  readonly pandasCategories: readonly (readonly string[])[] | undefined;
  readonly mistakes: Mistakes;
}

function featuresOf({ header, sources, pandasCategories, mistakes }: SourceFeatures): readonly SourceFeature[] {
  const names = header.words('feature_names');
  if (names.length < 1 || names.length > featuresMax) header.wrong('feature_names', `1 to ${featuresMax} names`);
  const infos = header.has('feature_infos') ? header.words('feature_infos') : names.map(() => 'none');
  if (infos.length !== names.length) header.wrong('feature_infos', `${names.length} entries, as in feature_names`);
  // A category has its codes, `1:5:2`; a number its range, `[0:9]`; a feature of one value `none`.
  const listed = infos.map((info) => /^-?[0-9]+(?::-?[0-9]+)*$/.test(info));
  const asked = names.map((_, feature) => sources.flatMap(({ codes }) => [...(codes.get(feature) ?? [])]));
  const categories = names.flatMap((_, feature) => (listed[feature]! || asked[feature]!.length > 0 ? [feature] : []));
  // pandas' lists are those of its categorical columns, in their order. If LightGBM dropped one, they fit no more.
  const byOrder = pandasCategories?.length === categories.length ? pandasCategories : undefined;
  return names.map((name, feature) => {
    const zeroIsMissing = zeroIsMissingOf({ feature, name, sources, mistakes });
    const known = listed[feature] === true ? infos[feature]!.split(':').map(Number) : [];
    const codes = [...new Set([...known, ...asked[feature]!])].filter((code) => code >= 0).sort((a, b) => a - b);
    return {
      name,
      kind: 'number',
      texts: byOrder?.[categories.indexOf(feature)],
      codes: codes.length > 0 ? codes : undefined,
      ...(zeroIsMissing && { zeroIsMissing }),
    };
  });
}

interface AskedFeature {
  readonly feature: number;
  readonly name: string;
  readonly sources: readonly TreeSource[];
  readonly mistakes: Mistakes;
}

/** Whether 0 is missing: the same for all questions about a feature. */
function zeroIsMissingOf({ feature, name, sources, mistakes }: AskedFeature): boolean {
  const answers = new Set(sources.flatMap(({ zeroIsMissing }) => [...(zeroIsMissing.get(feature) ?? [])]));
  if (answers.size > 1) mistakes.stop(name, 'has 0 for missing in some trees only; expected the same in all');
  return answers.has(true);
}

interface TreeSource {
  readonly tree: SourceTree;
  /** The codes that the tree asks of each category. */
  readonly codes: ReadonlyMap<number, ReadonlySet<number>>;
  /** For each number whether 0 is missing. */
  readonly zeroIsMissing: ReadonlyMap<number, ReadonlySet<boolean>>;
}

function treeSource(section: Section, mistakes: Mistakes): TreeSource {
  const { place } = section;
  const leaves = section.count('num_leaves');
  if (leaves < 1) section.wrong('num_leaves', '1 or more');
  if (section.has('is_linear') && section.text('is_linear') !== '0') {
    section.wrong('is_linear', '0, because leaves of one number are supported');
  }
  const values = section.numbers('leaf_value', leaves);
  values.forEach((value, at) => {
    if (!Number.isFinite(value)) mistakes.stop(`${place}.leaf_value[${at}]`, `is ${value}; expected a finite number`);
  });
  const codes = new Map<number, Set<number>>();
  const zeroIsMissing = new Map<number, Set<boolean>>();
  if (leaves === 1) {
    const leaf = { kind: 'leaf', value: values[0]!, cover: 0 } as const;
    return { tree: { place, root: 0, node: () => leaf }, codes, zeroIsMissing };
  }
  const questions = readQuestions(section, leaves, mistakes);
  for (const question of questions) {
    const { feature } = question;
    if (question.kind === 'category') {
      const known = codes.get(feature) ?? new Set();
      for (const code of question.codes) known.add(code);
      codes.set(feature, known);
    } else zeroIsMissing.set(feature, (zeroIsMissing.get(feature) ?? new Set()).add(question.zeroIsMissing));
  }
  const covers = section.numbers('leaf_count', leaves);
  const node = (at: number): SourceNode =>
    at >= 0 ? questions[at]! : { kind: 'leaf', value: values[~at]!, cover: covers[~at]! };
  return { tree: { place, root: 0, node }, codes, zeroIsMissing };
}

type Question = Exclude<SourceNode, { kind: 'leaf' }> & { readonly zeroIsMissing: boolean };

/** The questions of a tree. A child below 0 is the leaf `~child`. */
function readQuestions(section: Section, leaves: number, mistakes: Mistakes): readonly Question[] {
  const count = leaves - 1;
  const features = section.numbers('split_feature', count);
  const thresholds = section.numbers('threshold', count);
  const types = section.numbers('decision_type', count);
  const children = { left: section.numbers('left_child', count), right: section.numbers('right_child', count) };
  const covers = section.numbers('internal_count', count);
  const bitsets = readBitsets(section);
  const child = (side: 'left' | 'right', node: number): number => {
    const index = children[side][node]!;
    if (Number.isInteger(index) && index < count && ~index < leaves) return index;
    const expected = `a node below ${count}, or a leaf, -1 to -${leaves}`;
    return mistakes.stop(`${section.place}.${side}_child[${node}]`, `is ${index}; expected ${expected}`);
  };
  return features.map((feature, node): Question => {
    const type = types[node]!;
    const threshold = thresholds[node]!;
    const missing = missingTypes[(type >> 2) & 3];
    if (!Number.isInteger(type) || type < 0 || type > 15 || missing === undefined) {
      mistakes.stop(`${section.place}.decision_type[${node}]`, `is ${type}; expected 0 to 11`);
    }
    const common = { feature, left: child('left', node), right: child('right', node), cover: covers[node]! };
    if ((type & isCategory) !== 0) {
      const codes = bitsets[threshold];
      if (codes === undefined) {
        const expected = `an index of cat_boundaries, below ${bitsets.length}`;
        return mistakes.stop(`${section.place}.threshold[${node}]`, `is ${threshold}; expected ${expected}`);
      }
      // A missing category goes right, whatever else is written.
      return { kind: 'category', ...common, codes, missingLeft: false, zeroIsMissing: false };
    }
    // Where nothing is missing, what is missing counts as 0.
    const missingLeft = missing === 'none' ? threshold >= 0 : (type & isDefaultLeft) !== 0;
    const zeroIsMissing = missing === 'zero';
    if (!Number.isNaN(threshold)) return { kind: 'number', ...common, threshold, missingLeft, zeroIsMissing };
    // No number is at most NaN: all go right. Written the other way around, all go left.
    const { left, right } = common;
    return {
      kind: 'number',
      ...common,
      left: right,
      right: left,
      threshold: Infinity,
      missingLeft: !missingLeft,
      zeroIsMissing,
    };
  });
}

/** The codes of each set of categories: bits of the words from one boundary to the next. */
function readBitsets(section: Section): readonly (readonly number[])[] {
  const sets = section.has('num_cat') ? section.count('num_cat') : 0;
  if (sets === 0) return [];
  const boundaries = section.numbers('cat_boundaries', sets + 1);
  const words = section.numbers('cat_threshold', boundaries.at(-1)!);
  words.forEach((word, at) => {
    if (!Number.isInteger(word) || word < 0 || word >= 2 ** 32) {
      section.wrong('cat_threshold', `words of 32 bits; [${at}] is ${shown(word)}`);
    }
  });
  return Array.from({ length: sets }, (_, set) => {
    const from = boundaries[set]!;
    const to = boundaries[set + 1]!;
    if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || from > to) {
      section.wrong('cat_boundaries', `whole numbers in ascending order; [${set + 1}] is ${shown(to)}`);
    }
    if ((to - from) * 32 > codesMax) {
      section.wrong('cat_boundaries', `codes below ${codesMax}; [${set + 1}] is ${shown(to)}`);
    }
    return words
      .slice(from, to)
      .flatMap((word, at) =>
        Array.from({ length: 32 }, (_, bit) => at * 32 + bit).filter((code) => ((word >>> (code & 31)) & 1) === 1),
      );
  });
}
