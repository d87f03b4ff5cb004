import type { Command } from 'commander';
import { type Rotation, rotateMasterKey } from '../../tenancy/workspaces/rotate-master-key.ts';
import { about, onInstallation } from '../about.ts';
import type { CommonOptions } from '../cli-io.ts';
import { withEveryDatabase, withInstallation } from '../open-installation.ts';
import { counted, printResult } from '../print.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';

export function addMasterKeyCommands(shell: Shell): void {
  const group = shell.program
    .command('master-key')
    .description('The key that encrypts all other secrets at rest: rotate.')
    .summary('Rotate the key that encrypts all secrets.');
  addRotate(group, shell);
}

function addRotate(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('rotate')).action((options: CommonOptions) =>
    withInstallation(io, options, (home) =>
      withEveryDatabase(io, home, async ([, ...others]) => {
        const { pool, master } = home;
        const progress = new Progress(io, 'workspaces');
        const onProgress = (done: number, of: number): void => progress.show(done, of);
        const further = others.map((one) => one.pool);
        const rotation = await rotateMasterKey({ pool, further, master, onProgress }).finally(() => progress.clear());
        printResult(io, options, { json: rotation, human: rotationText(rotation, master.where) });
      }),
    ),
  );
  about(command, {
    summary: 'Encrypt all secrets with a new master key, while the service runs.',
    details:
      'If the key is in home/secrets/master.key, a new one is generated. If it is in RINGFENCE_MASTER_KEY or printed by the command of masterKey.exec, first add the new key after the present one, separated by a space, and restart every process; afterwards remove the old key and restart them again. If interrupted, run the command again to continue. The old key still decrypts older backups.',
    examples: [['ringfence master-key rotate', 'then: ringfence doctor']],
  });
}

function rotationText(
  { to, workspaces, secrets, licenseKeys, secondFactors, retired, retiredFiles }: Rotation,
  where: string,
): string {
  const factors = secondFactors === 0 ? '' : ` and ${counted(secondFactors, 'second factor')}`;
  const done =
    workspaces + secondFactors === 0
      ? `All secrets are already encrypted with master key ${to}.\n`
      : `Encrypted again: ${counted(secrets, 'secret')} and ${counted(licenseKeys, 'license key')} of ${counted(workspaces, 'workspace')}${factors}. All secrets are now encrypted with master key ${to}.\n`;
  if (retired.length === 0) return done;
  const old = retired.join(' and ');
  const next =
    retiredFiles.length > 0
      ? `${where} contains only the new key. The old one, ${old}, is in ${retiredFiles.join(' and ')}.\nMove it to where you keep the keys of older backups`
      : `Remove the old one, ${old}, from ${where} and restart every process.\nKeep it where you keep the keys of older backups`;
  return `${done}${next}: backups made until now need it.\n`;
}
