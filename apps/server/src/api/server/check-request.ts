import { type FieldError, Problem } from '@ringfence/contract';
import type { Type } from 'typebox';
import { check } from '../../platform/shapes/check.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import { WrittenScalar } from '../../platform/shapes/written-scalar.ts';
import { fieldError } from '../../tenancy/workspaces/workspace-store.ts';
import type { Given, Operation } from './operation.ts';

/** What came over HTTP, unchecked. */
export interface RawRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * A request held against its operation's schemas: texts of the path and the query become numbers where numbers are
 * expected, those of the body do not.
 *
 * @throws Problem `request.invalid` with everything that is wrong
 */
export function checkRequest(operation: Operation, raw: RawRequest): Given<unknown, unknown, unknown> {
  const errors: FieldError[] = [];
  const given = {
    params: checkPart(operation.params ?? nothing, written(raw.params), errors),
    query: checkPart(operation.query ?? nothing, written(raw.query), errors),
    // No body says as much as an empty one, and so does null, which clients send for none.
    body: checkBody(operation.body ?? noBody, raw.body ?? {}, errors),
  };
  if (errors.length === 0) return given;
  throw new Problem('request.invalid', errors.map(({ detail }) => detail).join('; '), { errors });
}

/**
 * Refuses a query that is not percent-encoded UTF-8. Taken as it stands, a name of a sender who writes another encoding is
 * another name: nothing would be found of it, and that is an answer.
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
/** Whoever names one workspace in the body of what is done to all has to be told. */
const noBody = exactly({}, { expected: 'no members' });

function checkPart(schema: Type.TSchema, value: unknown, errors: FieldError[]): object {
  const checked = check(schema, value);
  if (checked.ok) return checked.value as object;
  errors.push(...checked.mistakes.map(fieldError));
  return {};
}

/** Parameters are texts that have no type yet; one that comes twice is a list of them. */
function written(parameters: unknown): unknown {
  const entries = Object.entries((parameters ?? {}) as Readonly<Record<string, string | readonly string[]>>);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? scalar(value) : value]));
}

function scalar(text: string): WrittenScalar {
  return new WrittenScalar(text, text, 'argument');
}

/** A member that is checked by whoever uses it: a patch can only be judged together with what it changes. */
export const checkedLater = 'x-checked-later';
/** Of such a member; an event has at most 8. Whoever walks through a thousand leaves the stack. */
const levelsMax = 16;

function checkBody(schema: Type.TSchema, body: unknown, errors: FieldError[]): object {
  const { properties, ...rest } = schema as Type.TObject;
  const later = Object.keys(properties).filter((name) => checkedLater in properties[name]!);
  if (later.length === 0 || !isObject(body)) return checkPart(schema, body, errors);
  // One that is not there is judged now: nobody uses it, and it may be required.
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
