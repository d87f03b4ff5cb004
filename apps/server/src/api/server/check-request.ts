import { errorsMax, type FieldError, Problem } from '@ringfence/contract';
import type { Type } from 'typebox';
import { check } from '../../platform/shapes/check.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import { WrittenScalar } from '../../platform/shapes/written-scalar.ts';
import { fieldError } from '../../tenancy/workspaces/workspace-store.ts';
import type { Given, Operation } from './operation.ts';

/** A request as received over HTTP, before validation. */
export interface RawRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Validates a request against the schemas of its operation. Texts in the path and the query are converted to numbers
 * where numbers are expected; texts in the body are not.
 *
 * @throws Problem `request.invalid` with the first `errorsMax` errors
 */
export function checkRequest(operation: Operation, raw: RawRequest): Given<unknown, unknown, unknown> {
  const errors: FieldError[] = [];
  const given = {
    params: checkPart(operation.params ?? nothing, written(raw.params), errors),
    query: checkPart(operation.query ?? nothing, written(raw.query), errors),
    body: checkBody(operation.body, raw.body, errors),
  };
  if (errors.length === 0) return given;
  const told = errors.slice(0, errorsMax);
  throw new Problem('request.invalid', told.map(({ detail }) => detail).join('; '), { errors: told });
}

/**
 * Refuses a query that is not percent-encoded UTF-8. Decoded leniently, a name in another encoding would become a
 * different name, and an empty result would look like a valid answer.
 *
 * @throws Problem `request.invalid`
 */
export function requireReadableQuery(url: string): void {
  const [, query = ''] = url.split(/\?(.*)/s, 2);
  for (const parameter of query.split('&')) {
    try {
      decodeURIComponent(parameter);
    } catch (cause) {
      const [name = ''] = parameter.split('=', 1);
      const [expected, detail] = ['percent-encoded UTF-8', `${name}: expected percent-encoded UTF-8`];
      throw new Problem('request.invalid', detail, { cause, errors: [{ pointer: `/${name}`, detail, expected }] });
    }
  }
}

const nothing = exactly({}, { expected: 'no parameters' });
/** A caller who names a workspace in the body of an operation that affects all workspaces must get an error. */
const noBody = exactly({}, { expected: 'no members' });

function checkPart(schema: Type.TSchema, value: unknown, errors: FieldError[]): object {
  const checked = check(schema, value);
  if (checked.ok) return checked.value as object;
  errors.push(...checked.mistakes.map(fieldError));
  return {};
}

/** Parameters are untyped texts; a parameter that occurs twice is a list. */
function written(parameters: unknown): unknown {
  const entries = Object.entries((parameters ?? {}) as Readonly<Record<string, string | readonly string[]>>);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? scalar(value) : value]));
}

function scalar(text: string): WrittenScalar {
  return new WrittenScalar(text, text, 'argument');
}

/** Marks a member that the operation itself checks: a merge patch can only be judged together with what it changes. */
export const checkedLater = 'x-checked-later';
/**
 * Maximum nesting of such a member; an event has at most 8 levels. Recursion over thousands would overflow the stack.
 */
const levelsMax = 16;

/**
 * A missing body counts as an empty one. So does null where none is expected, because some clients send it for no body;
 * where one is expected, it is refused like every other value that is not an object.
 */
function checkBody(declared: Type.TSchema | undefined, given: unknown, errors: FieldError[]): object {
  const schema = declared ?? noBody;
  const body = given === undefined || (given === null && declared === undefined) ? {} : given;
  const { properties, ...rest } = schema as Type.TObject;
  const later = Object.keys(properties).filter((name) => checkedLater in properties[name]!);
  if (later.length === 0 || !isObject(body)) return checkPart(schema, body, errors);
  // A missing member is checked here: no operation reads it, and it may be required.
  const isLater = (name: string): boolean => later.includes(name) && Object.hasOwn(body, name);
  const now = { ...rest, properties: without(properties, isLater) };
  for (const name of later.filter((each) => isDeeper(body[each], levelsMax))) {
    const expected = `at most ${levelsMax} levels of objects and lists`;
    errors.push({ pointer: `/${name}`, detail: `${name}: expected ${expected}`, expected });
  }
  return { ...checkPart(now, without(body, isLater), errors), ...without(body, (name) => !isLater(name)) };
}

function without<Value>(
  from: Readonly<Record<string, Value>>,
  isLeftOut: (name: string) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !isLeftOut(name)));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
