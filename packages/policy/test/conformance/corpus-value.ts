import { joined, listType, mapType, type Type } from '../../src/compile/type.ts';
import { parseSpan } from '../../src/values/duration.ts';
import { Dynamic, type Key, type Value } from '../../src/compile/value.ts';
import { integer, intRange, uintRange } from '../../src/values/integers.ts';
import { parseTimestamp } from '../../src/values/timestamp.ts';

/** A value of the corpus, in its JSON form: `{ "int64Value": "5" }`. */
type Form = Readonly<Record<string, unknown>>;

/** A value as ours, with its type. */
export function valueOf(form: unknown): Dynamic {
  const [kind = '', raw] = Object.entries(form as Form)[0] ?? [];
  switch (kind) {
    case 'boolValue':
      return new Dynamic('bool', raw as boolean);
    case 'int64Value':
      return new Dynamic('int', integer(BigInt(raw as string), intRange));
    case 'uint64Value':
      return new Dynamic('uint', integer(BigInt(raw as string), uintRange));
    case 'doubleValue':
      return new Dynamic('double', Number(raw));
    case 'stringValue':
      return new Dynamic('string', raw as string);
    case 'bytesValue':
      return new Dynamic('bytes', new Uint8Array(Buffer.from(raw as string, 'base64')));
    case 'nullValue':
      return new Dynamic('null', null);
    case 'typeValue':
      return new Dynamic('type', raw as string);
    case 'listValue':
      return listOf(((raw as Form)['values'] ?? []) as readonly unknown[]);
    case 'mapValue':
      return mapOf(((raw as Form)['entries'] ?? []) as readonly { key: unknown; value: unknown }[]);
    case 'objectValue':
      return timeOf(raw as Form);
    default:
      throw new Error(`the corpus has a ${kind}`);
  }
}

function listOf(forms: readonly unknown[]): Dynamic {
  const items = forms.map((form) => valueOf(form));
  const type = items.reduce<Type>((common, item) => joined(common, item.type), 'none');
  return new Dynamic(
    listType(type),
    items.map((item) => (type === 'dyn' ? item : item.value)),
  );
}

function mapOf(forms: readonly { readonly key: unknown; readonly value: unknown }[]): Dynamic {
  const entries = forms.map(({ key, value }) => [valueOf(key), valueOf(value)] as const);
  const key = entries.reduce<Type>((common, [one]) => joined(common, one.type), 'none');
  const member = entries.reduce<Type>((common, [, one]) => joined(common, one.type), 'none');
  const map = entries.map(([one, value]): [Key, Value] => [one.value as Key, member === 'dyn' ? value : value.value]);
  return new Dynamic(mapType(key, member), new Map(map));
}

function timeOf(object: Form): Dynamic {
  const text = String(object['value']);
  return String(object['@type']).endsWith('Timestamp')
    ? new Dynamic('timestamp', parseTimestamp(text))
    : new Dynamic('duration', parseSpan(text));
}

const primitives: Readonly<Record<string, Type>> = {
  BOOL: 'bool',
  INT64: 'int',
  UINT64: 'uint',
  DOUBLE: 'double',
  STRING: 'string',
  BYTES: 'bytes',
};

/** A type of the corpus as ours. */
export function typeOf(form: unknown): Type {
  const [kind = '', raw] = Object.entries(form as Form)[0] ?? [];
  const inner = raw as Form;
  if (kind === 'primitive') return primitives[raw as string] ?? 'dyn';
  if (kind === 'listType') return listType(typeOf(inner['elemType']));
  if (kind === 'mapType') return mapType(typeOf(inner['keyType']), typeOf(inner['valueType']));
  if (kind === 'wellKnown') return raw === 'TIMESTAMP' ? 'timestamp' : raw === 'DURATION' ? 'duration' : 'dyn';
  return kind === 'null' ? 'null' : 'dyn';
}

/** A value with its type, written down so that equal ones are equal texts: maps in the order of their keys. */
export function print(type: Type, value: Value): string {
  if (value instanceof Dynamic) return print(value.type, value.value);
  if (value === undefined) return 'missing';
  if (value instanceof Uint8Array) return `bytes ${[...value].join(' ')}`;
  if (Array.isArray(value)) return `[${value.map((item: Value) => print(innerType(type), item)).join(', ')}]`;
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<Key, Value>)].map(
      ([key, member]) => `${typeof key} ${String(key)}: ${print(innerType(type), member)}`,
    );
    return `{${entries.toSorted().join(', ')}}`;
  }
  return `${type} ${JSON.stringify(typeof value === 'bigint' ? value.toString() : value === 0 ? 0 : value)}`.replace(
    /"(-?\d+)"$/,
    '$1',
  );
}

/** Of the items of a list, or of the members of a map. */
function innerType(type: Type): Type {
  const inner = type.slice(type.startsWith('list<') ? 'list<'.length : type.indexOf(', ') + 2, -1);
  return inner as Type;
}
