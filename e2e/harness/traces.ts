import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';

/** A place where a secret or personal data were found in plain text or in a reversible encoding. */
export interface Trace {
  readonly value: string;
  readonly where: string;
}

/** Letters of base64: 36 bits. */
const spellingLengthMin = 6;

/** The searched value: text, or bytes that are not text. */
export type Canary = string | Buffer;

/** Its possible forms in a dump: as it is, or as bytes printed in hexadecimal or base64. */
function spellings(value: Canary): readonly string[] {
  const bytes = Buffer.from(value as string);
  // Base64 of the bytes after 0, 1 or 2 others; the first and last letters depend on the neighbours.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  // A short rest would occur anywhere by chance.
  const telling = base64.filter((spelling) => spelling.length >= spellingLengthMin);
  return [...(typeof value === 'string' ? [value] : []), bytes.toString('hex'), ...telling];
}

function nameOf(value: Canary): string {
  return typeof value === 'string' ? value : value.toString('hex');
}

export function tracesIn(text: string, values: readonly Canary[], where: string): readonly Trace[] {
  const lower = text.toLowerCase();
  return values.flatMap((value) =>
    spellings(value).some((spelling) => text.includes(spelling) || lower.includes(spelling.toLowerCase()))
      ? [{ value: nameOf(value), where }]
      : [],
  );
}

/** Searches every row of every table, printed as text. */
export async function tracesInTables(database: Client, values: readonly Canary[]): Promise<readonly Trace[]> {
  const tables = await database.query<{ readonly name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const traces: Trace[] = [];
  for (const { name } of tables.rows) {
    const rows = await database.query<{ readonly text: string }>(`SELECT t::text AS text FROM ONLY ${name} AS t`);
    traces.push(...tracesIn(rows.rows.map(({ text }) => text).join('\n'), values, `table ${name}`));
  }
  return traces;
}

/** Searches the bytes of every file below a folder: a database's files, its write-ahead log, its own logs. */
export async function tracesInFiles(folder: string, values: readonly Canary[]): Promise<readonly Trace[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const traces: Trace[] = [];
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const path = join(entry.parentPath, entry.name);
    // A running database sometimes replaces files.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    traces.push(...tracesInBytes(bytes, values, path));
  }
  return traces;
}

export function tracesInBytes(bytes: Buffer, values: readonly Canary[], where: string): readonly Trace[] {
  return values.flatMap((value) => (bytes.includes(value) ? [{ value: nameOf(value), where }] : []));
}
