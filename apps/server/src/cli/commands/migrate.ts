import { migrate, missingMigrations, printMigrations } from '../../platform/database/migrate.ts';
import { migrations } from '../../migrations.ts';
import { about, onInstallation } from '../about.ts';
import { type CommonOptions, exitCodes } from '../cli-io.ts';
import { configurationOf, requireDatabase, withDatabase } from '../open-installation.ts';
import { counted, printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

interface MigrateOptions extends CommonOptions {
  readonly check?: boolean;
  readonly print?: boolean;
}

export function addMigrateCommand({ program, io, fail }: Shell): void {
  const command = onInstallation(program.command('migrate'))
    .option('--check', 'change nothing; end with 1 when something is missing')
    .option('--print', 'change nothing; print the statements, for those who run them themselves')
    .action(async (options: MigrateOptions) => {
      const configuration = configurationOf(io, options);
      const changes = options.check !== true && options.print !== true;
      if (!changes) await requireDatabase(configuration);
      await withDatabase(io, configuration, async (database) => {
        if (changes) {
          const applied = await migrate(database.connection, migrations);
          const human = applied.length === 0 ? 'Nothing was missing.\n' : applied.map((name) => `${name}\n`).join('');
          printResult(io, options, { json: { applied }, human });
          return;
        }
        const client = await database.pool.connect();
        const missing = await missingMigrations(client, migrations).finally(() => client.release());
        if (options.print === true) {
          io.write(printMigrations(missing, migrations));
          return;
        }
        const names = missing.map(({ name }) => name);
        const lines = names.map((name) => `  ${name}\n`).join('');
        const human =
          names.length === 0 ? 'Nothing is missing.\n' : `${counted(names.length, 'migration')} missing:\n${lines}`;
        printResult(io, options, { json: { missing: names }, human });
        if (names.length > 0) fail(exitCodes.failed);
      });
    });
  about(command, {
    summary: 'Bring the database to the shape of this release.',
    details:
      'The service does so itself at its start. Forward only; every step is a transaction, one process at a time.',
    examples: [
      ['ringfence migrate --check', 'is anything missing?'],
      ['ringfence migrate', 'before an upgrade, apart from the service'],
      ['ringfence migrate --print > migrate.sql', 'for a database administrator'],
    ],
    failure: 'with --check: something is missing; else: it failed, and nothing of the failed step was kept',
  });
}
