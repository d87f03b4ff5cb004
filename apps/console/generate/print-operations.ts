/** The parts of an OpenAPI document that Ringfence uses. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface ApiOperation {
  readonly operationId: string;
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: JsonContent };
  readonly responses: Readonly<Record<string, { readonly content?: JsonContent }>>;
}

interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface JsonContent {
  readonly 'application/json'?: { readonly schema: Schema };
  /** Of a stream: the data type of each named event, or any text. */
  readonly 'text/event-stream'?: { readonly schema: Schema };
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

/**
 * The management API as TypeScript: every named schema as a type, every operation with its input and answer, and a
 * table of methods and paths.
 */
export function printOperations({ paths, components }: ApiDocument): string {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const types = all.map(({ operation }) => `  ${operation.operationId}: ${shapeOf(operation)};`);
  const table = all.map(({ path, method, operation }) => `  ${operation.operationId}: ['${method}', '${path}'],`);
  return `/* Written from docs/reference/openapi-management.json by \`npm run generate -w @ringfence/console\`. */

${schemas.join('\n')}

export interface Operations {
${types.join('\n')}
}

export const operations = {
${table.join('\n')}
} as const satisfies Readonly<Record<keyof Operations, readonly [string, string]>>;
`;
}

function shapeOf(operation: ApiOperation): string {
  const { parameters = [], requestBody, responses } = operation;
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const body = requestBody?.content['application/json']?.schema;
  const told = success?.content?.['text/event-stream']?.schema;
  const answer = success?.content?.['application/json']?.schema ?? (told?.$ref === undefined ? undefined : told);
  const input = [
    ...memberOf('params', parameters, 'path'),
    ...memberOf('query', parameters, 'query'),
    ...(body === undefined ? [] : [`body${requestBody?.required === true ? '' : '?'}: ${typeOf(body)}`]),
  ];
  const given = input.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${input.join('; ')} }`;
  return `{ input: ${given}; answer: ${answer === undefined ? 'undefined' : typeOf(answer)} }`;
}

/** All parameters of one location as one member, which is optional if every parameter is. */
function memberOf(name: string, parameters: readonly ApiParameter[], place: ApiParameter['in']): readonly string[] {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return [];
  const members = own.map(
    (one) => `${quoted(one.name)}${one.required === true ? ': ' : '?: undefined | '}${typeOf(one.schema)}`,
  );
  return [`${name}${own.some(({ required }) => required === true) ? '' : '?'}: { ${members.join('; ')} }`];
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return union.map(typeOf).join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(' & ');
  const kinds = schema.type === undefined ? [] : [schema.type].flat();
  return kinds.length === 0 ? 'unknown' : kinds.map((kind) => plainType(kind, schema)).join(' | ');
}

function plainType(kind: string, schema: Schema): string {
  switch (kind) {
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${schema.items === undefined ? 'unknown' : typeOf(schema.items)})[]`;
    case 'object':
      return objectType(schema);
    default:
      return kind;
  }
}

function objectType({ properties, patternProperties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined) {
    const values = Object.values(patternProperties ?? {})[0] ?? additionalProperties;
    return `Readonly<Record<string, ${typeof values === 'object' ? typeOf(values) : 'unknown'}>>`;
  }
  const members = Object.entries(properties).map(
    ([name, schema]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

function quoted(name: string): string {
  return /^[a-zA-Z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
