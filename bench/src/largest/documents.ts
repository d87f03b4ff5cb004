import { readFileSync } from 'node:fs';

/** A part of a JSON Schema, as the OpenAPI documents use it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
}

interface Parameter {
  readonly name: string;
  readonly in?: string;
  readonly schema: Schema;
}

/** One operation of a listener. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly Parameter[];
  /** `undefined` if it takes no body. */
  readonly body: Schema | undefined;
  /** Whether it can be asked without a log-in. */
  readonly isOpen: boolean;
}

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly security?: readonly object[];
}

export interface Document {
  readonly operations: readonly Operation[];
  /** The schema that a `$ref` names. */
  resolve(ref: string): Schema;
}

/** The operations of a listener, by the name of its document in docs/reference. */
export function readDocument(name: 'openapi.json' | 'openapi-management.json'): Document {
  const text = readFileSync(new URL(`../../../docs/reference/${name}`, import.meta.url), 'utf8');
  const { paths, components } = JSON.parse(text) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, parameters = [], requestBody, security }]): Operation => ({
      id,
      method: method.toUpperCase(),
      path,
      query: parameters.filter((parameter) => parameter.in === 'query'),
      body: requestBody?.content['application/json']?.schema,
      isOpen: security?.length === 0,
    })),
  );
  return { operations, resolve: (ref) => components.schemas[ref.slice(ref.lastIndexOf('/') + 1)]! };
}
