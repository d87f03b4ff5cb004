import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { forgetStoreText } from '@ringfence/log';
import type { Client, ClientBase, ClientConfig } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { OperatorError } from '../../observability/operator-error.ts';
import { release } from '../../release.ts';
import { connectForLongWork } from '../database.ts';
import { applyMigration, hashOf, makeBook, type Migration } from '../migrate.ts';
import { copyTarget, listTables, quoted } from './catalog.ts';
import { BackupDamagedError, FrameReader } from './frames.ts';
import { type BackupEnd, contentOf, type Manifest, type TableEnd, type TableStart } from './manifest.ts';

export interface RestoreOptions {
  readonly connection: ClientConfig;
  readonly file: string;
  /** Those of this release. */
  readonly migrations: readonly Migration[];
  /** Seconds since the Unix epoch, for the log's new epochs. */
  readonly nowSeconds: number;
  /** Checks the restored data before the commit; if it throws, the database stays empty. */
  readonly check?: (client: ClientBase) => Promise<void>;
}

export interface Restored {
  readonly manifest: Manifest;
  readonly tables: number;
  readonly rows: number;
}

/**
 * Fills an empty database from a backup, migrates it to the schema of this release, and gives every partition of the
 * log a new epoch, because offsets of records appended after the backup are now used again. All in one transaction: on
 * any failure the database stays empty.
 *
 * @throws OperatorError when the database is not empty, or the backup is from a newer release
 * @throws BackupDamagedError when a part is missing or its checksum differs
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const file = await open(options.file);
  const source = createGunzip();
  source.on('error', () => {}); // a truncated file: the reader of the source gets the error, if there is one
  const reading = pipeline(file.createReadStream(), source).catch(() => {}); // the reader of the source gets the error
  const client = await connectForLongWork(options.connection);
  try {
    const frames = new FrameReader(source);
    await frames.readMagic();
    const manifest = contentOf(await frames.read(), 'M');
    const known = migrationsOf(manifest, options.migrations);
    await client.query('BEGIN');
    await refuseUnlessEmpty(client);
    await makeBook(client);
    for (const [index, migration] of known.entries()) await applyMigration(client, migration, index + 1);
    await emptyTables(client);
    const end = await restoreTables(client, frames);
    await setSequences(client, end);
    for (const [index, migration] of options.migrations.entries()) {
      if (index >= known.length) await applyMigration(client, migration, index + 1);
    }
    await client.query(
      `UPDATE log_partition
          SET epoch = greatest(epoch + 1, $1), generation = greatest(generation + 1, $1 * 1000), life = log_life()`,
      [options.nowSeconds],
    );
    // The backup has the bytes of all records: what a topic of Kafka has belongs to another log from now on.
    await client.query(forgetStoreText);
    await options.check?.(client);
    await client.query('COMMIT');
    await client.query('ANALYZE');
    return { manifest, tables: end.tables, rows: end.rows };
  } finally {
    source.destroy();
    await reading;
    await client.end().catch(() => {}); // without a COMMIT, everything is rolled back
  }
}

/** The migrations that the backup's database had applied. */
function migrationsOf(manifest: Manifest, ours: readonly Migration[]): readonly Migration[] {
  const known = ours.slice(0, manifest.migrations.length);
  const same = manifest.migrations.every(({ name, hash }, index) => {
    const migration = known[index];
    return migration?.name === name && hashOf(migration).toString('hex') === hash;
  });
  if (same) return known;
  throw new OperatorError(
    `The backup was made by release ${manifest.release}. This release, ${release}, does not know that database schema.`,
    'Restore it with that release or a newer one.',
  );
}

async function refuseUnlessEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ tables: number }>(
    `SELECT count(*) AS tables FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`,
  );
  if (Number(rows[0]?.tables) === 0) return;
  throw new OperatorError(
    'The database is not empty: a restore would mix two installations.',
    'Restore into a new home, or name an empty database in DATABASE_URL.',
  );
}

/** Migrations insert rows into some tables; the backup contains those rows too. */
async function emptyTables(client: Client): Promise<void> {
  const tables = (await listTables(client)).map(({ table }) => quoted(table));
  if (tables.length > 0) await client.query(`TRUNCATE ${tables.join(', ')}`);
}

async function restoreTables(client: Client, frames: FrameReader): Promise<BackupEnd> {
  const done = { tables: 0, rows: 0 };
  for (;;) {
    const frame = await frames.read();
    if (frame.kind === 'Z') {
      const end = contentOf(frame, 'Z');
      if (end.tables !== done.tables || end.rows !== done.rows)
        throw new BackupDamagedError('Tables or rows are missing.');
      return end;
    }
    const table = contentOf(frame, 'T');
    if (table.range !== undefined) {
      await client.query('SELECT log_make_range($1, $2)', [table.range.number, table.range.range]);
    }
    if (table.eventRange !== undefined) {
      const { workspace, number, low, high } = table.eventRange;
      await client.query('SELECT event_make_range($1, $2, $3, $4)', [workspace, number, low, high]);
    }
    done.tables += 1;
    done.rows += await restoreTable(client, table, frames);
  }
}

async function restoreTable(client: Client, table: TableStart, frames: FrameReader): Promise<number> {
  const hash = createHash('sha256');
  let end: TableEnd | undefined;
  async function* data(): AsyncGenerator<Buffer> {
    for (;;) {
      const frame = await frames.read();
      if (frame.kind !== 'D') {
        end = contentOf(frame, 'E');
        return;
      }
      hash.update(frame.content);
      yield frame.content;
    }
  }
  // Triggers record changes, and what they recorded is in the backup. Foreign keys are still checked.
  await client.query(`ALTER TABLE ${quoted(table.table)} DISABLE TRIGGER USER`);
  const stream = client.query(copyFrom(`COPY ${copyTarget(table)} FROM STDIN`));
  await pipeline(Readable.from(data(), { objectMode: false }), stream);
  await client.query(`ALTER TABLE ${quoted(table.table)} ENABLE TRIGGER USER`);
  if (end === undefined || end.rows !== stream.rowCount || end.sha256 !== hash.digest('hex')) {
    throw new BackupDamagedError(`The table ${table.table} differs from what was backed up.`);
  }
  return end.rows;
}

async function setSequences(client: Client, { sequences }: BackupEnd): Promise<void> {
  for (const { sequence, value } of sequences)
    await client.query('SELECT setval($1::regclass, $2)', [quoted(sequence), value]);
}
