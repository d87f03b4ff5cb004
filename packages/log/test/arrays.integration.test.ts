import fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { boolArray, bytesArray, float8Array, int4Array, int8Array, textArray } from '../src/postgres/arrays.ts';

const database = await freshDatabase();
const pool = new Pool({ ...database.config, max: 1 });
afterAll(() => pool.end());

/** The array as PostgreSQL reads and prints it. */
async function read(type: string, array: Buffer): Promise<readonly (string | null)[]> {
  const { rows } = await pool.query<{ readonly element: string | null }>({
    name: `read ${type}`,
    text: `select a.element::text as element from unnest($1::${type}[]) with ordinality as a(element, place) order by place`,
    values: [array],
  });
  return rows.map(({ element }) => element);
}

const several = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<readonly (T | null)[]> =>
  fc.array(fc.option(element, { freq: 4 }), { maxLength: 9 });
/** An element type: how it is written, random values, and how PostgreSQL prints them. */
interface Case<T> {
  readonly write: (elements: readonly (T | null)[]) => Buffer;
  readonly element: fc.Arbitrary<T>;
  readonly print: (value: T) => string;
}
/** PostgreSQL text cannot contain NUL and lone surrogates; callers never pass them. */
const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));

describe('binary arrays are read as intended', () => {
  const cases = {
    text: { write: textArray, element: text, print: (value: string) => value },
    bytea: {
      write: bytesArray,
      element: fc.uint8Array(),
      print: (value: Uint8Array) => `\\x${Buffer.from(value).toString('hex')}`,
    },
    bigint: { write: int8Array, element: fc.maxSafeInteger(), print: String },
    integer: { write: int4Array, element: fc.integer(), print: String },
    boolean: { write: boolArray, element: fc.boolean(), print: String },
  };
  it.each(Object.entries(cases) as unknown as readonly [string, Case<unknown>][])('%s[]', async (type, of) => {
    const { write, element, print } = of;
    await fc.assert(
      fc.asyncProperty(several(element), async (elements) => {
        const expected = elements.map((value) => (value === null ? null : print(value)));
        expect(await read(type, write(elements))).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('float8[]', async () => {
    await fc.assert(
      fc.asyncProperty(several(fc.double()), async (elements) => {
        const answer = await read('float8', float8Array(elements));
        expect(answer.map((value) => (value === null ? null : Number(value)))).toEqual(elements);
      }),
      { numRuns: 200 },
    );
  });
});
