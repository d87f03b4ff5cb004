import { type Mistakes, shown } from '../mistakes.ts';
import { ProtobufReader } from './protobuf.ts';

/** What is read of an ONNX file: its operators and its inputs. */
export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly inputs: readonly OnnxInput[];
}

export interface OnnxNode {
  readonly place: string;
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Attributes;
}

export interface OnnxInput {
  readonly name: string;
  /** 1 is FLOAT. */
  readonly elementType: number | undefined;
  /** The length of each dimension; `undefined` for one that is not fixed. */
  readonly dimensions: readonly (number | undefined)[];
}

interface Attribute {
  readonly text: string | undefined;
  readonly number: number | undefined;
  readonly ints: readonly number[];
  readonly floats: readonly number[];
  readonly texts: readonly string[];
}

/** The attributes of an operator. A list that is missing is empty. */
export class Attributes {
  private readonly place: string;
  private readonly values: ReadonlyMap<string, Attribute>;
  private readonly mistakes: Mistakes;

  constructor(place: string, values: ReadonlyMap<string, Attribute>, mistakes: Mistakes) {
    this.place = place;
    this.values = values;
    this.mistakes = mistakes;
  }

  names(): readonly string[] {
    return [...this.values.keys()];
  }

  text(name: string, usual: string): string {
    return this.values.get(name)?.text ?? usual;
  }

  number(name: string): number | undefined {
    return this.values.get(name)?.number;
  }

  ints(name: string): readonly number[] {
    return this.values.get(name)?.ints ?? [];
  }

  floats(name: string): readonly number[] {
    return this.values.get(name)?.floats ?? [];
  }

  texts(name: string): readonly string[] {
    return this.values.get(name)?.texts ?? [];
  }

  wrong(name: string, value: unknown, expected: string): never {
    return this.mistakes.stop(`${this.place}.${name}`, `is ${shown(value)}; expected ${expected}`);
  }

  /** The list `values` of the attribute `name`, if it has as many entries as another. */
  ofLength<T>(name: string, values: readonly T[], length: number): readonly T[] {
    if (values.length === length) return values;
    return this.mistakes.stop(`${this.place}.${name}`, `has ${values.length} entries; expected ${length}`);
  }
}

/** Field numbers of onnx.proto: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
const fields = {
  model: { graph: 7 },
  graph: { node: 1, input: 11 },
  node: { input: 1, output: 2, operator: 4, attribute: 5 },
  attribute: { name: 1, f: 2, i: 3, s: 4, floats: 7, ints: 8, strings: 9 },
  input: { name: 1, type: 2 },
  type: { tensor: 1 },
  tensor: { elementType: 1, shape: 2 },
  shape: { dimension: 1 },
  dimension: { value: 1 },
} as const;

export function readOnnxGraph(bytes: Uint8Array, mistakes: Mistakes): OnnxGraph {
  const graph = partsOf(ProtobufReader.of(bytes, mistakes), fields.model.graph)[0];
  if (graph === undefined) return mistakes.stop('', 'has no graph; expected an ONNX model');
  const nodes: OnnxNode[] = [];
  const inputs: OnnxInput[] = [];
  for (const field of graph.fields()) {
    if (field.kind !== 'bytes') continue;
    if (field.id === fields.graph.node) nodes.push(nodeOf(field.value, `graph.node[${nodes.length}]`, mistakes));
    if (field.id === fields.graph.input) inputs.push(inputOf(field.value));
  }
  return { nodes, inputs };
}

/** The messages or texts of one field. */
function partsOf(message: ProtobufReader | undefined, id: number): readonly ProtobufReader[] {
  const fields = [...(message?.fields() ?? [])];
  return fields.flatMap((field) => (field.id === id && field.kind === 'bytes' ? [field.value] : []));
}

function nodeOf(message: ProtobufReader, place: string, mistakes: Mistakes): OnnxNode {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = new Map<string, Attribute>();
  let operator = '';
  for (const { id, kind, value } of message.fields()) {
    if (kind !== 'bytes') continue;
    if (id === fields.node.input) inputs.push(value.text());
    else if (id === fields.node.output) outputs.push(value.text());
    else if (id === fields.node.operator) operator = value.text();
    else if (id === fields.node.attribute) {
      const { name, ...attribute } = attributeOf(value);
      attributes.set(name, attribute);
    }
  }
  return { place, operator, inputs, outputs, attributes: new Attributes(place, attributes, mistakes) };
}

function attributeOf(message: ProtobufReader): Attribute & { readonly name: string } {
  let name = '';
  let text: string | undefined;
  let number: number | undefined;
  const ints: number[] = [];
  const floats: number[] = [];
  const texts: string[] = [];
  for (const { id, kind, value } of message.fields()) {
    if (kind !== 'bytes') {
      if (id === fields.attribute.ints) ints.push(value);
      else if (id === fields.attribute.floats) floats.push(value);
      else if (id === fields.attribute.i || id === fields.attribute.f) number = value;
    } else if (id === fields.attribute.name) name = value.text();
    else if (id === fields.attribute.s) text = value.text();
    else if (id === fields.attribute.strings) texts.push(value.text());
    // Lists of numbers are packed, or not.
    else if (id === fields.attribute.ints) for (const int of value.varints()) ints.push(int);
    else if (id === fields.attribute.floats) for (const float of value.floats()) floats.push(float);
  }
  return { name, text, number, ints, floats, texts };
}

function inputOf(message: ProtobufReader): OnnxInput {
  let name = '';
  let elementType: number | undefined;
  let dimensions: readonly (number | undefined)[] = [];
  for (const field of message.fields()) {
    if (field.kind !== 'bytes') continue;
    if (field.id === fields.input.name) name = field.value.text();
    if (field.id !== fields.input.type) continue;
    for (const part of partsOf(field.value, fields.type.tensor)[0]?.fields() ?? []) {
      if (part.kind === 'varint' && part.id === fields.tensor.elementType) elementType = part.value;
      if (part.kind === 'bytes' && part.id === fields.tensor.shape) {
        dimensions = partsOf(part.value, fields.shape.dimension).map(dimensionOf);
      }
    }
  }
  return { name, elementType, dimensions };
}

function dimensionOf(message: ProtobufReader): number | undefined {
  for (const { id, kind, value } of message.fields()) {
    if (id === fields.dimension.value && kind === 'varint') return value;
  }
  return undefined;
}
