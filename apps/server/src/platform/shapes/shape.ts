import { Type } from 'typebox';

/**
 * Builders for the schemas of configuration and workspace settings: TypeBox schemas, so that types and OpenAPI are
 * derived from them, with some extra members that `check` reads. One definition serves the file and the management
 * API.
 */
export interface Rules<Value> {
  /** Completes the sentence "expected …". */
  readonly expected?: string;
  /** The value is never shown in an error. */
  readonly secret?: boolean;
  /**
   * A check beyond the schema. Called with a value that matches the schema; the result completes "expected …", or
   * names the wrong members.
   */
  readonly refine?: (value: Value) => string | readonly Refusal[] | undefined;
}

/** An error that depends on several members. `path` is relative to the object. */
export interface Refusal {
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

interface TextBounds {
  readonly minLength?: number;
  readonly maxLength: number;
  readonly description?: string;
  readonly default?: string;
}

export function text(bounds: TextBounds & Rules<string>): Type.TString {
  return Type.String({ minLength: 1, ...bounds });
}

interface NumberBounds {
  readonly minimum: number;
  readonly maximum: number;
  readonly unit?: string;
  readonly description?: string;
  readonly default?: number;
}

export function wholeNumber(bounds: NumberBounds & Rules<number>): Type.TInteger {
  const { unit, ...schema } = bounds;
  const of = unit === undefined ? '' : ` of ${unit}`;
  return Type.Integer({ expected: `a whole number${of} from ${bounds.minimum} to ${bounds.maximum}`, ...schema });
}

/** A number with decimals. */
export function decimalNumber(bounds: Omit<NumberBounds, 'unit'> & Rules<number>): Type.TNumber {
  return Type.Number({ expected: `a number from ${bounds.minimum} to ${bounds.maximum}`, ...bounds });
}

export function yesOrNo(options: { readonly default?: boolean; readonly description?: string }): Type.TBoolean {
  return Type.Boolean({ expected: 'true or false', ...options });
}

export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options: { readonly default?: Choice; readonly description?: string } = {},
): Type.TUnsafe<Choice> {
  return Type.Unsafe<Choice>({ type: 'string', enum: choices, expected: choices.join(' or '), ...options });
}

export function listOf<Item extends Type.TSchema>(
  item: Item,
  bounds: {
    readonly maxItems: number;
    readonly minItems?: number;
    readonly description?: string;
    readonly default?: Type.Static<Item>[];
  } & Rules<Type.Static<Item>[]>,
): Type.TArray<Item> {
  return Type.Array(item, { expected: 'a list', ...bounds });
}

/** An object without other members. */
export function exactly<Members extends Type.TProperties>(
  members: Members,
  options: {
    readonly description?: string;
    /** A value that is no mapping is read as this member alone. */
    readonly shorthand?: keyof Members & string;
  } & Rules<Type.Static<Type.TObject<Members>>> = {},
): Type.TObject<Members> {
  return Type.Object(members, { additionalProperties: false, expected: 'a mapping (key: value)', ...options });
}
