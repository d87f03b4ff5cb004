import { statSync } from 'node:fs';
import type { EpochMs } from '@ringfence/contract';
import { PostgresOutbox } from '@ringfence/delivery';
import { PostgresLog } from '@ringfence/log';
import type { Configuration } from '../config/configuration.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import type { DatabaseLog } from '../platform/database/database-log.ts';
import { hasEmbeddedPostgres } from '../platform/database/embedded-postgres.ts';
import { missingMigrations } from '../platform/database/migrate.ts';
import { migrations } from '../migrations.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { MasterKeys } from '../platform/secrets/master-keys.ts';
import { verifyMasterKeys } from '../platform/secrets/sealing-key.ts';
import { PostgresSubjectKeys } from '../tenancy/subjects/postgres-subject-keys.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import type { CliIo, CommonOptions } from './cli-io.ts';
import { noteChange } from './note-change.ts';

/** An installation as a command works on it: the database itself, whether the service runs or not. */
export interface OpenInstallation extends WorkspaceDeps {
  readonly configuration: Configuration;
  readonly database: Database;
  readonly log: PostgresLog;
  readonly subjects: PostgresSubjectKeys;
  readonly outbox: PostgresOutbox;
  /** Says more of a change, for its entry in the audit log: numbers and names, never a personal value. */
  readonly note: (detail: Readonly<Record<string, unknown>>) => void;
}

/** The configuration that options and environment name, without what a file says of workspaces. @throws ConfigurationError */
export function configurationOf(io: CliIo, options: CommonOptions): Configuration {
  return loadConfiguration({ ...options, withoutWorkspaces: true }, io.environment, io.folder);
}

/** The whole of it: for the service itself. @throws ConfigurationError */
export function wholeConfigurationOf(io: CliIo, options: CommonOptions): Configuration {
  return loadConfiguration(options, io.environment, io.folder);
}

/**
 * Runs `work` on the database of the installation that the options name: the one that the running service uses, or,
 * when the embedded one does not run, one that is started for this command and stopped after it.
 *
 * @throws OperatorError when there is no installation, its tables are of another release, or its master key is missing
 */
export async function withInstallation<Result>(
  io: CliIo,
  options: CommonOptions,
  work: (installation: OpenInstallation) => Promise<Result>,
): Promise<Result> {
  const configuration = configurationOf(io, options);
  await requireDatabase(configuration);
  const { home, masterKey: fromEnvironment } = configuration;
  const master = MasterKeys.load({ home, fromEnvironment }, false);
  return withDatabase(io, configuration, async (database) => {
    await requireTables(database);
    await verifyMasterKeys(database.pool, master);
    const { pool, connection } = database;
    const log = new PostgresLog({ connection, pool, clock: () => io.now() as EpochMs });
    const outbox = new PostgresOutbox(pool);
    const onError = (error: unknown): void => io.complain(`${String(error)}\n`);
    const subjects = new PostgresSubjectKeys({ pool, log, onError });
    const { allowPrivateWebhooks } = configuration;
    const note = (): void => {};
    const installation = { configuration, database, pool, log, master, subjects, outbox, allowPrivateWebhooks, note };
    const { change } = io;
    try {
      if (change === undefined) return await work(installation);
      return await noteChange(io, { installation, change }, (noteMore) => work({ ...installation, note: noteMore }));
    } finally {
      await log.close();
    }
  });
}

/** @throws OperatorError when an embedded database would have to be made, which nobody means by a command that reads */
export async function requireDatabase(configuration: Configuration): Promise<void> {
  requireHome(configuration);
  const { databaseUrl, home } = configuration;
  if (databaseUrl !== undefined || (await hasEmbeddedPostgres(home))) return;
  throw new OperatorError(
    `There is no database under ${home} yet.`,
    'Name another home with --config or --home, or start the service, which makes it: ringfence serve',
  );
}

/** @throws OperatorError when the home is not there, or is somebody else's */
export function requireHome({ databaseUrl, home }: Configuration): void {
  if (databaseUrl !== undefined) return;
  try {
    // By way of the folder itself: it is found only by who may enter.
    statSync(`${home}/.`);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EACCES') {
      throw new OperatorError(`${home} cannot be entered by this user.`, 'Run the command as its owner.', { cause });
    }
    throw new OperatorError(
      `There is no installation under ${home}.`,
      'Name it with --config or --home, or start it once with: ringfence serve',
      { cause },
    );
  }
}

/** Runs `work` on the database alone. An embedded one that is missing is made, unless `requireDatabase` was asked first. */
export async function withDatabase<Result>(
  io: CliIo,
  { databaseUrl, home }: Configuration,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase({ databaseUrl, home, log: warningsOnly(io), attach: true });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function warningsOnly(io: CliIo): DatabaseLog {
  const say = (_: object, message: string): void => io.complain(`warning: ${message}\n`);
  return { info: () => {}, warn: say, error: say };
}

async function requireTables(database: Database): Promise<void> {
  const client = await database.pool.connect();
  try {
    const missing = await missingMigrations(client, migrations);
    if (missing.length === 0) return;
    throw new OperatorError(
      missing.length === migrations.length
        ? `The database (${database.where}) is empty.`
        : `The database (${database.where}) is of an older release: ${missing.map(({ name }) => name).join(', ')} missing.`,
      'Start the service, which brings it to its shape, or run: ringfence migrate',
    );
  } finally {
    client.release();
  }
}
