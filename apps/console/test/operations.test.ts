import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type ApiDocument, printOperations } from '../generate/print-operations.ts';

const document = JSON.parse(
  readFileSync(new URL('../../../docs/reference/openapi-management.json', import.meta.url), 'utf8'),
) as ApiDocument;

it('the generated operations match the OpenAPI document (npm run generate -w @ringfence/console)', () => {
  const kept = readFileSync(new URL('../src/api/operations.generated.ts', import.meta.url), 'utf8');
  expect(printOperations(document)).toBe(kept);
});

it('prints optional, nullable, listed and mapped members', () => {
  const text = printOperations({
    paths: {
      '/a/{id}': {
        get: {
          operationId: 'readA',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { '200': { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } } },
        },
      },
    },
    components: {
      schemas: {
        A: {
          type: 'object',
          required: ['n'],
          properties: {
            n: { type: ['integer', 'null'] },
            list: { type: 'array', items: { enum: ['x', 'y'] } },
            'a-b': { type: 'object', additionalProperties: { type: 'string' } },
          },
        },
      },
    },
  });
  expect(text).toContain(
    'export type A = { n: number | null; list?: readonly ("x" | "y")[]; "a-b"?: Readonly<Record<string, string>> };',
  );
  expect(text).toContain('readA: { input: { params: { id: string } }; answer: A };');
  expect(text).toContain("readA: ['GET', '/a/{id}'],");
});
