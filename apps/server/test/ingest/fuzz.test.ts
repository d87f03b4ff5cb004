/** Goal: every answer to any request is documented in the OpenAPI document, and repeats no value of the request. */
import { problems } from '@ringfence/contract';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doorKit, login, logout, operation } from './support/door-kit.ts';

const bodies = { login, logout, operation };
const kinds = ['login', 'logout', 'operation'] as const;
/** Fragments inserted into the text: some break JSON, some break schemas, and one is searched for in the answers. */
const piece = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\u0000',
  '\\ud800',
  '"__proto__":1,',
  '1e400',
  'null',
  '""',
  '-',
  '0.1',
  '"sekret"',
  'sekret',
  '\u0000',
  '\uD834',
);
const edit = fc.tuple(fc.nat(300), fc.nat(12), piece);
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'sekret/sekret',
    ),
    'content-encoding': fc.constantFrom('identity', 'gzip'),
    'idempotency-key': fc.string({ maxLength: 300 }).filter((key) => /^[\t\x20-\x7e]*$/.test(key)),
    'x-request-id': fc.string({ maxLength: 20 }).filter((id) => /^[\x20-\x7e]*$/.test(id)),
  },
  { requiredKeys: [] },
);

describe('ingest', () => {
  it('answers 1,500 mutated requests with 200 or a problem, never 5xx', async () => {
    const kit = await doorKit();
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...kinds),
        fc.array(edit, { maxLength: 3 }),
        headers,
        async (kind, edits, sent) => {
          let text = JSON.stringify(bodies[kind]);
          for (const [at, removed, added] of edits) text = text.slice(0, at) + added + text.slice(at + removed);
          const response = await kit.post(kind, text, { headers: sent });
          seen.add(response.statusCode);
          const answer = response.json<{ status: unknown; code?: keyof typeof problems }>();
          const expected = answer.code === undefined ? 'accepted' : problems[answer.code].status;
          expect(answer.status).toBe(expected);
          expect([200, 400, 415, 422]).toContain(response.statusCode);
          // A pointer may contain a member name that the sender made up; nothing else is repeated.
          expect(response.body.replaceAll(/"pointer":"[^"]*"/g, '')).not.toContain('sekret');
        },
      ),
      { seed: 11, numRuns: 1_500 },
    );
    expect([...seen].toSorted((left, right) => left - right)).toEqual([200, 400, 415, 422]);
    expect(JSON.stringify(kit.refused)).not.toContain('sekret');
    expect(kit.errors).toEqual([]);
  });
});
