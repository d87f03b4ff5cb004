import { assert } from '@ringfence/contract';
import type { CustomTypesConfig, QueryArrayConfig, QueryArrayResult } from 'pg';

/** OIDs of the result types of the log's statements (pg_type.dat). */
const bytea = 17;
const int8 = 20;
const text = 25;
const int4Array = 1007;
const int8Array = 1016;

/** The part of a `pg` client or pool that runs one statement. */
export interface Queryable {
  query(config: QueryArrayConfig): Promise<QueryArrayResult>;
}

export interface Statement {
  /** Prepared under this name, once per connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/**
 * Runs one of the log's statements. Offsets and instants are returned as numbers.
 *
 * @typeParam Row a tuple as wide as the statement's columns, which have the types of `types`
 */
export async function rowsOf<Row extends readonly unknown[]>(
  database: Queryable,
  { name, text, values = [] }: Statement,
): Promise<readonly Row[]> {
  const config: QueryArrayConfig = { text, values: [...values], rowMode: 'array', types };
  const { rows } = await database.query(name === undefined ? config : { ...config, name });
  return rows as unknown as readonly Row[];
}

const types: CustomTypesConfig = {
  getTypeParser: ((oid: number) => {
    switch (oid) {
      case int8:
        return safeNumber;
      case text:
        return (raw: string) => raw;
      case bytea:
        return (raw: string) => Buffer.from(raw.slice(2), 'hex'); // after \x; the driver reads no binary results
      case int4Array:
      case int8Array:
        return (raw: string) => (raw === '{}' ? [] : raw.slice(1, -1).split(',').map(safeNumber));
      default:
        throw new Error(`the log's statements do not return the type ${String(oid)}`);
    }
  }) as CustomTypesConfig['getTypeParser'],
};

function safeNumber(raw: string): number {
  const value = Number(raw);
  assert(Number.isSafeInteger(value), 'an offset or instant is a safe integer');
  return value;
}

/** Of an error of the database. */
export function sqlStateOf(error: unknown): string | undefined {
  return (error as { readonly code?: string } | undefined)?.code;
}
