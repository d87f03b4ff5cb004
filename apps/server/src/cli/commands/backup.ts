import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { restoreBackup } from '../../platform/database/backup/restore-backup.ts';
import { writeBackup } from '../../platform/database/backup/write-backup.ts';
import { migrations } from '../../migrations.ts';
import { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { verifyMasterKeys } from '../../platform/secrets/sealing-key.ts';
import { about, onInstallation } from '../about.ts';
import type { CommonOptions } from '../cli-io.ts';
import { configurationOf, requireDatabase, withDatabase } from '../open-installation.ts';
import { counted, printResult } from '../print.ts';
import { release } from '../../platform/release.ts';
import type { Shell } from '../shell.ts';

export function addBackupCommand({ program, io }: Shell): void {
  const command = onInstallation(program.command('backup'))
    .argument('<file>', 'where to write it; must not exist as a folder')
    .action(async (file: string, options: CommonOptions) => {
      const configuration = configurationOf(io, options);
      await requireDatabase(configuration);
      await withDatabase(io, configuration, async ({ connection }) => {
        const path = resolve(io.folder, file);
        const { tables, rows } = await writeBackup({ connection, file: path, release, now: new Date(io.now()) });
        const sizeBytes = (await stat(path)).size;
        const human = `${path}: ${counted(rows, 'row')} of ${counted(tables, 'table')}, ${Math.ceil(sizeBytes / 1_024)} KiB.\nThe master key is not in it. Keep both, apart from each other: neither opens without the other.\n`;
        printResult(io, options, { json: { file: path, tables, rows, sizeBytes }, human });
      });
    });
  about(command, {
    summary: 'Write everything in the database, as of one moment, to one file.',
    details: 'The service goes on meanwhile. What is sealed stays sealed; the master key is not in the file.',
    examples: [['ringfence backup /backups/ringfence-$(date +%F).bin', 'every night']],
  });
}

export function addRestoreCommand({ program, io }: Shell): void {
  const command = onInstallation(program.command('restore'))
    .argument('<file>', 'a file that `ringfence backup` wrote')
    .action(async (file: string, options: CommonOptions) => {
      const configuration = configurationOf(io, options);
      const { home, masterKey: fromEnvironment } = configuration;
      // Before anything is made: what is restored without it cannot be served.
      const master = MasterKeys.load({ home, fromEnvironment }, false);
      await withDatabase(io, configuration, async ({ connection }) => {
        const done = await restoreBackup({
          connection,
          file: resolve(io.folder, file),
          migrations,
          nowSeconds: Math.floor(io.now() / 1_000),
          check: (client) => verifyMasterKeys(client, master),
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
      'Into a new home, or the empty database of DATABASE_URL; all or nothing. The log gets a new epoch, so that ids are not used twice. Put the master key in place first. Clients that were erased after the backup are in it again: erase them again.',
    examples: [
      ['ringfence restore backup.bin --home /srv/ringfence-new', 'then: ringfence serve --home /srv/ringfence-new'],
    ],
    failure: 'refused or failed, as when the master key is not its own: the database is as it was',
  });
}
