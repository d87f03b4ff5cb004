/** ONNX files that cannot be imported are refused with the place, and with what would be right. */
import { describe, expect, it } from 'vitest';
import { importOnnx } from '../../src/import/onnx.ts';
import { mistakeText } from '../../src/mistakes.ts';
import { bytes } from './fixtures.ts';

type Value = number | string | readonly number[] | readonly string[];

/** One tree of one question, as attributes of a TreeEnsembleClassifier. Lists of floats are named. */
const attributes: Readonly<Record<string, Value>> = {
  nodes_treeids: [0, 0, 0],
  nodes_nodeids: [0, 1, 2],
  nodes_featureids: [1, 0, 0],
  nodes_values: [5, 0, 0],
  nodes_modes: ['BRANCH_LEQ', 'LEAF', 'LEAF'],
  nodes_truenodeids: [1, 0, 0],
  nodes_falsenodeids: [2, 0, 0],
  nodes_missing_value_tracks_true: [1, 0, 0],
  class_treeids: [0, 0],
  class_nodeids: [1, 2],
  class_ids: [0, 0],
  class_weights: [-1, 2],
  classlabels_int64s: [0, 1],
  base_values: [0.5],
  post_transform: 'LOGISTIC',
};
const floats: ReadonlySet<string> = new Set(['nodes_values', 'class_weights', 'base_values']);

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

function field(id: number, content: string | readonly number[]): number[] {
  const payload = typeof content === 'string' ? [...Buffer.from(content)] : content;
  return [...varint(id * 8 + 2), ...varint(payload.length), ...payload];
}

function attribute(name: string, value: Value): number[] {
  const list = Array.isArray(value) ? (value as readonly (number | string)[]) : [value as number | string];
  const content = list.flatMap((item) => {
    if (typeof item === 'string') return field(Array.isArray(value) ? 9 : 4, item);
    if (floats.has(name)) return [7 * 8 + 5, ...new Uint8Array(Float32Array.of(item).buffer)];
    return [8 * 8, ...varint(item)];
  });
  return field(5, [...field(1, name), ...content]);
}

interface Graph {
  readonly changed?: Readonly<Record<string, Value>>;
  readonly operator?: string;
  readonly from?: string;
  readonly elementType?: number;
  readonly before?: readonly number[];
}

function model({ changed = {}, operator, from, elementType, before = [] }: Graph): Uint8Array {
  const listed = Object.entries({ ...attributes, ...changed }).flatMap(([name, value]) => attribute(name, value));
  const node = [
    ...field(1, from ?? 'X'),
    ...field(2, 'Y'),
    ...field(4, operator ?? 'TreeEnsembleClassifier'),
    ...listed,
  ];
  const shape = field(2, [...field(1, []), ...field(1, [8, 3])]);
  const input = [...field(1, 'X'), ...field(2, field(1, [8, elementType ?? 1, ...shape]))];
  return Uint8Array.from([8, 8, ...field(7, [...before, ...field(1, node), ...field(11, input)])]);
}

function mistake(file: Uint8Array): string {
  const result = importOnnx(file);
  return result.ok ? 'no mistake' : mistakeText(result.mistakes[0]!);
}

describe('an ONNX file', () => {
  it('by hand is read', () => {
    const result = importOnnx(model({}));
    expect(result.ok && result.value).toMatchObject({
      artifact: {
        trees: [
          { input: [0, -1, -1], value: [5, -1, 2], missingLeft: [1, 0, 0], cover: [1, 0.5, 0.5] },
          { input: [-1], value: [0.5] },
        ],
      },
      features: [1],
      unused: ['f0', 'f2'],
    });
  });

  it.each<[name: string, value: Value, mistake: string]>([
    [
      'nodes_modes',
      ['BRANCH_EQ', 'LEAF', 'LEAF'],
      'nodes_modes[0]: is "BRANCH_EQ"; expected LEAF, BRANCH_LEQ, BRANCH_LT',
    ],
    ['nodes_modes', ['BRANCH_LEQ'], 'nodes_modes: has 1 entries; expected 3'],
    ['nodes_truenodeids', [7, 0, 0], 'nodes_truenodeids[0]: is 7; expected a node of tree 0'],
    ['nodes_falsenodeids', [1, 0, 0], ' tree 0: reaches node 1 twice; expected a tree'],
    ['nodes_falsenodeids', [0, 0, 0], ' tree 0: reaches node 0 twice; expected a tree'],
    ['nodes_featureids', [3, 0, 0], ' tree 0: asks feature 3; expected 0 to 2'],
    ['nodes_nodeids', [0, 1, 1], 'nodes_nodeids[2]: is 1; expected each number once in a tree'],
    ['nodes_values', [NaN, 0, 0], 'nodes_values[0]: is NaN; expected a threshold'],
    ['nodes_treeids', [], 'nodes_treeids: is []; expected a node'],
    ['class_weights', [-1, Infinity], 'class_weights[1]: is Infinity; expected a finite number'],
    ['class_weights', [0, 2], 'post_transform: is "LOGISTIC"; expected leaves below 0 as well'],
    ['class_nodeids', [1, 1], 'class_nodeids[1]: is 1; expected each leaf once'],
    ['class_ids', [0, 1], 'class_ids[1]: is 1; expected 0, because one sum is supported'],
    ['class_ids', [0], 'class_ids: has 1 entries; expected 2'],
    ['classlabels_int64s', [0, 1, 2], 'classlabels_int64s: is 3; expected two classes'],
    ['base_values', [0, 1], 'base_values: is [0,1]; expected one number'],
    ['post_transform', 'SOFTMAX', 'post_transform: is "SOFTMAX"; expected LOGISTIC or NONE'],
    ['aggregate_function', 'MAX', 'aggregate_function: is "MAX"; expected SUM or AVERAGE'],
    ['nodes_values_as_tensor', [1], 'nodes_values_as_tensor: is "a list of 64-bit numbers"; expected 32-bit numbers'],
  ])('with %s = %j', (name, value, expected) => {
    const text = mistake(model({ changed: { [name]: value } }));
    expect(text).toContain('graph.node[0]');
    expect(text).toContain(expected);
  });

  it('with other operators, another input or another type', () => {
    expect(mistake(model({ operator: 'TreeEnsemble' }))).toContain(
      'graph.node[0].op_type: is "TreeEnsemble"; expected only',
    );
    const scaler = field(1, [...field(1, 'X'), ...field(2, 'Z'), ...field(4, 'Scaler')]);
    expect(mistake(model({ before: scaler }))).toContain('graph.node[0].op_type: is "Scaler"; expected only');
    const cast = field(1, [...field(1, 'X'), ...field(2, 'Z'), ...field(4, 'Cast')]);
    expect(mistake(model({ before: cast, from: 'Z' }))).toBe('no mistake');
    expect(mistake(model({ before: cast, from: 'Q' }))).toContain('graph.input: is not what the trees get');
    expect(mistake(model({ elementType: 11 }))).toContain('graph.input: has elements of type 11; expected 1');
    const many = Array.from({ length: 100 }, () => cast).flat();
    expect(mistake(model({ before: many }))).toBe('graph.node: has 101 operators; expected at most 100');
    expect(mistake(model({ operator: 'Identity' }))).toBe('graph.node: has 0 tree ensembles; expected one');
  });

  it('that is empty, text, or cut off anywhere', () => {
    expect(mistake(new Uint8Array(0))).toBe('has no graph; expected an ONNX model');
    expect(mistake(Buffer.from('tree\nversion=v4\n'))).toContain('byte ');
    const whole = bytes('onnx', 'classifier.onnx');
    // The versions behind the graph are not needed.
    const graphEnd = whole.length - 64;
    for (let length = 0; length < graphEnd; length += 7) {
      expect(mistake(whole.subarray(0, length))).not.toBe('no mistake');
    }
  });
});
