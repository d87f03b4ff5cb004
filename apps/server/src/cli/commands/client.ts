import type { Command } from 'commander';
import { eraseClient } from '../../tenancy/subjects/erase-client.ts';
import { type NamedInPolicy, namedInPolicies } from '../../tenancy/subjects/named-in-policies.ts';
import { unblockClient } from '../../tenancy/subjects/unblock-client.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

const clientArgument = [
  '[client]',
  '`user` of logins, `account.client` of operations (default: read from standard input)',
] as const;

export function addClientCommands(shell: Shell): void {
  const group = shell.program
    .command('client')
    .description('Unblock or erase one client: unblock, erase.')
    .summary('Unblock or erase a client.');
  addUnblock(group, shell);
  addErase(group, shell);
}

/** Arguments are visible to other users and stay in the shell's history, so the client can come from standard input. */
async function clientOf(io: CliIo, argument: string | undefined): Promise<string> {
  const client = argument ?? (await io.readInput()).replace(/\r?\n$/, '');
  if (client === '') throw new UsageError('Name the client as an argument or on standard input.');
  return client;
}

function addUnblock(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('unblock'))
    .argument(...clientArgument)
    .action(async (argument: string | undefined, options: WorkspaceOptions) => {
      const client = await clientOf(io, argument);
      await withWorkspace(io, options, async (installation, workspace) => {
        await unblockClient(installation, workspace, client);
        printResult(io, options, {
          json: { unblocked: true },
          human: 'The block ends with the next record of the log.\n',
        });
      });
    });
  about(command, {
    summary: 'End the block of a client (action 1).',
    details: 'Ends the block in Ringfence only. The bank has to end the block in its own systems.',
    examples: [['ringfence client unblock alice -w acme/production', 'it was a mistake']],
  });
}

/** Lists the stored policy versions that name the client: versions are never changed. */
function namedText(places: readonly NamedInPolicy[]): string {
  if (places.length === 0) return '';
  const lines = places.map(({ version, file, line }) => `  version ${version}: ${file}, line ${line}\n`);
  return `Policy files still contain its name. Remove it and apply the policy again:\n${lines.join('')}`;
}

function addErase(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('erase'))
    .argument(...clientArgument)
    .option('--yes', 'confirm: this cannot be undone')
    .action(async (argument: string | undefined, options: WorkspaceOptions & { readonly yes?: boolean }) => {
      if (options.yes !== true) throw new UsageError('An erased client cannot be brought back. Repeat with --yes.');
      const client = await clientOf(io, argument);
      await withWorkspace(io, options, async (installation, workspace) => {
        const subject = await eraseClient(installation, workspace, client);
        const named = await namedInPolicies(installation.pool, workspace.id, client);
        const human = `Erased: the client’s key is destroyed, so its encrypted data cannot be read any more. (${subject})\n`;
        printResult(io, options, {
          json: { erased: subject, namedInPolicies: named },
          human: human + namedText(named),
        });
      });
    });
  about(command, {
    summary: 'Erase a client for good, by destroying the key that encrypts its data.',
    details:
      'Afterwards none of the client’s data can be read; decisions remain as anonymous statistics. Stored policy versions that contain its name are listed, because versions never change. Earlier backups still contain the key: after restoring one, erase the client again.',
    examples: [
      ['ringfence client erase alice -w acme/production --yes', 'the right to be forgotten'],
      ['ringfence client erase -w acme --yes < name.txt', 'without a trace in the shell’s history'],
    ],
  });
}
