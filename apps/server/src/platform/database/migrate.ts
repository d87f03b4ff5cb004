import { createHash } from 'node:crypto';
import type { ClientBase, ClientConfig } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';
import { release } from '../release.ts';
import { connectForLongWork } from './database.ts';

/** One step of the database's shape. Never changed once it was released: what follows is a new step. */
export interface Migration {
  /** Unique, and in the order of the list: `0001-log`. */
  readonly name: string;
  readonly sql: string;
  /**
   * Releases that don't know this step cannot run on what it leaves. Left out: they can, so that an upgrade can be
   * made one process after the other, and taken back.
   */
  readonly shutsOutOlder?: true;
}

/** A migration waits no longer for a lock: behind it, everybody else would wait as well. It is tried again. */
const lockTimeout = '1s';
const triesMax = 10;
/** SQLSTATE: a lock was not to be had in time; there is no such table; the role may not. */
const lockNotAvailable = '55P03';
const undefinedTable = '42P01';
const insufficientPrivilege = '42501';

const bookTable = `
CREATE TABLE IF NOT EXISTS schema_migration (
  number          integer     PRIMARY KEY,
  name            text        NOT NULL UNIQUE,
  hash            bytea       NOT NULL,
  shuts_out_older boolean     NOT NULL,
  applied_at      timestamptz NOT NULL DEFAULT now()
);`;

/** The book says by which release since this step. One that came before it could not read a client of today either. */
export const releasesSchema = 'ALTER TABLE schema_migration ADD COLUMN release text';

/** With `null` for the release where the book does not have it yet. */
const appliedColumns = `number, name, hash, shuts_out_older, to_jsonb(applied) ->> 'release' AS release`;

/** A row of the book, with the release where the book has it. */
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
  /** That applied it; `null` before `0045-releases`. */
  readonly release: string | null;
}

/** A step that this release does not know: a newer one applied it. */
export interface UnknownMigration {
  readonly name: string;
  readonly shutsOutOlder: boolean;
  readonly release: string | undefined;
}

/**
 * Brings the database to the shape of this release: every missing migration in a transaction of its own, in order, one
 * process at a time. Forward only.
 *
 * @param stop ends it at once: what is not committed is undone
 * @returns the names of those that were applied; empty when nothing was missing
 * @throws OperatorError when the database has another history, or one that shuts this release out; when the role may
 *   not make tables
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
    await makeBook(client);
    const missing = await missingMigrations(client, migrations);
    for (const migration of missing) await applyPatiently(client, migration, numberOf(migration, migrations));
    return missing.map(({ name }) => name);
  } catch (error) {
    throw mendable(error);
  } finally {
    stop?.removeEventListener('abort', cut);
    await client.end(); // gives the lock free
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
  for (const step of applied) {
    const { number, name, hash } = step;
    const known = migrations[number - 1];
    if (known === undefined) {
      if (step.shuts_out_older) throw newerDatabase(unknown(step));
      continue;
    }
    if (known.name !== name || !hashOf(known).equals(hash)) throw otherHistory(name, known.name);
  }
  return migrations.slice(applied.length);
}

/** What newer releases have applied, in order; nothing when this one knows all. */
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

/** A step as people are told of it: `0046-foo of release 0.2.0`. */
export function stepAndRelease({ name, release: by }: UnknownMigration): string {
  return by === undefined ? name : `${name} of release ${by}`;
}

/** What helps where a newer release has left what this one cannot read. */
export const startTheNewerRelease =
  'Start the newer release again, or restore a backup that was made before the upgrade into a new home or an empty database, and start this release there.';

/** Makes the table in which applied migrations are noted, when it is not there. */
export async function makeBook(client: ClientBase): Promise<void> {
  await client.query(bookTable);
}

/** Applies one migration in the transaction that the caller has open, and notes it in the book. */
export async function applyMigration(client: ClientBase, migration: Migration, number: number): Promise<void> {
  await client.query(migration.sql);
  await client.query(noteStep, [number, migration.name, hashOf(migration), migration.shutsOutOlder === true, release]);
}

/** The statements of `migrate`, for people who let nobody but themselves change a database's shape. */
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
      const again = codeOf(error) === lockNotAvailable && attempt < triesMax;
      if (!again) throw error;
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { readonly code?: string }).code;
}

/** A role without rights is the first thing that goes wrong with a database of one's own. */
function mendable(error: unknown): unknown {
  if (codeOf(error) !== insufficientPrivilege) return error;
  return new OperatorError(
    `The role that DATABASE_URL names may not do what this release needs: ${(error as Error).message}.`,
    'Make it the owner of the database: ALTER DATABASE name OWNER TO role. Tables are made at run time too, as the log grows.',
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

function otherHistory(found: string, known: string): OperatorError {
  return new OperatorError(
    `The database has the migration ${found}; this release has another text for it, or ${known} in its place.`,
    'Use the database with the release that made it. A migration is never changed after its release.',
  );
}
