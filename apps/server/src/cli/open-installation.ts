import { statSync } from 'node:fs';
import type { EpochMs } from '@ringfence/contract';
import { type Deliveries, PostgresOutbox } from '@ringfence/delivery';
import { PostgresLog } from '@ringfence/log';
import { type Configuration, masterKeySource } from '../config/configuration.ts';
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
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { CliIo, CommonOptions, WorkspaceOptions } from './cli-io.ts';
import { findWorkspace } from './find-workspace.ts';
import { auditedCommand } from './audited-command.ts';

/** An installation as commands use it: they work on the database directly, whether the service runs or not. */
export interface OpenInstallation extends WorkspaceDeps {
  readonly configuration: Configuration;
  readonly database: Database;
  readonly log: PostgresLog;
  readonly subjects: PostgresSubjectKeys;
  readonly deliveries: Deliveries;
  /** Adds detail to the change's audit entry: numbers and names, never a personal value. */
  readonly note: (detail: Readonly<Record<string, unknown>>) => void;
}

/** The configuration, without the file's workspaces. @throws ConfigurationError */
export function configurationOf(io: CliIo, options: CommonOptions): Configuration {
  return loadConfiguration({ ...options, withoutWorkspaces: true }, io.environment, io.folder);
}

/** The whole configuration, for the service itself. @throws ConfigurationError */
export function wholeConfigurationOf(io: CliIo, options: CommonOptions): Configuration {
  return loadConfiguration(options, io.environment, io.folder);
}

/**
 * Runs `work` on the database of the installation that the options name. An embedded database that is not running is
 * started for this command and stopped after it.
 *
 * @throws OperatorError if there is no installation, migrations are missing, or the master key is missing or wrong
 */
export async function withInstallation<Result>(
  io: CliIo,
  options: CommonOptions,
  work: (installation: OpenInstallation) => Promise<Result>,
): Promise<Result> {
  const configuration = configurationOf(io, options);
  await requireDatabase(configuration);
  const master = MasterKeys.load(masterKeySource(configuration), false);
  return withDatabase(io, configuration, async (database) => {
    await requireTables(database);
    await verifyMasterKeys(database.pool, master);
    const { pool, connection } = database;
    const log = new PostgresLog({ connection, pool, clock: () => io.now() as EpochMs });
    const deliveries = new PostgresOutbox(pool);
    const onError = (error: unknown): void => io.complain(`${String(error)}\n`);
    const subjects = new PostgresSubjectKeys({ pool, log, onError });
    const { allowPrivateWebhooks } = configuration;
    const note = (): void => {};
    const installation = {
      configuration,
      database,
      pool,
      log,
      master,
      subjects,
      deliveries,
      allowPrivateWebhooks,
      note,
    };
    const { change } = io;
    try {
      if (change === undefined) return await work(installation);
      return await auditedCommand(io, { installation, change }, (noteMore) =>
        work({ ...installation, note: noteMore }),
      );
    } finally {
      await log.close();
    }
  });
}

/** The same for one workspace. @throws OperatorError if the option names none, or if it is needed to choose one */
export function withWorkspace<Result>(
  io: CliIo,
  options: WorkspaceOptions,
  work: (installation: OpenInstallation, workspace: Workspace) => Promise<Result>,
): Promise<Result> {
  return withInstallation(io, options, async (installation) =>
    work(installation, await findWorkspace(installation, options.workspace)),
  );
}

/** @throws OperatorError if the embedded database does not exist: a command other than `serve` must not create it */
export async function requireDatabase(configuration: Configuration): Promise<void> {
  requireHome(configuration);
  const { databaseUrl, home } = configuration;
  if (databaseUrl !== undefined || (await hasEmbeddedPostgres(home))) return;
  throw new OperatorError(
    `There is no database under ${home} yet.`,
    'Name another home with --config or --home, or start the service, which creates the database: ringfence serve',
  );
}

/** @throws OperatorError if the home does not exist, or belongs to another user */
export function requireHome({ databaseUrl, home }: Configuration): void {
  if (databaseUrl !== undefined) return;
  try {
    // `/.` needs permission to enter the folder, so another user's home fails with EACCES.
    statSync(`${home}/.`);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EACCES') {
      throw new OperatorError(`This user may not enter ${home}.`, 'Run the command as the owner of the folder.', {
        cause,
      });
    }
    throw new OperatorError(
      `There is no installation under ${home}.`,
      'Name another folder with --config or --home, or create an installation with: ringfence serve',
      { cause },
    );
  }
}

/** Runs `work` on the database. Creates a missing embedded database; call `requireDatabase` first to prevent that. */
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

/** @throws OperatorError if the database is not of this release */
export async function requireTables(database: Database): Promise<void> {
  const client = await database.pool.connect();
  try {
    const missing = await missingMigrations(client, migrations);
    if (missing.length === 0) return;
    throw new OperatorError(
      missing.length === migrations.length
        ? `The database (${database.where}) is empty.`
        : `The database (${database.where}) is of an older release. Missing migrations: ${missing.map(({ name }) => name).join(', ')}.`,
      'Start the service, which migrates it, or run: ringfence migrate',
    );
  } finally {
    client.release();
  }
}
