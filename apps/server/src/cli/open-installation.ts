import { statSync } from 'node:fs';
import type { EpochMs } from '@ringfence/contract';
import { type Deliveries, PostgresOutbox } from '@ringfence/delivery';
import type { PostgresLog } from '@ringfence/log';
import type { FurtherDatabase } from '../config/databases.ts';
import { topicOfDatabase } from '../config/log-topic.ts';
import { homeDatabase } from '../platform/database/cell.ts';
import { claimCell } from '../tenancy/cells/claim-database.ts';
import { type Configuration, masterKeySource } from '../config/configuration.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { openEventLog } from '../platform/database/event-log.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import type { DatabaseLog } from '../platform/database/database-log.ts';
import { hasEmbeddedPostgres } from '../platform/database/embedded-postgres.ts';
import { missingMigrations } from '../platform/database/migrate.ts';
import { migrations } from '../migrations.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { MasterKeys } from '../platform/secrets/master-keys.ts';
import { verifyMasterKeys } from '../platform/secrets/sealing-key.ts';
import { adoptClients } from '../tenancy/subjects/adoption.ts';
import { PostgresSubjectKeys } from '../tenancy/subjects/postgres-subject-keys.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { CliIo, CommonOptions, WorkspaceOptions } from './cli-io.ts';
import { findWorkspace, locateWorkspace, locateWorkspaces } from './find-workspace.ts';
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
    const { change } = io;
    return withRooms(io, { configuration, master, database, cell: undefined }, (installation) =>
      change === undefined
        ? work(installation)
        : auditedCommand(io, { installation, change }, (note) => work({ ...installation, note })),
    );
  });
}

/** Checks a database, and runs `work` with what commands use of it. */
async function withRooms<Result>(
  io: CliIo,
  of: Pick<OpenInstallation, 'configuration' | 'master' | 'database' | 'cell'>,
  work: (installation: OpenInstallation) => Promise<Result>,
): Promise<Result> {
  const { configuration, master, database, cell } = of;
  const { pool, connection } = database;
  await requireTables(database);
  await verifyMasterKeys(pool, master);
  if (cell !== undefined) await claimCell(pool, cell);
  const log = openEventLog({ connection, pool, clock: () => io.now() as EpochMs, adopt: adoptClients });
  const deliveries = new PostgresOutbox(pool);
  const onError = (error: unknown): void => io.complain(`${String(error)}\n`);
  const subjects = new PostgresSubjectKeys({ pool, log, onError });
  const { allowPrivateWebhooks } = configuration;
  try {
    return await work({ ...of, pool, log, subjects, deliveries, allowPrivateWebhooks, note: () => {} });
  } finally {
    await log.close();
  }
}

/**
 * Runs `work` in one database of the installation.
 *
 * @throws OperatorError if there is no such database, or it cannot be reached
 */
export async function inDatabase<Result>(
  io: CliIo,
  home: OpenInstallation,
  of: { readonly name: string; readonly work: (installation: OpenInstallation) => Promise<Result> },
): Promise<Result> {
  const { name, work } = of;
  if (name === homeDatabase) return work(home);
  const { configuration, master, note } = home;
  const cell = { name, home: home.pool };
  // The home database was waited for: one that is away meanwhile holds no command up.
  return withDatabase(io, { ...ofDatabase(configuration, name), atOnce: true }, (database) =>
    withRooms(io, { configuration, master, database, cell }, (installation) => work({ ...installation, note })),
  );
}

/** Runs `work` in every database of the installation, one after the other, the home database first. */
export async function inEveryDatabase(
  io: CliIo,
  home: OpenInstallation,
  work: (installation: OpenInstallation) => Promise<void>,
): Promise<void> {
  for (const name of databaseNames(home.configuration)) await inDatabase(io, home, { name, work });
}

/** Runs `work` with all databases at once. */
export function withEveryDatabase<Result>(
  io: CliIo,
  home: OpenInstallation,
  work: (installations: readonly OpenInstallation[]) => Promise<Result>,
): Promise<Result> {
  const openNext = (open: readonly OpenInstallation[], left: readonly string[]): Promise<Result> => {
    const [name, ...others] = left;
    if (name === undefined) return work(open);
    return inDatabase(io, home, { name, work: (installation) => openNext([...open, installation], others) });
  };
  return openNext([], databaseNames(home.configuration));
}

/** Runs `work` for the workspace that is named, or for all, each in its database. */
export async function inDatabasesOf(
  io: CliIo,
  home: OpenInstallation,
  of: {
    readonly meant: string | undefined;
    readonly work: (installation: OpenInstallation, workspace: Workspace) => Promise<void>;
  },
): Promise<void> {
  const { meant, work } = of;
  const located = meant === undefined ? await locateWorkspaces(home) : [await locateWorkspace(home, meant)];
  for (const [name, there] of Map.groupBy(located, ({ database }) => database)) {
    await inDatabase(io, home, {
      name,
      work: async (installation) => {
        for (const { id } of there) await work(installation, await findWorkspace(installation, id));
      },
    });
  }
}

/** All databases, the home database first. */
export function databaseNames({ databases }: Configuration): readonly string[] {
  return [homeDatabase, ...databases.map(({ name }) => name)];
}

/** The addresses of all databases, the home database first. */
export function databasesOf({
  databaseUrl,
  logTopic,
  home,
  databases,
}: Configuration): readonly (Pick<Configuration, 'databaseUrl' | 'logTopic' | 'home'> & { readonly name: string })[] {
  return [
    { name: homeDatabase, databaseUrl, logTopic, home },
    ...databases.map(({ name, url }) => ({
      name,
      databaseUrl: url,
      logTopic: topicOfDatabase(logTopic, name),
      home,
    })),
  ];
}

/** The configuration of commands about one database, which takes the place of the home database. */
export function ofDatabase(configuration: Configuration, name: string): Configuration {
  if (name === homeDatabase) return configuration;
  const { url: databaseUrl } = furtherDatabase(configuration, name);
  return { ...configuration, databaseUrl, logTopic: topicOfDatabase(configuration.logTopic, name) };
}

/** @throws OperatorError if the configuration has no such database */
export function furtherDatabase(configuration: Configuration, name: string): FurtherDatabase {
  const found = configuration.databases.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new OperatorError(
    `The configuration has no database "${name}".`,
    `Declare it under databases, or name one of ${databaseNames(configuration).join(', ')}.`,
  );
}

/**
 * The same as `withInstallation` for one workspace, in the database in which it lies.
 *
 * @throws OperatorError if the option names none, or if it is needed to choose one
 */
export function withWorkspace<Result>(
  io: CliIo,
  options: WorkspaceOptions,
  work: (installation: OpenInstallation, workspace: Workspace) => Promise<Result>,
): Promise<Result> {
  return withInstallation(io, options, async (home) => {
    const { id, database: name } = await locateWorkspace(home, options.workspace);
    return inDatabase(io, home, {
      name,
      work: async (installation) => work(installation, await findWorkspace(installation, id)),
    });
  });
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
  of: Pick<Configuration, 'databaseUrl' | 'home' | 'logTopic'> & { readonly atOnce?: boolean },
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, home, logTopic, atOnce = false } = of;
  const database = await openDatabase({ databaseUrl, home, logTopic, log: warningsOnly(io), attach: true, atOnce });
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
