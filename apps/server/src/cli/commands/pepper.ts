import type { Command } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { exportPepper, replacePepper } from '../../tenancy/workspaces/workspace-store.ts';
import { about, onWorkspace } from '../about.ts';
import { UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

export function addPepperCommands(shell: Shell): void {
  const group = shell.program
    .command('pepper')
    .description('The secret with which clients are hashed for webhooks: export, import.')
    .summary('The secret with which clients are hashed.');
  addExport(group, shell);
  addImport(group, shell);
}

function addExport(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('export')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const pepper = (await exportPepper(installation, workspace.id)).toString('base64');
      printResult(io, options, { json: { pepper }, human: `${pepper}\n` });
    }),
  );
  about(command, {
    summary: 'Print the pepper in base64.',
    details:
      '`client` of a webhook is the hex HMAC-SHA-256 of the user, keyed with the pepper; the bank computes the same to find its user. Anyone who has the pepper can find the user of a hash: keep it secret.',
    examples: [['ringfence pepper export -w acme/production', 'for the bank’s backend']],
  });
}

function addImport(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('import'))
    .option('--yes', 'confirm: `client` of all future webhooks changes')
    .action(async (options: WorkspaceOptions & { readonly yes?: boolean }) => {
      if (options.yes !== true) {
        throw new UsageError('A new pepper changes `client` of all future webhooks. Repeat with --yes.');
      }
      const pepper = parsePepper((await io.readInput()).trim());
      await withWorkspace(io, options, async (installation, workspace) => {
        await replacePepper(installation, workspace.id, pepper);
        const human = `The pepper of ${labelOf(workspace)} was replaced. The old one is kept, encrypted.\n`;
        printResult(io, options, { json: { imported: true }, human });
      });
    });
  about(command, {
    summary: 'Import a pepper from standard input: base64 or hex, 32 to 128 bytes.',
    examples: [['ringfence pepper import -w acme --yes < pepper.txt', 'a pepper that the bank already uses']],
  });
}

/** @throws UsageError */
function parsePepper(text: string): Buffer {
  if (/^(?:[0-9a-fA-F]{2})+$/.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  throw new UsageError('Expected the pepper on standard input, in base64 or hex.');
}
