import type { LightMyRequestResponse } from 'fastify';
import { Check, Errors } from 'typebox/value';
import { managementText } from '../../../src/api/openapi/management-text.ts';

interface Operation {
  readonly responses: Readonly<Record<string, Referenced>>;
}

interface Referenced {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

const document = JSON.parse(managementText()) as Document;
const paths = Object.entries(document.paths).map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  // Paths without parameters come first: `/policies/check` is not a version.
  parameters: path.split('{').length,
  operations,
}));

/**
 * Checks an answer against the document: the document must list its status and media type, and its body must have every
 * required member and no unknown one.
 *
 * @throws Error that describes the difference
 */
export function documentedAnswer(method: string, path: string, response: LightMyRequestResponse): void {
  const url = `/management/v1${path.split('?', 1)[0]!}`;
  const operation = paths
    .filter(({ pattern, operations }) => pattern.test(url) && operations[method.toLowerCase()] !== undefined)
    .toSorted((a, b) => a.parameters - b.parameters)[0]?.operations[method.toLowerCase()];
  if (operation === undefined) return; // a path or a method that the document does not contain: 404, 405
  const named = operation.responses[String(response.statusCode)];
  if (named === undefined) throw new Error(`${method} ${path}: ${response.statusCode} is not in the document`);
  const { content } = resolved(named);
  if (content === undefined) {
    if (response.body !== '') throw new Error(`${method} ${path}: a body, and the document names none`);
    return;
  }
  const mediaType = String(response.headers['content-type']).split(';', 1)[0]!;
  const schema = content[mediaType]?.schema;
  if (schema === undefined) throw new Error(`${method} ${path}: ${mediaType} is not in the document`);
  // Lines of JSON are a file, not a single value.
  if (mediaType !== 'application/json' && !mediaType.endsWith('+json')) return;
  const exact = closed(schema) as object;
  const body: unknown = JSON.parse(response.body);
  if (Check(exact, body)) return;
  const first = Errors(exact, body)[0];
  throw new Error(
    `${method} ${path}: ${first?.instancePath} ${first?.message}, as the document has it: ${response.body}`,
  );
}

function resolved(named: Referenced): Referenced {
  return named.$ref === undefined ? named : (target(named.$ref) as Referenced);
}

function target(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((found, part) => (found as Record<string, unknown>)[part], document);
}

/** The schema with its references resolved, in which objects may only have the declared members. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = schema as { readonly $ref?: string; readonly properties?: object };
  if ($ref !== undefined) return closed(target($ref));
  const members = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, closed(value)]));
  return rest.properties === undefined || 'additionalProperties' in rest
    ? members
    : { ...members, additionalProperties: false };
}
