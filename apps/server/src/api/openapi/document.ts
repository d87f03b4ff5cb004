import { scopes } from '../../access/tokens/scopes.ts';
import { idempotencyParameter, replayedHeader } from '../../ingest/idempotency.ts';
import { type Operation, scopeOf, tags } from '../server/operation.ts';
import { linesMediaType } from '../server/send-lines.ts';
import { bodyProblems, commonProblems, managementProblemSchema, ResponsePrinter } from './problem-responses.ts';
import { exampleOf, type Schema, SchemaPrinter } from './schema-printer.ts';

export const managementPrefix = '/management/v1';

/** Generates the OpenAPI 3.1 document of the operations from the same schemas that check requests and type answers. */
export function managementDocument(operations: readonly Operation[]): object {
  const printers: Printers = { schemas: new SchemaPrinter(), responses: new ResponsePrinter() };
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = managementPrefix + operation.path;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: printOperation(operation, printers) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ringfence management API',
      version: '1.0.0',
      summary: 'Workspaces, keys, policies, events, actions.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The management listener of this installation; never the public one.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Every right: RINGFENCE_ADMIN_TOKEN, or the content of `secrets/admin-token` in the home folder.',
        },
        token: { type: 'http', scheme: 'bearer', description: tokenDescription },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-ringfence',
          description:
            'For the console: POST /management/v1/session. Every request except GET also needs X-CSRF-Token.',
        },
      },
      schemas: { ...sorted(printers.schemas.components), Problem: managementProblemSchema },
      responses: sorted(printers.responses.components),
    },
  };
}

const tokenDescription = `For programs: a token that \`POST /management/v1/tokens\` or \`ringfence token create\` made. It has scopes, workspaces and an end. An operation names the scope that it needs; one that names none is reserved for people and the admin token.

| Scope | Allows |
|---|---|
${Object.entries(scopes)
  .map(([scope, allowed]) => `| \`${scope}\` | ${allowed} |`)
  .join('\n')}`;

const introduction = `Everything that people and programs can read and change. It has its own listener, separate from the one that receives events.

* Errors are problem details (RFC 9457). Branch on \`code\`; \`errors\` lists the wrong members, at most 20. An unknown member or parameter is an error.
* Lists are newest first. Pass \`next\` as \`cursor\` to get the next page; the last page has none. Items added meanwhile cause neither repeated nor missing items.
* What the configuration file declares is read-only here: \`owner.config\`.
* A workspace is named by its id, or as \`name:environment\`.
* A POST without members may be sent without a body.`;

/** The right that each operation needs. The roles of an account describe what each right allows. */
const needed: Readonly<Record<Operation['needs'], string | undefined>> = {
  nothing: 'No login is needed.',
  login: 'For any logged-in person.',
  account: 'For logged-in people, about their own account.',
  see: undefined,
  show: 'People need the right `show`.',
  work: 'People need the right `work`.',
  decide: 'People need the right `decide`.',
  write: 'People need the right `write`.',
  approve: 'People need the right `approve`.',
  administer: 'People need the right `administer`.',
};

interface Printers {
  readonly schemas: SchemaPrinter;
  readonly responses: ResponsePrinter;
}

function printOperation(operation: Operation, { schemas, responses }: Printers): object {
  const { id, tag, needs, summary, description, params, query, body, example, answer, problems } = operation;
  const parameters = [
    ...parametersOf('path', params, schemas),
    ...parametersOf('query', query, schemas),
    ...(operation.isIdempotent === true ? [idempotencyParameter] : []),
  ];
  const codes = [...commonProblems, ...problems, ...(body === undefined ? [] : bodyProblems)];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...describe([description, needed[needs]]),
    security: securityOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: printBody(body, example, schemas) }),
    responses: { [answer.status]: printAnswer(operation, schemas), ...responses.print(codes) },
  };
}

/** Who may do it. OpenAPI 3.1 allows the roles of a bearer token to be listed; here its scope. */
function securityOf(operation: Operation): readonly object[] {
  const { needs } = operation;
  if (needs === 'nothing') return [];
  if (needs === 'account') return [{ session: [] }];
  const scope = scopeOf(operation);
  return [{ adminToken: [] }, ...(scope === undefined ? [] : [{ token: [scope] }]), { session: [] }];
}

function describe(parts: readonly (string | undefined)[]): { readonly description?: string } {
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? {} : { description: said.join(' ') };
}

function parametersOf(place: 'path' | 'query', shape: Schema | undefined, printer: SchemaPrinter): readonly object[] {
  return Object.entries(shape?.properties ?? {}).map(([name, { description, ...member }]) => ({
    name,
    in: place,
    ...(place === 'path' ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    schema: printer.print(member, 'received'),
  }));
}

function printBody(shape: Schema, example: object | undefined, printer: SchemaPrinter): object {
  const schema = printer.print(shape, 'received') as Schema;
  return {
    required: schema.required !== undefined,
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  };
}

function printAnswer(
  { answer: { description, schema, isStream, isFile, events }, isIdempotent }: Operation,
  printer: SchemaPrinter,
): object {
  const headers = {
    'X-Request-Id': { description: 'Identifies this request, also in the log.', schema: { type: 'string' } },
    ...(isIdempotent === true ? { 'Idempotency-Replayed': replayedHeader } : {}),
  };
  if (isStream === true) {
    const told = events === undefined ? { type: 'string' } : printer.print(events, 'answered');
    return { description, headers, content: { 'text/event-stream': { schema: told } } };
  }
  if (isFile === true) return { description, headers, content: { [linesMediaType]: { schema: { type: 'string' } } } };
  if (schema === undefined) return { description, headers };
  const example = exampleOf(schema);
  const content = { schema: printer.print(schema, 'answered'), ...(example === undefined ? {} : { example }) };
  return { description, headers, content: { 'application/json': content } };
}

function sorted(components: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
