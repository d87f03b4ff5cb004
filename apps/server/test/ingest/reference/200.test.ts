import { readFileSync } from 'node:fs';
import { eventSchemas, outcomeSchema, problems, schemaExample } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { errorsPage } from '../../../src/platform/api-reference/errors-page.ts';
import { deviceKeysPlugin } from '../../../src/ingest/device-key-routes.ts';
import { openApiText } from '../../../src/ingest/openapi.ts';
import { ingestRoutes, statusRoutes } from '../../../src/ingest/routes.ts';
import { developmentKey, doorKit } from '../support/door-kit.ts';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, object>>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly post?: Operation; readonly get?: Operation }>>;
  readonly webhooks: object;
}

const text = openApiText();
const document = JSON.parse(text) as Document;
const keysPath = '/device/v1/keys/{workspace}';
/** The operations that accept events and questions. */
const operations = Object.values(document.paths).flatMap(({ post }) => post ?? []);

/** The target of a reference. */
function target(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((found, part) => (found as Record<string, unknown> | undefined)?.[part], document);
}

/** A page of docs/reference; `node apps/server/src/api/write-reference.ts` writes it. */
function committed(name: string): string {
  return readFileSync(new URL(`../../../../../docs/reference/${name}`, import.meta.url), 'utf8');
}

it('the errors page equals the committed one, and has every code', () => {
  expect(committed('errors.md')).toBe(errorsPage());
  expect(errorsPage().match(/^\| `/gm)).toHaveLength(Object.keys(problems).length);
});

describe('the OpenAPI document', () => {
  it('equals the committed one', () => {
    expect(committed('openapi.json')).toBe(text);
  });

  it('is OpenAPI 3.1 with the sixteen paths of reports, four for a status, the device keys and the webhook', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toEqual([
      ...[...ingestRoutes, ...statusRoutes].map(({ path }) => path),
      keysPath,
    ]);
    expect(operations).toHaveLength(20);
    expect(Object.keys(document.webhooks)).toEqual(['action']);
  });

  it('has no dangling references, and unique operation ids', () => {
    const references = [...text.matchAll(/"\$ref": "(#\/[^"]+)"/g)].map((match) => match[1]!);
    expect(references.filter((reference) => target(reference) === undefined)).toEqual([]);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(20);
  });

  it('lists every status that ingest returns', () => {
    const statuses = new Set(operations.flatMap((post) => Object.keys(post.responses)));
    const expected = '200 400 401 403 404 405 408 413 415 417 422 429 431 500 501 503';
    expect([...statuses].toSorted().join(' ')).toEqual(expected);
  });

  it('has the problem for the keys of an unknown workspace', async () => {
    const kit = await doorKit({ deps: { plugins: [deviceKeysPlugin({ byId: () => undefined })] } });
    const { code } = (await kit.app.inject({ url: keysPath.replace('{workspace}', 'nobody') })).json<{
      code: string;
    }>();
    expect(code).toBe('thing.unknown');
    const problem = target('#/components/schemas/Problem/properties/code') as { readonly enum: readonly string[] };
    expect(problem.enum).toContain(code);
  });

  it('has nothing that generators of clients stumble over', () => {
    expect(text).not.toMatch(/"(?:anyOf|oneOf|allOf|patternProperties)":/);
  });

  it('has examples that ingest accepts', async () => {
    const kit = await doorKit();
    for (const { path, kind, environment } of ingestRoutes) {
      const key = environment === 'development' ? { key: developmentKey } : {};
      const response = await kit.post(kind, schemaExample(kind === 'outcome' ? outcomeSchema : eventSchemas[kind]), {
        path,
        ...key,
      });
      expect([path, response.statusCode]).toEqual([path, 200]);
    }
  });
});

describe('the reference', () => {
  it.each([
    ['/openapi.json', 'application/json; charset=utf-8'],
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/docs.css', 'text/css; charset=utf-8'],
  ])('%s is served, under a strict policy and without a key', async (url, type) => {
    const kit = await doorKit();
    const response = await kit.app.inject({ url });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe(type);
    expect(response.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'/);
  });

  it('loads no external resources, and has no inline scripts or styles', async () => {
    const kit = await doorKit();
    const page = (await kit.app.inject({ url: '/docs' })).body;
    const style = (await kit.app.inject({ url: '/docs/docs.css' })).body;
    const loaded = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]!);
    expect(loaded.filter((address) => !/^(?:\/docs\/docs\.css|\/openapi\.json|#[a-z]+)$/.test(address))).toEqual([]);
    expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=|<img|<iframe/i);
    expect(style).not.toMatch(/url\(|@import/);
  });

  it('shows every member of every event and of outcomes', async () => {
    const kit = await doorKit();
    const page = (await kit.app.inject({ url: '/docs' })).body;
    for (const name of [
      'channelId',
      'publicIp',
      'transaction.details',
      'account.clientRefIdStr',
      'creditCard.last4Digits',
      'clientRSA',
      'actions[].webhookId',
      'session.mismatch',
      'webhookId',
      'recovered',
    ]) {
      expect(page).toContain(`<code>${name}</code>`);
    }
  });
});
