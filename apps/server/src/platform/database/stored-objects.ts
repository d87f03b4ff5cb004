import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

/**
 * The tables and indexes of this release, by name, with the columns of each table and the definition of each index.
 * Without those that are made at run time, whose names end with numbers. A test writes the file from a migrated database.
 */
export const storedObjectsFile = `${import.meta.dirname}/stored-objects.json`;

export type StoredObjects = Readonly<Record<string, string>>;

/**
 * What the database has now, in the form of the file: `table action`, `index action_queue`. A view counts as a table
 * without columns: one takes the place of `event` while its rows move.
 */
export async function readStoredObjects(pool: Pool): Promise<StoredObjects> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select 'table ' || c.relname as name, coalesce(case when c.relkind <> 'v' then (
              select string_agg(a.attname, ' ' order by a.attname) from pg_attribute a
               where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) end, '') as definition
       from pg_class c
      where c.relkind in ('r', 'p', 'v') and c.relnamespace = current_schema()::regnamespace and c.relname !~ '_[0-9]+$'
     union all
     select 'index ' || c.relname, replace(pg_get_indexdef(c.oid), format(' ON %I.', current_schema()), ' ON ')
       from pg_class c join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = i.indrelid
      where c.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p') and t.relname !~ '_[0-9]+$'
      order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

/** What this release needs and the database lacks; what a missing table had goes without saying. */
export async function missingObjects(pool: Pool): Promise<{
  readonly tables: readonly string[];
  readonly columns: readonly { readonly table: string; readonly column: string }[];
  /** The statements that create them again. */
  readonly indexes: readonly { readonly name: string; readonly statement: string }[];
}> {
  const wanted = JSON.parse(readFileSync(storedObjectsFile, 'utf8')) as StoredObjects;
  const found = await readStoredObjects(pool);
  const missing = Object.entries(wanted).filter(([name]) => found[name] === undefined);
  const named = (kind: string): typeof missing =>
    missing.flatMap(([name, of]) => (name.startsWith(`${kind} `) ? [[name.slice(kind.length + 1), of] as const] : []));
  const tables = named('table').map(([name]) => name);
  const isOfMissing = (statement: string): boolean => tables.some((table) => statement.includes(` ON ${table} `));
  const indexes = named('index').filter(([, statement]) => !isOfMissing(statement));
  return {
    tables,
    columns: missingColumns(wanted, found),
    indexes: indexes.map(([name, statement]) => ({ name, statement })),
  };
}

/**
 * Indexes that a statement has begun and not ended, such as a `CREATE INDEX CONCURRENTLY` that failed: they are written and
 * not used. One that is being made now is left out.
 */
export async function invalidIndexes(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where not i.indisvalid and c.relnamespace = current_schema()::regnamespace
        and not exists (select 1 from pg_stat_progress_create_index p where p.index_relid = i.indexrelid)
      order by 1`,
  );
  return rows.map(({ name }) => name);
}

function missingColumns(wanted: StoredObjects, found: StoredObjects): readonly { table: string; column: string }[] {
  return Object.entries(wanted).flatMap(([name, columns]) => {
    const present = found[name] ?? '';
    if (!name.startsWith('table ') || present === '') return [];
    const has = new Set(present.split(' '));
    const missing = columns.split(' ').filter((column) => column !== '' && !has.has(column));
    return missing.map((column) => ({ table: name.slice('table '.length), column }));
  });
}
