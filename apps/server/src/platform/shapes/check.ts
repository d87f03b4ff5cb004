import { codePointCount, errorsMax, unreachable } from '@ringfence/contract';
import { nearest } from '@ringfence/policy/nearest';
import type { Type } from 'typebox';
import type { Refusal } from './shape.ts';
import { WrittenScalar } from './written-scalar.ts';

/** One error in a value. */
export interface Mistake {
  readonly path: readonly (string | number)[];
  /** The error is about the member's name, not its value. */
  readonly onKey: boolean;
  /** The missing member of the value at `path`. */
  readonly missing?: string;
  /** A sentence without its full stop. */
  readonly message: string;
  /** Completes "expected …". */
  readonly expected: string;
}

export type Checked<Schema extends Type.TSchema> =
  | { readonly ok: true; readonly value: Type.Static<Schema> }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/** The part of JSON Schema that shape.ts generates. */
interface Shape {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly expected?: string;
  readonly secret?: boolean;
  readonly shorthand?: string;
  readonly refine?: (value: unknown) => string | readonly Refusal[] | undefined;
}

type Path = readonly (string | number)[];

/**
 * Checks an external value against a shape, fills in defaults, and reports its errors together, up to `errorsMax`: each
 * unknown member with the nearest known one, each wrong value with what was expected.
 */
export function check<Schema extends Type.TSchema>(schema: Schema, value: unknown): Checked<Schema> {
  const mistakes = new Mistakes();
  try {
    const result = checkValue(schema as unknown as Shape, value, { path: [], mistakes });
    if (mistakes.found.length === 0) return { ok: true, value: result as Type.Static<Schema> };
  } catch (error) {
    if (error !== enough) throw error;
  }
  return { ok: false, mistakes: mistakes.found };
}

/** Ends the search: thrown with the last mistake that is reported. */
const enough = Symbol('enough mistakes');

class Mistakes {
  readonly found: Mistake[] = [];

  add(mistake: Mistake): void {
    // oxlint-disable-next-line only-throw-error -- it is no failure, and `check` catches it
    if (this.found.push(mistake) >= errorsMax) throw enough;
  }
}

interface Place {
  readonly path: Path;
  readonly mistakes: Mistakes;
}

function checkValue(shape: Shape, value: unknown, place: Place): unknown {
  const before = place.mistakes.found.length;
  const result = checkShape(shape, value, place);
  if (place.mistakes.found.length === before && shape.refine !== undefined) {
    refine(shape, { result, source: value }, place);
  }
  return result;
}

function checkShape(shape: Shape, value: unknown, place: Place): unknown {
  switch (shape.type) {
    case 'object':
      return checkObject(shape, value, place);
    case 'array':
      return checkList(shape, value, place);
    case 'string':
      return checkText(shape, value, place);
    case 'integer':
    case 'number':
    case 'boolean':
      return checkPlain(shape, value, place);
    default:
      return unreachable(shape.type);
  }
}

function refine(shape: Shape, of: { result: unknown; source: unknown }, place: Place): void {
  const refused = shape.refine!(of.result);
  if (refused === undefined) return;
  if (typeof refused === 'string') {
    place.mistakes.add(wrong({ ...shape, expected: refused }, of.source, place.path));
    return;
  }
  for (const { path, expected } of refused) {
    const at = [...place.path, ...path];
    place.mistakes.add({ path: at, onKey: false, message: `${named(at)}: expected ${expected}`, expected });
  }
}

function checkObject(shape: Shape, value: unknown, place: Place): unknown {
  const properties = shape.properties ?? {};
  if (!isMapping(value)) {
    const only = shape.shorthand;
    if (only === undefined || Array.isArray(value)) return refused(shape, value, place);
    return { [only]: checkValue(properties[only]!, value, place) };
  }
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = Object.hasOwn(properties, key) ? properties[key] : matching(shape, key);
    if (inner === undefined) {
      place.mistakes.add(unknownMember(shape, key, place.path));
    } else {
      result[key] = checkValue(inner, value[key], { ...place, path: [...place.path, key] });
    }
  }
  for (const [key, inner] of Object.entries(properties)) {
    if (Object.hasOwn(value, key)) continue;
    if (inner.default !== undefined) {
      result[key] = structuredClone(inner.default);
    } else if (shape.required?.includes(key) === true) {
      const expected = inner.expected ?? lengthOf(inner);
      const message = `${named([...place.path, key])} is missing: expected ${expected}`;
      place.mistakes.add({ path: place.path, onKey: false, missing: key, message, expected: `${key}: ${expected}` });
    }
  }
  return result;
}

function matching(shape: Shape, key: string): Shape | undefined {
  return Object.entries(shape.patternProperties ?? {}).find(([pattern]) => new RegExp(pattern).test(key))?.[1];
}

/** Longer names of unknown members are not repeated: an error is told in three places. */
const shownKeyLengthMax = 128;

function unknownMember(shape: Shape, key: string, path: Path): Mistake {
  const known = Object.keys(shape.properties ?? {});
  const near = nearest(key, known);
  const expected = known.length === 0 ? (shape.expected ?? 'no members') : (near ?? `one of ${known.join(', ')}`);
  const hint = near === undefined ? `expected ${expected}` : `did you mean "${near}"?`;
  if (key.length > shownKeyLengthMax) {
    const what = `a member with a name of ${key.length} characters`;
    return { path, onKey: false, message: `${named(path)} has ${what}; ${hint}`, expected };
  }
  return { path: [...path, key], onKey: true, message: `${named([...path, key])} is not known; ${hint}`, expected };
}

function checkList(shape: Shape, value: unknown, place: Place): unknown {
  if (!Array.isArray(value)) return refused(shape, value, place);
  const { minItems = 0, maxItems = Infinity } = shape;
  if (value.length < minItems || value.length > maxItems) {
    const expected = minItems === 0 ? `at most ${maxItems} items` : `${minItems} to ${maxItems} items`;
    const message = `${named(place.path)}: expected ${expected}, found ${value.length}`;
    place.mistakes.add({ path: place.path, onKey: false, message, expected });
  }
  return value.map((item, i) => checkValue(shape.items!, item, { ...place, path: [...place.path, i] }));
}

function checkText(shape: Shape, value: unknown, place: Place): unknown {
  const text = value instanceof WrittenScalar ? value.asText() : value;
  if (typeof text !== 'string') return refused(shape, value, place);
  if (shape.enum !== undefined) return shape.enum.includes(text) ? text : refused(shape, value, place);
  // PostgreSQL text cannot contain a NUL, and a lone surrogate would be stored as another character.
  if (text.includes('\0') || !text.isWellFormed()) return refused({ ...shape, expected: wholeText }, value, place);
  const length = codePointCount(text);
  if (length < (shape.minLength ?? 0) || length > (shape.maxLength ?? Infinity)) return refused(shape, value, place);
  return text;
}

const wholeText = 'text without the character NUL and without lone surrogates';

function checkPlain(shape: Shape, value: unknown, place: Place): unknown {
  if (shape.type === 'boolean') {
    const plain = value instanceof WrittenScalar ? value.asBoolean() : value;
    return typeof plain === 'boolean' ? plain : refused(shape, value, place);
  }
  const plain = value instanceof WrittenScalar ? value.asNumber() : value;
  const isNumber = shape.type === 'number' ? Number.isFinite : Number.isSafeInteger;
  if (typeof plain !== 'number' || !isNumber(plain)) return refused(shape, value, place);
  if (plain < shape.minimum! || plain > shape.maximum!) return refused(shape, value, place);
  return plain;
}

function refused(shape: Shape, value: unknown, place: Place): undefined {
  place.mistakes.add(wrong(shape, value, place.path));
  return undefined;
}

function wrong(shape: Shape, value: unknown, path: Path): Mistake {
  const expected = shape.expected ?? lengthOf(shape);
  const near = shape.enum === undefined ? undefined : nearest(shownText(value), shape.enum);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  const found = shape.secret === true ? '' : `, found ${shown(value)}`;
  return { path, onKey: false, message: `${named(path)}: expected ${expected}${found}${hint}`, expected };
}

function lengthOf(shape: Shape): string {
  return `text of ${shape.minLength ?? 0} to ${shape.maxLength ?? Infinity} characters`;
}

/** `workspaces[0].webhook.url`; the root is `the top level`. */
export function named(path: Path): string {
  if (path.length === 0) return 'the top level';
  let name = '';
  for (const part of path) name += typeof part === 'number' ? `[${part}]` : `${name === '' ? '' : '.'}${part}`;
  return name;
}

/** Longest part of a wrong value that an error repeats. */
const shownLengthMax = 60;

function shown(value: unknown): string {
  if (value instanceof WrittenScalar && value.isHidden) return 'the value of an environment variable';
  const plain = value instanceof WrittenScalar ? value.value : value;
  if (plain === null || plain === undefined) return 'nothing';
  if (Array.isArray(plain)) return 'a list';
  if (isMapping(plain)) return 'a mapping';
  // Credentials could be anywhere in it.
  if (typeof plain === 'string' && plain.length > examinedLengthMax) return `a text of ${plain.length} characters`;
  const text = withoutCredentials(JSON.stringify(plain));
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}

/** Longer than any value that was meant: it is not searched for credentials, and not repeated. */
const examinedLengthMax = 4_096;

/** Masks the user name and password of a URL: everything before the last `@`, whatever characters they contain. */
function withoutCredentials(text: string): string {
  return text.replace(/:.*@/s, ':…@');
}

function shownText(value: unknown): string {
  if (value instanceof WrittenScalar) return value.asText() ?? '';
  return typeof value === 'string' ? value : '';
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenScalar);
}
