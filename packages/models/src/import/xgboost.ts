import { featuresMax, importBytesMax } from '../limits.ts';
import { Mistakes, type ModelResult, shown } from '../mistakes.ts';
import { floatLogit } from './float-log.ts';
import {
  type ImportedModel,
  importedModel,
  type ImportOptions,
  type SourceFeature,
  type SourceModel,
} from './imported-model.ts';
import { JsonPlace } from './json-place.ts';
import type { SourceNode, SourceTree } from './source-tree.ts';

/** Objectives whose margin is the log-odds of a probability. */
const objectives: readonly string[] = ['binary:logistic', 'binary:logitraw', 'reg:logistic'];

/**
 * Imports the JSON of XGBoost's `save_model`, of the boosters gbtree and dart. The artifact gives the margins of
 * `predict(output_margin=True)` bit for bit: 32-bit inputs, thresholds and sums, all trees (not only those up to
 * `best_iteration`).
 */
export function importXgboost(text: string, options: ImportOptions = {}): ModelResult<ImportedModel> {
  return Mistakes.collect((mistakes) => {
    if (text.length > importBytesMax) {
      mistakes.stop('', `has ${text.length} characters; expected at most ${importBytesMax}`);
    }
    return importedModel(sourceOf(JsonPlace.parse(text, mistakes).get('learner'), mistakes), options, mistakes);
  });
}

function sourceOf(learner: JsonPlace, mistakes: Mistakes): SourceModel {
  const objective = learner.get('objective').get('name');
  if (!objectives.includes(objective.text())) objective.wrong(objectives.join(', '));
  const params = learner.get('learner_model_param');
  if (params.get('num_class').count() > 1) params.get('num_class').wrong('0, because only two classes are supported');
  const targets = params.get('num_target');
  if (!targets.isMissing && targets.count() !== 1) targets.wrong('1, because only one target is supported');
  const base = baseOf(params.get('base_score'), objective.value !== 'binary:logitraw');
  const booster = learner.get('gradient_booster');
  const name = booster.get('name');
  const isDart = name.text() === 'dart';
  if (!isDart && name.value !== 'gbtree') name.wrong('gbtree or dart');
  const model = (isDart ? booster.get('gbtree') : booster).get('model');
  const trees = model.get('trees').items();
  const weights = isDart ? booster.get('weight_drop').numbers() : trees.map(() => 1);
  if (weights.length !== trees.length) booster.get('weight_drop').wrong(`${trees.length} numbers, one for each tree`);
  model
    .get('tree_info')
    .numbers()
    .forEach((group, at) => {
      if (group !== 0) mistakes.stop(`${model.place}.tree_info[${at}]`, `is ${group}; expected 0, the only class`);
    });
  return {
    precision: 'single',
    comparison: '<',
    base,
    features: featuresOf(learner, params.get('num_feature')),
    trees: trees.map((tree, at) => sourceTree(tree, weights[at]!, mistakes)),
  };
}

/** `base_score` is a text, since version 3.1 of a list. It is a probability, except for logitraw: there it is log-odds. */
function baseOf(score: JsonPlace, isProbability: boolean): number {
  const text = score.text().replace(/^\[(.*)\]$/, '$1');
  const base = /^[0-9.eE+-]+$/.test(text) ? Math.fround(Number(text)) : NaN;
  if (!isProbability) return Number.isFinite(base) ? base : score.wrong('a number');
  return base > 0 && base < 1 ? floatLogit(base) : score.wrong('a probability between 0 and 1');
}

function featuresOf(learner: JsonPlace, countPlace: JsonPlace): readonly SourceFeature[] {
  const count = countPlace.count();
  if (count < 1 || count > featuresMax) countPlace.wrong(`1 to ${featuresMax} features`);
  const texts = (name: string): readonly string[] => {
    const list = learner.get(name);
    const items = list.isMissing ? [] : list.items();
    if (items.length > 0 && items.length !== count) list.wrong(`${count} texts, or none`);
    return items.map((item) => item.text());
  };
  const names = texts('feature_names');
  const types = texts('feature_types');
  return Array.from({ length: count }, (_, at) => ({
    name: names[at] ?? `f${at}`,
    kind: types[at] === 'i' ? 'boolean' : 'number',
  }));
}

function sourceTree(tree: JsonPlace, weight: number, mistakes: Mistakes): SourceTree {
  const { place } = tree;
  const leftChildren = tree.get('left_children').numbers();
  const count = leftChildren.length;
  const column = (name: string): readonly number[] => tree.get(name).numbersOf(count);
  const rightChildren = column('right_children');
  const conditions = column('split_conditions');
  const indices = column('split_indices');
  const defaultLeft = column('default_left');
  const cover = column('sum_hessian');
  const types = tree.get('split_type').isMissing ? [] : column('split_type');
  const sets = categorySets(tree, mistakes);
  const vector = tree.get('tree_param').get('size_leaf_vector');
  if (!vector.isMissing && vector.count() > 1) vector.wrong('1, because leaves of one number are supported');
  const child = (name: string, node: number, index: number): number => {
    if (Number.isInteger(index) && index > 0 && index < count) return index;
    return mistakes.stop(`${place}.${name}[${node}]`, `is ${index}; expected a node, 1 to ${count - 1}, or -1`);
  };
  const node = (at: number): SourceNode => {
    const condition = conditions[at]!;
    if (leftChildren[at] === -1) {
      if (Number.isFinite(condition)) return { kind: 'leaf', value: leafOf(condition, weight), cover: cover[at]! };
      return mistakes.stop(`${place}.split_conditions[${at}]`, `is ${condition}; expected the value of a leaf`);
    }
    const left = child('left_children', at, leftChildren[at]!);
    const right = child('right_children', at, rightChildren[at]!);
    const feature = indices[at]!;
    const missingLeft = defaultLeft[at] === 1;
    if (types[at] === 1) {
      const codes = sets.get(at) ?? mistakes.stop(`${place}.categories_nodes`, `lacks node ${at}; expected it`);
      // In XGBoost the categories of the set go right, and all others left.
      return {
        kind: 'category',
        feature,
        codes,
        left: right,
        right: left,
        missingLeft: !missingLeft,
        cover: cover[at]!,
      };
    }
    if (Number.isNaN(condition)) {
      mistakes.stop(`${place}.split_conditions[${at}]`, 'is NaN; expected a threshold');
    }
    return { kind: 'number', feature, threshold: Math.fround(condition), left, right, missingLeft, cover: cover[at]! };
  };
  return { place, root: 0, node };
}

/** What a leaf adds. A tree of dart is multiplied by its weight. */
function leafOf(value: number, weight: number): number {
  return Math.fround(Math.fround(value) * Math.fround(weight));
}

/** The categories of each node that asks one: parts of one list. */
function categorySets(tree: JsonPlace, mistakes: Mistakes): ReadonlyMap<number, readonly number[]> {
  const sets = new Map<number, readonly number[]>();
  if (tree.get('categories_nodes').isMissing) return sets;
  const nodes = tree.get('categories_nodes').numbers();
  const segments = tree.get('categories_segments').numbersOf(nodes.length);
  const sizes = tree.get('categories_sizes').numbersOf(nodes.length);
  const categories = tree.get('categories').numbers();
  nodes.forEach((node, at) => {
    const from = segments[at]!;
    const codes = categories.slice(from, from + sizes[at]!);
    if (codes.length !== sizes[at]) {
      const detail = `is ${shown(sizes[at])}; expected categories from ${from} to below ${categories.length}`;
      mistakes.stop(`${tree.place}.categories_sizes[${at}]`, detail);
    }
    codes.forEach((code, index) => {
      const isNext = Number.isInteger(code) && code > (codes[index - 1] ?? -1);
      if (!isNext) {
        mistakes.stop(`${tree.place}.categories[${from + index}]`, `is ${code}; expected a code above the one before`);
      }
    });
    sets.set(node, codes);
  });
  return sets;
}
