import { featuresMax, importBytesMax } from '../limits.ts';
import { Mistakes, type ModelResult } from '../mistakes.ts';
import { type ImportedModel, importedModel, type ImportOptions, type SourceModel } from './imported-model.ts';
import { type Attributes, type OnnxGraph, type OnnxNode, readOnnxGraph } from './onnx-graph.ts';
import type { SourceNode, SourceTree } from './source-tree.ts';

/** The operators that are imported, with the beginning of their attributes for leaves. */
const ensembles: Readonly<Record<string, string>> = {
  TreeEnsembleClassifier: 'class',
  TreeEnsembleRegressor: 'target',
};
/** Operators that only pass a value on, or give it another form. */
const passive: readonly string[] = ['Identity', 'Cast', 'ZipMap'];
const modes: readonly string[] = ['LEAF', 'BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GTE', 'BRANCH_GT'];
/** The number of the type FLOAT in ONNX. */
const float = 1;

/**
 * Imports an ONNX model of one TreeEnsembleClassifier with two classes, or TreeEnsembleRegressor, of 32-bit numbers.
 * Without the post-transform LOGISTIC its value is taken for log-odds. The probability comes out within 1e-6, and the sum
 * of onnxruntime bit for bit if it has one thread: with more it adds the trees in another order.
 *
 * ONNX files do not say how many training rows reached a node. So explanations count both ways of a question alike.
 */
export function importOnnx(bytes: Uint8Array, options: ImportOptions = {}): ModelResult<ImportedModel> {
  return Mistakes.collect((mistakes) => {
    if (bytes.length > importBytesMax) {
      mistakes.stop('', `has ${bytes.length} bytes; expected at most ${importBytesMax}`);
    }
    return importedModel(sourceOf(readOnnxGraph(bytes, mistakes), mistakes), options, mistakes);
  });
}

function sourceOf(graph: OnnxGraph, mistakes: Mistakes): SourceModel {
  const operator = ensembleOf(graph, mistakes);
  const { attributes, place } = operator;
  const columns = inputColumns(graph, operator, mistakes);
  for (const name of attributes.names()) {
    if (name.endsWith('_as_tensor')) attributes.wrong(name, 'a list of 64-bit numbers', '32-bit numbers');
  }
  const leaves = readLeaves(operator);
  const nodes = readNodes(attributes, leaves);
  const trees = treesOf(attributes, { nodes, place, mistakes });
  const aggregate = attributes.text('aggregate_function', 'SUM');
  const isAverage = aggregate === 'AVERAGE';
  if (!isAverage && aggregate !== 'SUM') attributes.wrong('aggregate_function', aggregate, 'SUM or AVERAGE');
  const divisor = isAverage ? trees.length : 1;
  const base = baseOf(attributes);
  checkMargin(attributes, [base, ...leaves.values()]);
  const count = columns ?? nodes.reduce((most, { feature }) => Math.max(most, feature + 1), 1);
  if (!(count >= 1 && count <= featuresMax)) {
    mistakes.stop('graph.input', `has ${count} features; expected 1 to ${featuresMax}`);
  }
  return {
    precision: 'single',
    comparison: '<=',
    // An average gets its base after the division. A sum gets it at the end: it is one more tree, a single leaf.
    base: isAverage ? Math.fround(base * divisor) : 0,
    ...(divisor > 1 && { scaling: { divisor } }),
    features: Array.from({ length: count }, (_, at) => ({ name: `f${at}`, kind: 'number' })),
    trees: isAverage || base === 0 ? trees : [...trees, constantTree(base, place)],
  };
}

function constantTree(value: number, place: string): SourceTree {
  const node = { kind: 'leaf', value, cover: 1 } as const;
  return { place: `${place} base_values`, root: 0, node: () => node };
}

/** Converters write at most five: the ensemble, and what passes its answers on. */
const operatorsMax = 100;

function ensembleOf({ nodes }: OnnxGraph, mistakes: Mistakes): OnnxNode {
  if (nodes.length > operatorsMax) {
    mistakes.stop('graph.node', `has ${nodes.length} operators; expected at most ${operatorsMax}`);
  }
  const found = nodes.filter(({ operator }) => ensembles[operator] !== undefined);
  const other = nodes.find(({ operator }) => ensembles[operator] === undefined && !passive.includes(operator));
  const expected = [...Object.keys(ensembles), ...passive].join(', ');
  if (other !== undefined) {
    mistakes.stop(`${other.place}.op_type`, `is ${JSON.stringify(other.operator)}; expected only ${expected}`);
  }
  if (found[0] === undefined || found.length > 1) {
    mistakes.stop('graph.node', `has ${found.length} tree ensembles; expected one`);
  }
  return found[0];
}

/** The number of features, if the model states it. The ensemble must get what the model gets. */
function inputColumns({ nodes, inputs }: OnnxGraph, ensemble: OnnxNode, mistakes: Mistakes): number | undefined {
  let name = ensemble.inputs[0];
  // Each step goes to an operator before, so there are at most as many as operators.
  for (const _ of nodes) {
    const before = nodes.find(({ outputs, operator }) => operator !== 'ZipMap' && outputs.includes(name ?? ''));
    if (before === undefined) break;
    name = before.inputs[0];
  }
  const input = inputs.find((one) => one.name === name);
  if (input === undefined)
    return mistakes.stop('graph.input', 'is not what the trees get; expected the model to begin with them');
  if (input.elementType !== float) {
    mistakes.stop('graph.input', `has elements of type ${input.elementType}; expected ${float}, numbers of 32 bits`);
  }
  return input.dimensions[1];
}

function baseOf(attributes: Attributes): number {
  const base = attributes.floats('base_values');
  if (base.length > 1)
    attributes.wrong('base_values', base, 'one number: only two classes, or one target, are supported');
  const value = base[0] ?? 0;
  return Number.isFinite(value) ? value : attributes.wrong('base_values', value, 'a finite number');
}

/** The sum must be log-odds: either LOGISTIC makes a probability of it, or it can be below 0. */
function checkMargin(attributes: Attributes, values: readonly number[]): void {
  const transform = attributes.text('post_transform', 'NONE');
  if (transform !== 'LOGISTIC' && transform !== 'NONE') {
    attributes.wrong('post_transform', transform, 'LOGISTIC or NONE');
  }
  if (values.every((value) => value >= 0)) {
    attributes.wrong(
      'post_transform',
      transform,
      'leaves below 0 as well: otherwise the sum is no log-odds, but a probability',
    );
  }
}

/** The values of the leaves, by `keyOf(tree, node)`. */
function readLeaves({ operator, attributes }: OnnxNode): ReadonlyMap<string, number> {
  const kind = ensembles[operator]!;
  const weights = attributes.floats(`${kind}_weights`);
  const list = (name: string): readonly number[] => attributes.ofLength(name, attributes.ints(name), weights.length);
  const trees = list(`${kind}_treeids`);
  const nodes = list(`${kind}_nodeids`);
  const ids = list(`${kind}_ids`);
  if (kind === 'class') {
    const labels = Math.max(
      attributes.ints('classlabels_int64s').length,
      attributes.texts('classlabels_strings').length,
    );
    if (labels !== 2) attributes.wrong('classlabels_int64s', labels, 'two classes');
  }
  const values = new Map<string, number>();
  weights.forEach((weight, at) => {
    if (ids[at] !== ids[0]) attributes.wrong(`${kind}_ids[${at}]`, ids[at], `${ids[0]}, because one sum is supported`);
    if (!Number.isFinite(weight)) attributes.wrong(`${kind}_weights[${at}]`, weight, 'a finite number');
    const key = keyOf(trees[at]!, nodes[at]!);
    if (values.has(key)) attributes.wrong(`${kind}_nodeids[${at}]`, nodes[at], 'each leaf once');
    values.set(key, weight);
  });
  return values;
}

function keyOf(tree: number, node: number): string {
  return `${tree} ${node}`;
}

interface TreeNode {
  readonly tree: number;
  readonly id: number;
  readonly feature: number;
  readonly threshold: number;
  readonly mode: string;
  readonly yes: number;
  readonly no: number;
  readonly missing: number;
  readonly value: number;
}

function readNodes(attributes: Attributes, leaves: ReadonlyMap<string, number>): readonly TreeNode[] {
  const treeIds = attributes.ints('nodes_treeids');
  const count = treeIds.length;
  if (count === 0) attributes.wrong('nodes_treeids', treeIds, 'a node');
  const ints = (name: string): readonly number[] => attributes.ofLength(name, attributes.ints(name), count);
  const ids = ints('nodes_nodeids');
  const features = ints('nodes_featureids');
  const yes = ints('nodes_truenodeids');
  const no = ints('nodes_falsenodeids');
  const thresholds = attributes.ofLength('nodes_values', attributes.floats('nodes_values'), count);
  const nodeModes = attributes.ofLength('nodes_modes', attributes.texts('nodes_modes'), count);
  const tracks = attributes.ints('nodes_missing_value_tracks_true');
  if (tracks.length > 0) attributes.ofLength('nodes_missing_value_tracks_true', tracks, count);
  return treeIds.map((tree, at) => {
    const mode = nodeModes[at]!;
    const threshold = thresholds[at]!;
    if (!modes.includes(mode)) attributes.wrong(`nodes_modes[${at}]`, mode, modes.join(', '));
    if (mode !== 'LEAF' && Number.isNaN(threshold)) attributes.wrong(`nodes_values[${at}]`, threshold, 'a threshold');
    const missing = tracks[at] === 1 ? yes[at]! : no[at]!;
    const value = leaves.get(keyOf(tree, ids[at]!)) ?? 0;
    return { tree, id: ids[at]!, feature: features[at]!, threshold, mode, yes: yes[at]!, no: no[at]!, missing, value };
  });
}

interface Nodes {
  readonly nodes: readonly TreeNode[];
  readonly place: string;
  readonly mistakes: Mistakes;
}

function treesOf(attributes: Attributes, { nodes, place, mistakes }: Nodes): readonly SourceTree[] {
  const trees = new Map<number, Map<number, { readonly node: TreeNode; readonly at: number }>>();
  nodes.forEach((node, at) => {
    const tree = trees.get(node.tree) ?? new Map<number, { readonly node: TreeNode; readonly at: number }>();
    if (tree.has(node.id)) attributes.wrong(`nodes_nodeids[${at}]`, node.id, 'each number once in a tree');
    trees.set(node.tree, tree.set(node.id, { node, at }));
  });
  return [...trees].map(([number, tree]): SourceTree => {
    const [root] = tree.keys();
    const covers = new Map([[root!, 1]]);
    const read = (id: number): SourceNode => {
      const { node, at } =
        tree.get(id) ?? mistakes.stop(`${place}.nodes_nodeids`, `lacks node ${id} of tree ${number}`);
      const cover = covers.get(id)!;
      if (node.mode === 'LEAF') return { kind: 'leaf', value: node.value, cover };
      for (const [name, child] of [
        ['nodes_truenodeids', node.yes],
        ['nodes_falsenodeids', node.no],
      ] as const) {
        if (!tree.has(child)) attributes.wrong(`${name}[${at}]`, child, `a node of tree ${number}`);
        covers.set(child, cover / 2);
      }
      return { ...questionOf(node), cover };
    };
    return { place: `${place} tree ${number}`, root: root!, node: read };
  });
}

type Question = Omit<SourceNode & { kind: 'number' }, 'cover'>;

/** The question as "at most": a strict one has the number of 32 bits before; a question from below is turned around. */
function questionOf({ mode, threshold, yes, no, missing, feature }: TreeNode): Question {
  const isFromAbove = mode === 'BRANCH_LEQ' || mode === 'BRANCH_LT';
  const isStrict = mode === 'BRANCH_LT' || mode === 'BRANCH_GTE';
  const left = isFromAbove ? yes : no;
  const right = isFromAbove ? no : yes;
  const missingLeft = missing === left;
  if (!isStrict) return { kind: 'number', feature, threshold, left, right, missingLeft };
  // No number is below minus infinity: all go right. Written the other way around, all go left.
  if (threshold === -Infinity) {
    return { kind: 'number', feature, threshold: Infinity, left: right, right: left, missingLeft: !missingLeft };
  }
  return { kind: 'number', feature, threshold: floatBelow(threshold), left, right, missingLeft };
}

/** The smallest number of 32 bits above 0, 2^-149. */
const denormalMin = 1.401298464324817e-45;

/** The greatest number of 32 bits below `value`, which is one itself. */
function floatBelow(value: number): number {
  if (value === 0) return -denormalMin;
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  view.setInt32(0, view.getInt32(0) + (value > 0 ? -1 : 1));
  return view.getFloat32(0);
}
