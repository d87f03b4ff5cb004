import type { ClientBase } from 'pg';
import type { EventRange, TableStart } from './manifest.ts';

interface Found {
  readonly table: string;
  readonly columns: string[];
  readonly parents: string[];
  readonly range: string[] | null;
  readonly event_range: string[] | null;
}

/** The migrations of a restore write it themselves. */
const leftOut = ['schema_migration'];

/**
 * Every table of the database with its columns, each table after those that it references. Generated columns are
 * omitted.
 */
export async function listTables(client: ClientBase): Promise<readonly TableStart[]> {
  const tables = await client.query<Found>(
    `SELECT c.relname AS table,
            (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
              WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
            (SELECT coalesce(array_agg(DISTINCT k.confrelid::regclass::text), '{}') FROM pg_constraint k
              WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid) AS parents,
            regexp_match(c.relname, '^log_(\\d+)_(\\d+)$') AS range,
            regexp_match(c.relname, '^event_(\\d+)_(\\d+)_(\\d+)$') AS event_range
       FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ($1)
      ORDER BY c.relname`,
    [leftOut],
  );
  const hasEvents = tables.rows.some((found) => found.event_range !== null);
  const workspaces = hasEvents ? await listWorkspaces(client) : new Map<number, string>();
  return inOrder(tables.rows).map(({ table, columns, range, event_range: ofEvents }) => ({
    table,
    columns,
    ...(ofEvents === null ? {} : { eventRange: eventRange(ofEvents, workspaces) }),
    ...(range === null ? {} : { range: { number: Number(range[0]), range: Number(range[1]) } }),
  }));
}

/** The workspaces by the number of their partition. */
async function listWorkspaces(client: ClientBase): Promise<ReadonlyMap<number, string>> {
  const { rows } = await client.query<{ number: number; workspace: string }>(
    `SELECT number, partition AS workspace FROM log_partition`,
  );
  return new Map(rows.map(({ number, workspace }) => [number, workspace]));
}

function eventRange(found: readonly string[], workspaces: ReadonlyMap<number, string>): EventRange {
  const [number, low, high] = found.map(Number) as [number, number, number];
  return { workspace: workspaces.get(number)!, number, low, high };
}

export async function listSequences(
  client: ClientBase,
): Promise<readonly { readonly sequence: string; readonly value: number }[]> {
  const { rows } = await client.query<{ sequence: string; value: number }>(
    `SELECT sequencename AS sequence, last_value::float8 AS value FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
  );
  return rows;
}

/** A name as an SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function copyTarget({ table, columns }: TableStart): string {
  return `${quoted(table)} (${columns.map(quoted).join(', ')})`;
}

function inOrder<Table extends { readonly table: string; readonly parents: readonly string[] }>(
  tables: readonly Table[],
): readonly Table[] {
  const byName = new Map(tables.map((table) => [table.table, table]));
  const ordered = new Set<Table>();
  const visit = (table: Table): void => {
    for (const parent of table.parents) {
      const found = byName.get(parent);
      if (found !== undefined && !ordered.has(found)) visit(found);
    }
    ordered.add(table);
  };
  for (const table of tables) visit(table);
  return [...ordered];
}
