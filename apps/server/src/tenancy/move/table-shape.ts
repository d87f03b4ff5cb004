import type { ClientBase } from 'pg';
import { type MovedTable, movedTables } from './moved-tables.ts';

interface Column {
  readonly name: string;
  readonly type: string;
}

/** A table as a database has it, for one workspace. */
export interface TableShape {
  readonly table: MovedTable;
  readonly workspaceId: string;
  /** All but generated ones, in a stable order. */
  readonly columns: readonly string[];
  readonly key: readonly Column[];
  readonly order: readonly Column[];
}

/** The tables of `movedTables` with their columns and keys. */
export async function readShapes(client: ClientBase, workspaceId: string): Promise<readonly TableShape[]> {
  const { rows } = await client.query<{ table: string; columns: Column[]; key: string[] | null }>(
    `select c.relname as table,
            (select jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, null)) order by a.attname)
               from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
            (select array_agg(a.attname::text order by k.place)
               from pg_index i, unnest(i.indkey::int2[]) with ordinality as k (number, place), pg_attribute a
              where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.number) as key
       from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relname = any ($1)`,
    [movedTables.map(({ name }) => name)],
  );
  const found = new Map(rows.map((row) => [row.table, row]));
  return movedTables.map((table) => {
    const { columns, key: primary } = found.get(table.name)!;
    const named = (names: readonly string[]): readonly Column[] =>
      names.map((name) => columns.find((column) => column.name === name)!);
    const key = table.key ?? primary!;
    const order = table.order ?? key.filter((name) => name !== workspaceColumn(table));
    return {
      table,
      workspaceId,
      columns: columns.map(({ name }) => name),
      key: named(key),
      order: named(order.length === 0 && table.order === undefined ? key : order),
    };
  });
}

function workspaceColumn({ workspace = 'workspace_id' }: MovedTable): string {
  return workspace;
}

/** A text as an SQL literal, for statements that take no parameters. */
export function literal(text: string): string {
  const escaped = text.replaceAll(`'`, `''`);
  return text.includes('\\') ? ` E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`;
}

export function name(of: string): string {
  return `"${of.replaceAll('"', '""')}"`;
}

/** `from …` and `where …` that select the workspace's rows as `t`. */
export function rowsOf({ table, workspaceId }: TableShape, joined = ''): string {
  const { parent, where } = table;
  const id = literal(workspaceId);
  const moving = where === undefined ? '' : ` and ${where}`;
  if (parent === undefined) {
    return `from ${name(table.name)} t${joined} where t.${name(workspaceColumn(table))} = ${id}${moving}`;
  }
  const on = Object.entries(parent.on).map(([own, its]) => `p.${name(its)} = t.${name(own)}`);
  return `from ${name(table.name)} t join ${name(parent.table)} p on ${on.join(' and ')}${joined} where p.workspace_id = ${id}${moving}`;
}

export function columnList({ columns }: TableShape, prefix = ''): string {
  return columns.map((column) => `${prefix}${name(column)}`).join(', ');
}

/** Joins rows with keys: `source` has a column `key` of JSON arrays and is named `m`. */
export function keyCondition({ key }: TableShape): string {
  return key.map((column, i) => `t.${name(column.name)} = (m.key->>${i})::${column.type}`).join(' and ');
}

/** The key of row `of` as a JSON array. */
export function keyArray({ key }: TableShape, of: string): string {
  return `jsonb_build_array(${key.map((column) => `${of}.${name(column.name)}`).join(', ')})`;
}

/** The number of rows and a hash of all, in any order. */
export function digestOf(shape: TableShape): string {
  return digestOfRows(`row(${columnList(shape, 't.')})`);
}

export function digestOfRows(row: string): string {
  return `count(*)::text || ' ' || coalesce(sum(('x' || encode(substr(sha256(convert_to(${row}::text, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint), 0)::text as digest`;
}
