import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { OperatorError } from '../../observability/operator-error.ts';
import { writeFailure } from '../../observability/write-failure.ts';
import { connectForLongWork } from '../database.ts';
import type { DatabaseConnection } from '../event-log.ts';
import { flush } from '../flush.ts';
import { copyTarget, listSequences, listTables, quoted } from './catalog.ts';
import { dataFrames, magic, writeJson } from './frames.ts';
import { PlacedRows } from './placed-rows.ts';
import type { BackupEnd, Manifest, TableEnd, TableStart } from './manifest.ts';

export interface BackupOptions {
  readonly connection: DatabaseConnection;
  /** Created with mode 0600, and only once it is complete. */
  readonly file: string;
  /** The release that writes the backup. */
  readonly release: string;
  readonly now: Date;
}

/** Sealed payloads do not compress. Level 1 compensates for their hexadecimal form, and is the fastest. */
const gzipLevel = 1;
/** SQLSTATE: there is no such table. */
const undefinedTable = '42P01';
/** Ranges are dropped minutes apart, so a few attempts are enough. */
const beginningsMax = 3;

/**
 * Writes a snapshot of the whole database to one file while the service keeps running. Encrypted data stay encrypted;
 * the master key is not included and must be kept separately. Memory use is bounded whatever the size.
 *
 * @throws OperatorError when the file cannot be written
 * @throws Error when the connection breaks; in both cases no file is left
 */
export async function writeBackup({ connection, file, release, now }: BackupOptions): Promise<BackupEnd> {
  const draft = `${file}.partial`;
  // Checked before the work: otherwise the rename at the end would fail.
  if ((await stat(file).catch(() => undefined))?.isDirectory() === true) throw cannotBeWritten(file, 'it is a folder');
  const client = await connectForLongWork(connection);
  const total = { tables: 0, rows: 0 };
  const placed = new PlacedRows(connection);
  try {
    const tables = await beginWithTables(client);
    const manifest = await readManifest(client, release, now);
    const sequences = await listSequences(client);

    async function* frames(): AsyncGenerator<Buffer> {
      yield magic;
      yield writeJson('M', manifest);
      for (const table of tables) {
        yield writeJson('T', table);
        const end: TableEnd = yield* tableData(client, table, placed);
        yield writeJson('E', end);
        total.tables += 1;
        total.rows += end.rows;
      }
      yield writeJson('Z', { ...total, sequences });
    }
    await pipeline(frames, createGzip({ level: gzipLevel }), createWriteStream(draft, { mode: 0o600, flush: true }));
    await rename(draft, file);
    await flush(dirname(file));
    return { ...total, sequences };
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {}); // it may never have been created
    throw told(file, error);
  } finally {
    await placed.close();
    await client.end().catch(() => {});
  }
}

function told(file: string, error: unknown): unknown {
  const reason = writeFailure(error);
  return reason === undefined ? error : cannotBeWritten(file, reason, error);
}

function cannotBeWritten(file: string, reason: string, cause?: unknown): OperatorError {
  const mend = 'Name a file in a folder that exists, that this user may write to, on a disk with enough space.';
  return new OperatorError(`The backup ${file} cannot be written: ${reason}.`, mend, { cause });
}

async function* tableData(client: Client, table: TableStart, placed: PlacedRows): AsyncGenerator<Buffer, TableEnd> {
  const stream = client.query(copyTo(`COPY ${copyTarget(table)} TO STDOUT`));
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Buffer> {
    const pieces = stream as AsyncIterable<Buffer>;
    const { range } = table;
    for await (const piece of range === undefined ? pieces : placed.whole(range.number, pieces)) {
      hash.update(piece);
      yield piece;
    }
  }
  yield* dataFrames(hashed());
  return { rows: stream.rowCount, sha256: hash.digest('hex') };
}

async function readManifest(client: Client, release: string, now: Date): Promise<Manifest> {
  const applied = await client.query<{ name: string; hash: string }>(
    `SELECT name, encode(hash, 'hex') AS hash FROM schema_migration ORDER BY number`,
  );
  const server = await client.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  return { madeAt: now.toISOString(), release, postgres: server.rows[0]!.version, migrations: applied.rows };
}

/**
 * Begins the transaction whose snapshot is backed up, and locks its tables against being dropped before they are read.
 * The lock blocks no reads or writes. A range of the log may be dropped just before the lock: then the transaction
 * restarts.
 */
async function beginWithTables(client: Client): Promise<readonly TableStart[]> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const tables = await listTables(client);
    const names = tables.map(({ table }) => quoted(table));
    if (names.length === 0)
      throw new OperatorError('The database is empty.', 'Start the service once, or name another database.');
    if (tables.some(({ table }) => table === 'event_before'))
      throw new OperatorError(
        'Events of an earlier release are still being moved into the tables of this release.',
        'Try again when "ringfence doctor" says that all events are in the tables of this release.',
      );
    try {
      await client.query(`LOCK TABLE ONLY ${names.join(', ONLY ')} IN ACCESS SHARE MODE`);
      return tables;
    } catch (error) {
      await client.query('ROLLBACK');
      if ((error as { readonly code?: string }).code !== undefinedTable || attempt === beginningsMax) throw error;
    }
  }
}
