/** Files that cannot be imported are refused with the place, and with what would be right. */
import { describe, expect, it } from 'vitest';
import { importLightgbm } from '../../src/import/lightgbm.ts';
import type { ImportOptions } from '../../src/import/imported-model.ts';
import { importXgboost } from '../../src/import/xgboost.ts';
import { importBytesMax } from '../../src/limits.ts';
import { mistakeText, type ModelResult } from '../../src/mistakes.ts';
import { text } from './fixtures.ts';

function firstMistake(result: ModelResult<unknown>): string {
  return result.ok ? 'no mistake' : mistakeText(result.mistakes[0]!);
}

describe('a file of XGBoost', () => {
  const categories = text('xgboost', 'categories.json').replaceAll(/\bNaN\b/g, 'null');
  const dart = text('xgboost', 'dart.json').replaceAll(/\bNaN\b/g, 'null');
  const trees = 'learner.gradient_booster.model.trees';

  /** Sets the member at a path. Reads it again from the text, so that no test sees the changes of another. */
  function changed(file: string, path: string, value: unknown): string {
    const copy = JSON.parse(file) as Record<string, unknown>;
    const keys = path.split('.');
    const last = keys.pop()!;
    let inner = copy;
    for (const key of keys) inner = inner[key] as Record<string, unknown>;
    inner[last] = value;
    return JSON.stringify(copy);
  }

  it.each<[path: string, value: unknown, mistake: string]>([
    ['learner', [], 'learner: is []; expected an object'],
    [
      'learner.objective.name',
      'multi:softprob',
      'learner.objective.name: is "multi:softprob"; expected binary:logistic, ',
    ],
    ['learner.objective.name', 'rank:ndcg', 'learner.objective.name: is "rank:ndcg"; expected binary:logistic, '],
    [
      'learner.learner_model_param.num_class',
      '3',
      'learner.learner_model_param.num_class: is "3"; expected 0, because',
    ],
    [
      'learner.learner_model_param.num_target',
      '2',
      'learner.learner_model_param.num_target: is "2"; expected 1, because',
    ],
    [
      'learner.learner_model_param.base_score',
      '1.5E0',
      'learner.learner_model_param.base_score: is "1.5E0"; expected a prob',
    ],
    [
      'learner.learner_model_param.base_score',
      '[1E-1,2E-1]',
      'learner.learner_model_param.base_score: is "[1E-1,2E-1]"',
    ],
    [
      'learner.learner_model_param.num_feature',
      '900000000',
      'num_feature: is "900000000"; expected 1 to 10000 features',
    ],
    ['learner.learner_model_param.num_feature', '7', 'learner.feature_names: is ["amount","ratio"'],
    [
      'learner.gradient_booster.name',
      'gblinear',
      'learner.gradient_booster.name: is "gblinear"; expected gbtree or dart',
    ],
    ['learner.feature_names.0', 1, 'learner.feature_names[0]: is 1; expected a text'],
    ['learner.gradient_booster.model.tree_info.2', 1, 'learner.gradient_booster.model.tree_info[2]: is 1; expected 0'],
    [trees, {}, `${trees}: is {}; expected an array`],
    [`${trees}.3.left_children.0`, 900, `${trees}[3].left_children[0]: is 900; expected a node, 1 to`],
    [`${trees}.3.right_children.0`, 0, `${trees}[3].right_children[0]: is 0; expected a node, 1 to`],
    [`${trees}.3.right_children.0`, 1, `${trees}[3]: reaches node 1 twice; expected a tree`],
    [`${trees}.3.right_children.0`, '1', `${trees}[3].right_children[0]: is "1"; expected a number`],
    [`${trees}.3.split_indices.0`, 8, `${trees}[3]: asks feature 8; expected 0 to 7`],
    [`${trees}.3.split_conditions.0`, null, `${trees}[3].split_conditions[0]: is NaN; expected a threshold`],
    [`${trees}.3.split_conditions`, [1], `${trees}[3].split_conditions: has 1 entries; expected `],
    [`${trees}.3.sum_hessian`, undefined, `${trees}[3].sum_hessian: is missing; expected an array`],
    [`${trees}.3.tree_param.size_leaf_vector`, '3', `${trees}[3].tree_param.size_leaf_vector: is "3"; expected 1`],
    [`${trees}.0.categories_nodes`, [], `${trees}[0].categories_segments: has `],
    [
      `${trees}.0.categories_sizes.0`,
      900,
      `${trees}[0].categories_sizes[0]: is 900; expected categories from 0 to below`,
    ],
    [`${trees}.0.categories.0`, 99, `${trees}[0].categories[1]: is `],
  ])('%s = %j', (path, value, mistake) => {
    expect(firstMistake(importXgboost(changed(categories, path, value)))).toContain(mistake);
  });

  it('of dart with a tree without weight', () => {
    expect(firstMistake(importXgboost(changed(dart, 'learner.gradient_booster.weight_drop', [1])))).toContain(
      'learner.gradient_booster.weight_drop: is [1]; expected 25 numbers, one for each tree',
    );
  });

  it('that is cut off, no JSON, or too large', () => {
    expect(firstMistake(importXgboost(categories.slice(0, 1_000)))).toContain('is not JSON: ');
    expect(firstMistake(importXgboost('tree\nversion=v4\n'))).toContain('is not JSON: ');
    expect(firstMistake(importXgboost('[]'))).toBe('is []; expected an object');
    expect(firstMistake(importXgboost(' '.repeat(importBytesMax + 1)))).toBe(
      'has 8388609 characters; expected at most 8388608',
    );
  });

  it('under names that are not NaN', () => {
    const result = importXgboost(
      changed(categories, 'learner.feature_names.0', 'a NaN, Infinity').replace('null', 'NaN'),
    );
    expect(result.ok && result.value.artifact.inputs[0]?.name).toBe('a_NaN__Infinity');
  });
});

describe('a file of LightGBM', () => {
  const binary = text('lightgbm', 'binary.txt');
  /** Replaces the first line that begins like this. */
  const changed = (name: string, value: string): string =>
    binary.replace(new RegExp(`^${name}=.*`, 'm'), `${name}=${value}`);
  const firstOf = (name: string): readonly string[] => new RegExp(`^${name}=(.*)`, 'm').exec(binary)![1]!.split(' ');
  const firstSet = (name: string, index: number, value: string): string =>
    changed(name, firstOf(name).with(index, value).join(' '));

  it.each<[name: string, index: number, value: string, mistake: string]>([
    ['left_child', 0, '0', 'Tree=0: reaches node 0 twice; expected a tree'],
    ['left_child', 1, '11', 'Tree=0.left_child[1]: is 11; expected a node below 11, or a leaf, -1 to -12'],
    ['right_child', 1, '-13', 'Tree=0.right_child[1]: is -13; expected a node below 11, or a leaf'],
    ['split_feature', 2, '8', 'Tree=0: asks feature 8; expected 0 to 7'],
    ['threshold', 1, '1,5', 'Tree=0.threshold[1]: is "1,5"; expected a number'],
    ['decision_type', 1, '16', 'Tree=0.decision_type[1]: is 16; expected 0 to 11'],
    ['decision_type', 1, '12', 'Tree=0.decision_type[1]: is 12; expected 0 to 11'],
    ['leaf_value', 0, 'inf', 'Tree=0.leaf_value[0]: is Infinity; expected a finite number'],
    ['cat_boundaries', 1, '3', 'Tree=0.cat_'],
    ['cat_threshold', 0, '4294967296', 'Tree=0.cat_threshold: is "4294967296'],
    ['leaf_count', 0, '-1', 'Tree=0.cover['],
  ])('%s[%i]=%s', (...changes) => {
    const [name, index, value, mistake] = changes;
    expect(firstMistake(importLightgbm(firstSet(name, index, value)))).toContain(mistake);
  });

  it.each([
    ['version', 'v5', 'version: is "v5"; expected v2, v3 or v4'],
    ['num_class', '3', 'num_class: is "3"; expected 1, because only two classes are supported'],
    ['num_tree_per_iteration', '3', 'num_tree_per_iteration: is "3"; expected 1'],
    ['objective', 'lambdarank', 'objective: is "lambdarank"; expected binary or cross_entropy'],
    ['objective', 'regression', 'objective: is "regression"; expected binary or cross_entropy'],
    ['objective', 'binary sigmoid:0', 'objective: is "binary sigmoid:0"; expected a sigmoid above 0'],
    ['feature_infos', 'none', 'feature_infos: is "none"; expected 8 entries, as in feature_names'],
    ['num_leaves', '0', 'Tree=0.num_leaves: is "0"; expected 1 or more'],
    ['num_leaves', '5', 'Tree=0.leaf_value: has 12 entries; expected 5'],
    ['is_linear', '1', 'Tree=0.is_linear: is "1"; expected 0'],
    ['leaf_value', '', 'Tree=0.leaf_value: has 0 entries; expected 12'],
  ])('%s=%s', (name, value, mistake) => {
    expect(firstMistake(importLightgbm(changed(name, value)))).toContain(mistake);
  });

  it('with a code beyond all codes', () => {
    const zeros = Array.from({ length: 4097 }, () => '0').join(' ');
    const wide = changed('cat_threshold', zeros).replace(/^num_cat=.*/m, 'num_cat=1');
    expect(firstMistake(importLightgbm(wide.replace(/^cat_boundaries=.*/m, 'cat_boundaries=0 4097')))).toBe(
      'Tree=0.cat_boundaries: is "0 4097"; expected codes below 131072; [1] is 4097',
    );
  });

  it('that is cut off, of another library, or without an objective', () => {
    expect(firstMistake(importLightgbm(binary.slice(0, 5_000)))).toBe(
      'has no line "end of trees": the file is cut off',
    );
    expect(firstMistake(importLightgbm('{"learner":'))).toContain('line 1: is "{\\"learner\\":"; expected "tree"');
    expect(firstMistake(importLightgbm(binary.replace(/^objective=.*\n/m, '')))).toContain('objective: is missing');
    expect(firstMistake(importLightgbm(binary.replace(/^Tree=1$/m, 'Tree=7')))).toContain(
      'is "Tree=7"; expected Tree=1',
    );
    expect(firstMistake(importLightgbm(binary.replace(/^threshold=.*\n/m, '')))).toContain(
      'Tree=0.threshold: is missing',
    );
  });
});

describe('given inputs', () => {
  const binary = text('lightgbm', 'binary.txt');
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const read = (options: ImportOptions): ModelResult<unknown> => importLightgbm(binary, options);

  it('replace the names and the texts of the file', () => {
    const texts = ['app', 'web', 'branch', 'phone', 'post'];
    const inputs = names.map((name) => (name === 'g' ? { name, texts } : { name }));
    const result = importLightgbm(binary, { inputs });
    expect(result.ok && result.value.artifact.inputs.map(({ name }) => name)).toEqual(names);
    expect(result.ok && result.value.artifact.inputs[6]).toEqual({ name: 'g', kind: 'category', texts });
  });

  it('are refused if there are too few, wrong or equal names, or too few texts', () => {
    expect(firstMistake(read({ inputs: [{ name: 'a' }] }))).toBe(
      'the given inputs: have 1 entries; expected 8, the number of features of the model',
    );
    expect(firstMistake(read({ inputs: names.with(2, '2 c').map((name) => ({ name })) }))).toContain(
      'inputs[2].name: is "2 c"',
    );
    expect(firstMistake(read({ inputs: names.with(2, 'a').map((name) => ({ name })) }))).toContain(
      'inputs[2].name: is "a", as is inputs[0]',
    );
    const short = names.map((name) => (name === 'g' ? { name, texts: ['app'] } : { name }));
    expect(firstMistake(read({ inputs: short }))).toContain('g: has 1 texts; expected more than 4');
  });
});
