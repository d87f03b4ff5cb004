import { boolArray, bytesArray, float8Array, int4Array, int8Array, textArray } from '@ringfence/log';

/** A column of rows that are sent to the database: its type, and its value in a row. */
export type Column<Row> =
  | readonly ['bigint' | 'integer' | 'float8', (row: Row) => number | null | undefined]
  | readonly ['text', (row: Row) => string | null | undefined]
  | readonly ['bytea', (row: Row) => Uint8Array | null | undefined]
  | readonly ['boolean', (row: Row) => boolean | null | undefined];

/** Columns by their names. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/**
 * The parameters of a statement, each added where the text needs it: no placeholder's number has to agree with a place
 * in a list elsewhere. A prepared statement must add the same ones in the same order each time.
 */
export class QueryParameters {
  readonly values: unknown[] = [];

  /** @returns the placeholder of the value */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** Rows as an item of a `from` list with that alias. Each column is sent as one array. */
  table<Row>(alias: string, columns: Columns<Row>, rows: readonly Row[]): string {
    const arrays = Object.values(columns).map((column) => `${this.add(arrayOf(column, rows))}::${column[0]}[]`);
    const names = Object.keys(columns).map((name) => `"${name}"`);
    return `unnest(${arrays.join(', ')}) as ${alias}(${names.join(', ')})`;
  }
}

function arrayOf<Row>(column: Column<Row>, rows: readonly Row[]): Buffer {
  switch (column[0]) {
    case 'bigint':
      return int8Array(rows.map(column[1]));
    case 'integer':
      return int4Array(rows.map(column[1]));
    case 'float8':
      return float8Array(rows.map(column[1]));
    case 'text':
      return textArray(rows.map(column[1]));
    case 'bytea':
      return bytesArray(rows.map(column[1]));
    case 'boolean':
      return boolArray(rows.map(column[1]));
  }
}
