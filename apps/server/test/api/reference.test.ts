import { readFileSync } from 'node:fs';
import { Problem, problems } from '@ringfence/contract';
import { loadPolicy } from '@ringfence/policy';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../src/api/server/check-request.ts';
import { managementPage } from '../../src/api/server/docs-page.ts';
import { managementText } from '../../src/api/openapi/management-text.ts';
import { managementRoutes } from '../../src/api/routes.ts';
import { exampleFiles } from '../../src/api/policies/policy-schema.ts';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const text = managementText();
const document = JSON.parse(text) as Document;
const operations = managementRoutes.map(({ operation }) => operation);
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** The target of a reference. */
function target(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((found, part) => (found as Record<string, unknown> | undefined)?.[part], document);
}

/** A value of the document with its references resolved. */
function whole(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(whole);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return whole(target(String(value.$ref)));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, whole(member)]));
}

interface BodySchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>;
}

interface Content {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Every schema of the document that has examples, with its place. */
function contents(value: unknown, place = ''): readonly { readonly place: string; readonly content: Content }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    /^application\/[\w+]*json$/.test(name)
      ? [{ place, content: whole(member) as Content }]
      : contents(member, `${place}/${name}`),
  );
}

/** The pointers of the errors. */
function refusalOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem && error.code === 'request.invalid') return error.errors.map(({ pointer }) => pointer);
    throw error;
  }
  return [];
}

describe('the OpenAPI document', () => {
  it('is up to date: `node apps/server/src/api/write-reference.ts` writes it', () => {
    const committed = new URL('../../../../docs/reference/openapi-management.json', import.meta.url);
    expect(readFileSync(committed, 'utf8')).toBe(text);
  });

  it('is OpenAPI 3.1 and has every operation under its id', () => {
    expect(document.openapi).toBe('3.1.0');
    const ids = documented.map(({ operation }) => operation.operationId);
    expect(ids.toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  it('refers only to existing definitions', () => {
    const references = [...text.matchAll(/"\$ref": "(#\/[^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => target(reference) === undefined)).toEqual([]);
  });

  it('contains no members that only our own checker reads', () => {
    expect(text).not.toMatch(/"(?:secret|refine|x-checked-later|x-seldom|x-personal)":|"expected": "a mapping/);
  });

  it('has nothing that generators of clients stumble over', () => {
    expect(text).not.toMatch(/"(?:anyOf|oneOf|allOf|patternProperties)":/);
    // Generated Python imports these names from its library.
    expect(Object.keys(document.components.schemas)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:Any|Dict|Field|List|Optional|Set|Union)$/)]),
    );
    // Generated Go has a function `NewKey` for a schema `Key`.
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => names.includes(name.replace(/^New/, '')) && name.startsWith('New'))).toEqual([]);
  });

  it.each(documented)('documents the parameters of $method $path', ({ path, operation }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(parameters.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
    expect(parameters.every(({ required }) => required === true)).toBe(true);
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
  });

  it.each(documented)('documents one answer and the problems of $method $path', ({ operation }) => {
    const statuses = Object.keys(operation.responses);
    expect(statuses.filter((status) => status.startsWith('2'))).toHaveLength(1);
    for (const status of ['401', '422', '429', '500', '503']) expect(statuses).toContain(status);
    const own = operations.find(({ id }) => id === operation.operationId)!.problems;
    for (const code of own) expect(statuses).toContain(String(problems[code].status));
  });

  it('has a valid example for every answer with a body', () => {
    const all = contents(document);
    expect(all.length).toBeGreaterThan(40);
    for (const { place, content } of all) {
      const examples =
        content.examples === undefined ? [content.example] : Object.values(content.examples).map((one) => one.value);
      for (const example of examples) {
        expect(example, place).toBeDefined();
        expect(Check(content.schema, example), `${place}: ${JSON.stringify(example)}`).toBe(true);
      }
    }
  });

  it.each(operations.filter(({ body }) => body !== undefined))(
    'has an example body for $id that is accepted',
    (operation) => {
      const { example, params } = operation;
      const withoutParams = { ...operation, ...(params === undefined ? {} : { params: undefined }) };
      const { params: _none, ...rest } = withoutParams;
      expect(checkRequest(rest, { params: {}, query: {}, body: example }).body).toMatchObject({});
    },
  );

  it.each(
    operations.flatMap(({ params: _params, query: _query, ...operation }) => {
      const { required = [], properties = {} } = (operation.body ?? {}) as BodySchema;
      const names = required.filter((name) => properties[name]?.default === undefined);
      return names.length === 0 ? [] : [{ id: operation.id, operation, names }];
    }),
  )('requires every member that $id needs', ({ operation, names }) => {
    const pointers = refusalOf(() => checkRequest(operation, { params: {}, query: {}, body: {} }));
    expect(pointers).toEqual(expect.arrayContaining(names.map((name) => `/${name}`)));
  });

  it('shows a policy that is valid', () => {
    expect(loadPolicy(exampleFiles)).toMatchObject({ ok: true });
  });
});

describe('the page', () => {
  const page = managementPage();

  it('shows every operation', () => {
    for (const { id, method, path } of operations) {
      expect(page).toContain(`<h3 id="${id}">`);
      expect(page).toContain(`<code>${method} /management/v1${path}</code>`);
    }
  });

  it('loads nothing from outside, and has no inline scripts or styles', () => {
    const loaded = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]!);
    expect(loaded.filter((address) => !/^(?:\/docs\/docs\.css|\/openapi\.json|#[a-z]+)$/.test(address))).toEqual([]);
    expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=|<img|<iframe/i);
  });

  it('links only to existing sections', () => {
    for (const [, id] of page.matchAll(/href="#(\w+)"/g)) expect(page).toContain(`<section id="${id}">`);
  });
});
