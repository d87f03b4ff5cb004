import type { Command } from 'commander';
import { type Rotation, rotateMasterKey } from '../../tenancy/workspaces/rotate-master-key.ts';
import { about, onInstallation } from '../about.ts';
import type { CommonOptions } from '../cli-io.ts';
import { withInstallation } from '../open-installation.ts';
import { counted, printResult } from '../print.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';

export function addMasterKeyCommands(shell: Shell): void {
  const group = shell.program
    .command('master-key')
    .description('The key that seals every other secret at rest: rotate.')
    .summary('Rotate the key that seals all secrets.');
  addRotate(group, shell);
}

function addRotate(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('rotate')).action(async (options: CommonOptions) => {
    await withInstallation(io, options, async ({ pool, master }) => {
      const progress = new Progress(io, 'workspaces');
      const onProgress = (done: number, of: number): void => progress.show(done, of);
      const rotation = await rotateMasterKey({ pool, master, onProgress }).finally(() => progress.clear());
      printResult(io, options, { json: rotation, human: rotationText(rotation, master.where) });
    });
  });
  about(command, {
    summary: 'Seal everything under another master key, while the service runs.',
    details:
      'With the key in home/secrets/master.key, a new one is made. With RINGFENCE_MASTER_KEY, put the new one beside the present one, with a space between, and start every process again before this; take the old one out and start them again after it. Interrupted, it goes on when it is run again. The old key still opens older backups.',
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
      ? `Everything was sealed under master key ${to} already.\n`
      : `${counted(secrets, 'secret')} and ${counted(licenseKeys, 'license key')} of ${counted(workspaces, 'workspace')}${factors} are sealed anew. Everything is under master key ${to}.\n`;
  if (retired.length === 0) return done;
  const old = retired.join(' and ');
  const next =
    retiredFiles.length > 0
      ? `${where} holds it alone. The old one, ${old}, is in ${retiredFiles.join(' and ')}.\nMove that to where you keep the keys of older backups`
      : `Take the old one, ${old}, out of ${where} and start every process again.\nKeep it where you keep the keys of older backups`;
  return `${done}${next}: it opens those that were made until now.\n`;
}
