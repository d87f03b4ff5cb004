import { type Configuration, masterKeySource } from '../../config/configuration.ts';
import { homeDatabase } from '../../platform/database/cell.ts';
import type { ClientBase } from 'pg';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { readClaim } from '../../tenancy/cells/claim-database.ts';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { restoreBackup } from '../../platform/database/backup/restore-backup.ts';
import { writeBackup } from '../../platform/database/backup/write-backup.ts';
import { migrations } from '../../migrations.ts';
import { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { verifyMasterKeys } from '../../platform/secrets/sealing-key.ts';
import { about, onInstallation } from '../about.ts';
import type { CommonOptions } from '../cli-io.ts';
import { configurationOf, databaseNames, ofDatabase, requireDatabase, withDatabase } from '../open-installation.ts';
import { counted, printResult } from '../print.ts';
import { release } from '../../platform/release.ts';
import type { Shell } from '../shell.ts';

export function addBackupCommand({ program, io }: Shell): void {
  const command = onInstallation(program.command('backup'))
    .argument('<file>', 'file to write; must not be an existing folder')
    .option('--database <name>', 'which database, of `databases` in the file', homeDatabase)
    .action(async (file: string, options: BackupOptions) => {
      const whole = configurationOf(io, options);
      const configuration = ofDatabase(whole, options.database);
      await requireDatabase(configuration);
      await withDatabase(io, configuration, async ({ connection }) => {
        const path = resolve(io.folder, file);
        const { tables, rows } = await writeBackup({ connection, file: path, release, now: new Date(io.now()) });
        const sizeBytes = (await stat(path)).size;
        const human = `${path}: ${counted(rows, 'row')} of ${counted(tables, 'table')}, ${Math.ceil(sizeBytes / 1_024)} KiB.\nThe master key is not in it. Keep both, in different places: a backup cannot be decrypted without its master key.\n${othersText(whole, options.database)}`;
        printResult(io, options, { json: { file: path, tables, rows, sizeBytes }, human });
      });
    });
  about(command, {
    summary: 'Write a consistent snapshot of the database to one file.',
    details: 'The service can keep running. Encrypted data stays encrypted; the master key is not in the file.',
    examples: [
      ['ringfence backup /backups/ringfence-$(date +%F).bin', 'every night'],
      ['ringfence backup /backups/north-$(date +%F).bin --database north', 'each further database'],
    ],
  });
}

interface BackupOptions extends CommonOptions {
  readonly database: string;
}

/** A backup of one database is not one of the installation. */
function othersText(configuration: Configuration, name: string): string {
  const others = databaseNames(configuration).filter((one) => one !== name);
  if (others.length === 0) return '';
  return `It is of the database ${name} alone. Back up the others as well, with --database: ${others.join(', ')}.\n`;
}

/** @throws OperatorError if the backup is of another database of an installation */
async function requireName(client: ClientBase, name: string): Promise<void> {
  const claim = await readClaim(client);
  if (claim === undefined || claim.name === name) return;
  throw new OperatorError(
    `The backup is of the database "${claim.name}", not of "${name}".`,
    `Restore it with --database ${claim.name}.`,
  );
}

export function addRestoreCommand({ program, io }: Shell): void {
  const command = onInstallation(program.command('restore'))
    .argument('<file>', 'a file that `ringfence backup` wrote')
    .option('--database <name>', 'which database, of `databases` in the file', homeDatabase)
    .action(async (file: string, options: BackupOptions) => {
      const configuration = ofDatabase(configurationOf(io, options), options.database);
      // Loaded before anything is written: without the master key, a restored database cannot be used.
      const master = MasterKeys.load(masterKeySource(configuration), false);
      await withDatabase(io, configuration, async ({ connection }) => {
        const done = await restoreBackup({
          connection,
          file: resolve(io.folder, file),
          migrations,
          nowSeconds: Math.floor(io.now() / 1_000),
          check: async (client) => {
            await requireName(client, options.database);
            await verifyMasterKeys(client, master);
          },
        });
        const human = `Restored ${counted(done.rows, 'row')} of ${counted(done.tables, 'table')}, as of ${done.manifest.madeAt}.\n`;
        printResult(io, options, {
          json: { tables: done.tables, rows: done.rows, madeAt: done.manifest.madeAt },
          human,
        });
      });
    });
  about(command, {
    summary: 'Fill an empty database from a backup.',
    details:
      'Restores into a new home, or into the empty database of DATABASE_URL, in one transaction. The log gets a new epoch, so that ids are not used twice. Put the master key in place first. Clients that were erased after the backup are present again: erase them again.',
    examples: [
      ['ringfence restore backup.bin --home /srv/ringfence-new', 'then: ringfence serve --home /srv/ringfence-new'],
    ],
    failure: 'refused or failed, for example because of a wrong master key; the database is unchanged',
  });
}
