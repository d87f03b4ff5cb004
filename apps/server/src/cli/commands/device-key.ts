import type { Command } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { type DeviceKeySet, deviceKeySet, rotateDeviceKey } from '../../tenancy/workspaces/device-keys.ts';
import { about, onWorkspace } from '../about.ts';
import type { WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';

export function addDeviceKeyCommands(shell: Shell): void {
  const group = shell.program
    .command('device-key')
    .description('The keys that pages encrypt device tokens with: list, rotate.')
    .summary('Keys for device tokens.');
  addList(group, shell);
  addRotate(group, shell);
}

function addList(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('list')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const set = deviceKeySet(workspace);
      printResult(io, options, { json: set, human: keyTable(set) + servedAt(workspace.id) });
    }),
  );
  about(command, {
    summary: 'List the public keys that pages encrypt device tokens with.',
    details: 'With --json it prints the JWK set for the browser SDK. The set contains no secret.',
    examples: [
      ['ringfence device-key list -w acme/production', 'which key do pages use?'],
      ['ringfence device-key list -w acme/production --json > ringfence-keys.json', 'for the bank’s pages'],
    ],
  });
}

function addRotate(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('rotate'))
    .option('--alone', 'only the new key decrypts tokens; use after a private key leaked')
    .action((options: WorkspaceOptions & { readonly alone?: boolean }) =>
      withWorkspace(io, options, async (installation, workspace) => {
        const before = deviceKeySet(workspace).keys;
        const set = await rotateDeviceKey(installation, workspace.id, options.alone === true);
        const told = [
          `Pages of ${labelOf(workspace)} must now encrypt with ${set.keys[0]!.kid}.`,
          ...set.keys.slice(1).map(({ kid }) => `${kid} still decrypts tokens, until the next rotation.`),
          ...before
            .filter(({ kid }) => set.keys.every((key) => key.kid !== kid))
            .map(({ kid }) => `${kid} stops decrypting tokens within 5 seconds.`),
        ];
        printResult(io, options, { json: set, human: `${told.join('\n')}\n${servedAt(workspace.id)}` });
      }),
    );
  about(command, {
    summary: 'Generate a new device key; the previous one still decrypts tokens.',
    details:
      'At most two keys decrypt tokens: give the pages the new one before you rotate again. Tokens encrypted with a removed key are `undecodable`.',
    examples: [
      ['ringfence device-key rotate -w acme/production', 'yearly rotation'],
      ['ringfence device-key rotate -w acme/production --alone', 'the master key leaked, and with it this key'],
    ],
  });
}

function keyTable({ keys }: DeviceKeySet): string {
  const rows = keys.map(({ kid }, place) => [kid, place === 0 ? 'used by pages' : 'decrypts only']);
  return table(['KEY', 'STATE'], rows);
}

function servedAt(workspaceId: string): string {
  return `The key set is served at /device/v1/keys/${workspaceId} of the ingest listener.\n`;
}
