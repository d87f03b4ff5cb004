import { migrate, missingMigrations, printMigrations } from '../../platform/database/migrate.ts';
import { grantRuntime } from '../../platform/database/runtime-role.ts';
import { migrations } from '../../migrations.ts';
import { about, onInstallation } from '../about.ts';
import type { Database } from '../../platform/database/database.ts';
import { type CliIo, type CommonOptions, exitCodes } from '../cli-io.ts';
import { configurationOf, databasesOf, requireDatabase, withDatabase } from '../open-installation.ts';
import { counted, printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

interface MigrateOptions extends CommonOptions {
  readonly check?: boolean;
  readonly print?: boolean;
  readonly runtimeRole?: string;
}

export function addMigrateCommand({ program, io, fail }: Shell): void {
  const command = onInstallation(program.command('migrate'))
    .option('--check', 'change nothing; exit with 1 if a migration is missing')
    .option('--print', 'change nothing; print the SQL, to run it by hand')
    .option(
      '--runtime-role <role>',
      'let this role of the database run the service, without the rights to change tables',
    )
    .action(async (options: MigrateOptions) => {
      const configuration = configurationOf(io, options);
      const changes = options.check !== true && options.print !== true;
      if (!changes) await requireDatabase(configuration);
      for (const { name, ...at } of databasesOf(configuration)) {
        const heading = configuration.databases.length === 0 ? undefined : name;
        await withDatabase(io, at, async (database) => {
          const of = { database, heading };
          if (changes) await migrateOne(io, options, of);
          else if ((await showMissing(io, options, of)) > 0 && options.check === true) fail(exitCodes.failed);
        });
      }
    });
  about(command, {
    summary: 'Migrate the databases to this release.',
    details:
      'The service also does this at its start. Migrations go forward only; each one is a transaction, and one process runs them at a time.',
    examples: [
      ['ringfence migrate --check', 'is a migration missing?'],
      ['ringfence migrate', 'before an upgrade, without the service'],
      ['ringfence migrate --runtime-role ringfence_app', 'as the owner; serve then runs as ringfence_app'],
      ['ringfence migrate --print > migrate.sql', 'for a database administrator'],
    ],
    failure: 'with --check: a migration is missing; otherwise: a migration failed and was rolled back',
  });
}

interface One {
  readonly database: Database;
  /** Its name, if there are several. */
  readonly heading: string | undefined;
}

async function migrateOne(io: CliIo, options: MigrateOptions, { database, heading }: One): Promise<void> {
  const applied = await migrate(database.connection, migrations);
  const { runtimeRole: role } = options;
  if (role !== undefined) {
    const client = await database.pool.connect();
    await grantRuntime(client, role).finally(() => client.release());
  }
  const steps = applied.length === 0 ? 'Nothing was missing.\n' : applied.map((name) => `${name}\n`).join('');
  const human = role === undefined ? steps : `${steps}${role} may run the service.\n`;
  const json = { ...named(heading), applied, ...(role === undefined ? {} : { runtimeRole: role }) };
  printResult(io, options, { json, human: headed(heading, human) });
}

/** @returns how many migrations are missing */
async function showMissing(io: CliIo, options: MigrateOptions, { database, heading }: One): Promise<number> {
  const client = await database.pool.connect();
  const missing = await missingMigrations(client, migrations).finally(() => client.release());
  if (options.print === true) {
    io.write(`${heading === undefined ? '' : `-- ${heading}\n`}${printMigrations(missing, migrations)}`);
    return missing.length;
  }
  const names = missing.map(({ name }) => name);
  const lines = names.map((name) => `  ${name}\n`).join('');
  const human =
    names.length === 0 ? 'Nothing is missing.\n' : `${counted(names.length, 'migration')} missing:\n${lines}`;
  printResult(io, options, { json: { ...named(heading), missing: names }, human: headed(heading, human) });
  return names.length;
}

function named(heading: string | undefined): { readonly database?: string } {
  return heading === undefined ? {} : { database: heading };
}

function headed(heading: string | undefined, text: string): string {
  return heading === undefined ? text : `${heading}:\n${text}`;
}
