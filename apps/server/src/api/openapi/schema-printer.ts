import { assert, integerFormat, nulFreePattern } from '@ringfence/contract';

/** The part of JSON Schema that the shapes and answers of this API use. */
export interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  /** Most answers lack it, so examples omit it. */
  readonly 'x-seldom'?: boolean;
  /** The mask of personal data; `false`: neither it nor its members are personal. See `personal` in `members.ts`. */
  readonly 'x-personal'?: false | ((value: never, of: never) => unknown);
}

/** Members of schemas that only our own checker reads. */
const ownMembers: ReadonlySet<string> = new Set([
  'expected',
  'secret',
  'refine',
  'x-checked-later',
  'x-seldom',
  'x-personal',
]);

/** Whether the server receives or answers what a schema describes: received members with a default are optional. */
type Direction = 'received' | 'answered';

/**
 * Prints schemas into an OpenAPI document: those with a title once under `components`, referenced from everywhere else.
 */
export class SchemaPrinter {
  readonly components: Record<string, object> = {};

  print(schema: object, direction: Direction): object {
    const { title } = schema as Schema;
    if (title === undefined) return this.#plain(schema, direction);
    this.components[title] ??= this.#plain(schema, direction);
    return { $ref: `#/components/schemas/${title}` };
  }

  #plain(schema: object, direction: Direction): object {
    const printed = { ...withoutPatternProperties(schema), ...hintsOf(schema, direction) };
    const entries = Object.entries(printed).filter(([name]) => !ownMembers.has(name));
    return Object.fromEntries(
      entries
        .map(([name, value]) => [name, this.#member(name, value, { schema, direction })] as const)
        .filter(([, value]) => value !== undefined),
    );
  }

  #member(name: string, value: unknown, of: { readonly schema: Schema; readonly direction: Direction }): unknown {
    const { schema, direction } = of;
    switch (name) {
      case 'properties': {
        const members = Object.entries(value as Readonly<Record<string, object>>);
        return Object.fromEntries(members.map(([key, member]) => [key, this.print(member, direction)]));
      }
      case 'items':
        return this.print(value as object, direction);
      case 'additionalProperties':
        // Generators of clients need `true` for values of any type.
        if (typeof value !== 'object' || Object.keys(value!).length === 0) return value !== false;
        return this.print(value!, direction);
      case 'required':
        return requiredIn(schema, direction);
      default:
        return value;
    }
  }
}

/**
 * Generators of clients know no `patternProperties`. Members of arbitrary names with a pattern for the names mean the
 * same where there is one pattern and no other member is allowed.
 */
function withoutPatternProperties(schema: Schema): object {
  const { patternProperties, ...rest } = schema;
  if (patternProperties === undefined) return schema;
  const patterns = Object.entries(patternProperties);
  assert(patterns.length === 1 && rest.additionalProperties === false, 'an object has one pattern for all its members');
  const [pattern, members] = patterns[0]!;
  return { ...rest, propertyNames: { pattern }, additionalProperties: members };
}

/** What generators of clients need beside what the checker reads: the width of numbers, and that texts have no NUL. */
function hintsOf({ type, format, pattern, enum: choices, minimum, maximum }: Schema, direction: Direction): object {
  const types = [type].flat();
  if (types.includes('integer') && format === undefined) return { format: integerFormat(minimum, maximum) };
  if (types.includes('number') && format === undefined) return { format: 'double' };
  const isFreeText = types.includes('string') && choices === undefined && format === undefined && pattern === undefined;
  return isFreeText && direction === 'received' ? { pattern: nulFreePattern } : {};
}

function requiredIn({ required = [], properties = {} }: Schema, direction: Direction): readonly string[] | undefined {
  const kept = direction === 'answered' ? required : required.filter((name) => properties[name]?.default === undefined);
  return kept.length === 0 ? undefined : kept;
}

/** Builds a value from the examples of a schema's members; `undefined` if a required member has no example. */
export function exampleOf(schema: Schema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.properties !== undefined) return objectExample(schema, schema.properties);
  if (schema.items !== undefined) {
    const item = exampleOf(schema.items);
    return item === undefined ? [] : [item];
  }
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  return typeof schema.additionalProperties === 'object' ? {} : schema.minimum;
}

function objectExample({ required = [] }: Schema, properties: Readonly<Record<string, Schema>>): object | undefined {
  const usual = Object.entries(properties).filter(([, member]) => member['x-seldom'] !== true);
  const examples = usual.map(([name, member]) => [name, exampleOf(member)] as const);
  const isWhole = examples.every(([name, example]) => example !== undefined || !required.includes(name));
  return isWhole ? Object.fromEntries(examples.filter(([, example]) => example !== undefined)) : undefined;
}
