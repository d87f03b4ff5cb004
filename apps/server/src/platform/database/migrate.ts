import { createHash } from 'node:crypto';
import type { ClientBase, ClientConfig } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';
import { isProcessRunning } from '../secrets/key-holders.ts';
import { release } from '../release.ts';
import { connectForLongWork } from './database.ts';

/** One step of the database schema. Never changed once released: later changes are new steps. */
export interface Migration {
  /** Unique, in list order: `0001-log`. */
  readonly name: string;
  readonly sql: string;
  /**
   * Older releases, which do not know this step, cannot run on its result. Omitted: they can, so processes can be
   * upgraded one after the other, and the upgrade can be rolled back.
   */
  readonly shutsOutOlder?: true;
  /** Refused while another process runs: an older one would misread what newer ones write from now on. */
  readonly needsNoOther?: true;
}

/** A migration waits this long for a lock, since all other sessions queue behind it. Then it is retried. */
const lockTimeout = '1s';
const triesMax = 10;
/** SQLSTATE: a lock was not available in time; there is no such table; insufficient privilege. */
const lockNotAvailable = '55P03';
const undefinedTable = '42P01';
const insufficientPrivilege = '42501';
/** SQLSTATE: a table or index, a column, a function, another object, a schema exists already. */
const alreadyMade: ReadonlySet<string> = new Set(['42P07', '42701', '42723', '42710', '42P06']);

const bookTable = `
CREATE TABLE IF NOT EXISTS schema_migration (
  number          integer     PRIMARY KEY,
  name            text        NOT NULL UNIQUE,
  hash            bytea       NOT NULL,
  shuts_out_older boolean     NOT NULL,
  applied_at      timestamptz NOT NULL DEFAULT now()
);`;

/**
 * From this step on, the release that applies a step is recorded. Older releases could not read today's clients either.
 */
export const releasesSchema = 'ALTER TABLE schema_migration ADD COLUMN release text';

/** `release` is `null` if the table does not have that column yet. */
const appliedColumns = `number, name, hash, shuts_out_older, to_jsonb(applied) ->> 'release' AS release`;

/** Inserts a row into the migration table, with the release if the table has that column. */
function rowOfBook(number: string, name: string, rest: Readonly<Record<'hash' | 'older' | 'release', string>>): string {
  return `INSERT INTO schema_migration SELECT * FROM jsonb_populate_record(NULL::schema_migration, jsonb_build_object(
  'number', ${number}, 'name', ${name}, 'hash', ${rest.hash},
  'shuts_out_older', ${rest.older}, 'applied_at', now(), 'release', ${rest.release}))`;
}

const noteStep = rowOfBook('$1::integer', '$2::text', { hash: '$3::bytea', older: '$4::boolean', release: '$5::text' });

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly hash: Buffer;
  readonly shuts_out_older: boolean;
  /** The release that applied it; `null` before `0045-releases`. */
  readonly release: string | null;
}

/** A step that this release does not know: a newer one applied it. */
export interface UnknownMigration {
  readonly name: string;
  readonly shutsOutOlder: boolean;
  readonly release: string | undefined;
}

/**
 * Migrates the database to the schema of this release: applies every missing migration in order, each in its own
 * transaction, one process at a time. Forward only.
 *
 * @param stop aborts immediately: what is not committed is rolled back
 * @returns the names of the applied migrations; empty when nothing was missing
 * @throws OperatorError when the database has another history, or excludes this release; when the role may not create
 *   tables
 */
export async function migrate(
  connection: ClientConfig,
  migrations: readonly Migration[],
  stop?: AbortSignal,
): Promise<readonly string[]> {
  const client = await connectForLongWork(connection);
  const cut = (): void => void client.end().catch(() => {});
  stop?.addEventListener('abort', cut, { once: true });
  try {
    stop?.throwIfAborted();
    await client.query(`SELECT pg_advisory_lock(hashtextextended('ringfence.migrate', 0))`);
    const missing = await missingMigrations(client, migrations);
    if (missing.length === 0) return [];
    await makeBook(client);
    if (missing.some(({ needsNoOther }) => needsNoOther) && (await isProcessRunning(client))) throw othersRun();
    for (const migration of missing) await applyPatiently(client, migration, numberOf(migration, migrations));
    return missing.map(({ name }) => name);
  } catch (error) {
    throw mendable(error);
  } finally {
    stop?.removeEventListener('abort', cut);
    await client.end(); // releases the lock
  }
}

/**
 * The migrations that this release has and the database does not, in order.
 *
 * @throws OperatorError as `migrate`
 */
export async function missingMigrations(
  database: ClientBase,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const applied = await appliedMigrations(database);
  await refuseLostRows(database, applied, migrations);
  for (const step of applied) {
    const { number, name, hash } = step;
    const known = migrations[number - 1];
    if (known === undefined) {
      if (step.shuts_out_older) throw newerDatabase(unknown(step));
      continue;
    }
    if (known.name !== name || !hashOf(known).equals(hash)) throw otherHistory(name, known.name);
  }
  return migrations.slice(newestKnown(applied, migrations));
}

/** The number of the newest applied migration that this release knows; 0 without any. */
function newestKnown(applied: readonly Applied[], migrations: readonly Migration[]): number {
  return Math.max(0, ...applied.map(({ number }) => number).filter((number) => number <= migrations.length));
}

/** A migration whose row was lost would be applied again, on what it has already made. */
async function refuseLostRows(
  database: ClientBase,
  applied: readonly Applied[],
  migrations: readonly Migration[],
): Promise<void> {
  const numbers = new Set(applied.map(({ number }) => number));
  const lost = migrations.slice(0, newestKnown(applied, migrations)).filter((_, i) => !numbers.has(i + 1));
  const isEmptied = applied.length === 0 && (await hasOurTables(database));
  if (lost.length === 0 && !isEmptied) return;
  const what = isEmptied ? 'all rows' : lost.map(({ name }) => name).join(', ');
  throw lostRows(what);
}

function lostRows(what: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `The database has the tables of Ringfence, but their list of migrations, schema_migration, lacks ${what}.`,
    'Restore that table from a backup of this database, or start with the last whole backup. Nothing was changed.',
    { cause },
  );
}

/** By two of the oldest names, which no other program has. */
async function hasOurTables(database: ClientBase): Promise<boolean> {
  const { rows } = await database.query<{ found: boolean }>(
    `SELECT to_regclass('log_partition') IS NOT NULL AND to_regclass('log_record') IS NOT NULL AS found`,
  );
  return rows[0]!.found;
}

/** Migrations applied by newer releases, in order; empty if this release knows all of them. */
export async function unknownMigrations(
  database: Pick<ClientBase, 'query'>,
  migrations: readonly Migration[],
): Promise<readonly UnknownMigration[]> {
  const { rows } = await database.query<Applied>({
    name: 'unknown_migrations',
    text: `SELECT ${appliedColumns} FROM schema_migration applied WHERE number > $1 ORDER BY number`,
    values: [migrations.length],
  });
  return rows.map(unknown);
}

/** A step for display: `0046-foo of release 0.2.0`. */
export function stepAndRelease({ name, release: by }: UnknownMigration): string {
  return by === undefined ? name : `${name} of release ${by}`;
}

/** The advice for a database that a newer release has made unreadable for this one. */
export const startTheNewerRelease =
  'Start the newer release again, or restore a backup that was made before the upgrade into a new home or an empty database, and start this release there.';

/** Creates the table of applied migrations if it does not exist. */
export async function makeBook(client: ClientBase): Promise<void> {
  await client.query(bookTable);
}

/** Applies one migration in the caller's open transaction, and records it in the migration table. */
export async function applyMigration(client: ClientBase, migration: Migration, number: number): Promise<void> {
  await client.query(migration.sql);
  await client.query(noteStep, [number, migration.name, hashOf(migration), migration.shutsOutOlder === true, release]);
}

/** The statements of `migrate`, for operators who apply schema changes themselves. */
export function printMigrations(missing: readonly Migration[], all: readonly Migration[]): string {
  const steps = missing.map((migration) => {
    const number = numberOf(migration, all);
    const note = rowOfBook(String(number), `'${migration.name}'`, {
      hash: `'\\x${hashOf(migration).toString('hex')}'::bytea`,
      older: String(migration.shutsOutOlder === true),
      release: `'${release}'`,
    });
    return `-- ${migration.name}\nBEGIN;\n${migration.sql.trim().replace(/;?$/u, ';')}\n${note};\nCOMMIT;\n`;
  });
  return [`${bookTable.trim()}\n`, ...steps].join('\n');
}

export function hashOf(migration: Migration): Buffer {
  return createHash('sha256').update(migration.sql).digest();
}

function numberOf(migration: Migration, all: readonly Migration[]): number {
  return all.indexOf(migration) + 1;
}

async function appliedMigrations(database: ClientBase): Promise<readonly Applied[]> {
  try {
    const { rows } = await database.query<Applied>(
      `SELECT ${appliedColumns} FROM schema_migration applied ORDER BY number`,
    );
    return rows;
  } catch (error) {
    if (codeOf(error) === undefinedTable) return [];
    throw mendable(error);
  }
}

async function applyPatiently(client: ClientBase, migration: Migration, number: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('BEGIN');
      await client.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
      await applyMigration(client, migration, number);
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      if (alreadyMade.has(codeOf(error) ?? '')) throw lostRows(migration.name, error);
      const again = codeOf(error) === lockNotAvailable && attempt < triesMax;
      if (!again) throw error;
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { readonly code?: string }).code;
}

/** With an external database, missing privileges of the role are the most common failure. */
function mendable(error: unknown): unknown {
  if (codeOf(error) !== insufficientPrivilege) return error;
  return new OperatorError(
    `The role that DATABASE_URL names lacks a privilege that this release needs: ${(error as Error).message}.`,
    'Run `ringfence migrate` with the owner of the database in DATABASE_URL. With one role for everything, make it the owner: ALTER DATABASE name OWNER TO role.',
    { cause: error },
  );
}

function unknown({ name, shuts_out_older: shutsOutOlder, release: by }: Applied): UnknownMigration {
  return { name, shutsOutOlder, release: by ?? undefined };
}

function newerDatabase(step: UnknownMigration): OperatorError {
  return new OperatorError(
    `A newer release has changed the database (${stepAndRelease(step)}), and this release, ${release}, cannot run on it.`,
    startTheNewerRelease,
  );
}

function othersRun(): OperatorError {
  return new OperatorError(
    'Other processes of the service run on this database, and they are of an older release, which could not read what this one writes.',
    'Stop all of them, then start this release. This upgrade cannot be made one process after the other.',
  );
}

function otherHistory(found: string, known: string): OperatorError {
  return new OperatorError(
    `The database has the migration ${found}; this release has a different text for it, or has ${known} instead.`,
    'Use the database with the release that created it. A migration is never changed after its release.',
  );
}
