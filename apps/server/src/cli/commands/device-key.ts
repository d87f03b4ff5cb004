import type { Command } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { type DeviceKeySet, deviceKeySet, rotateDeviceKey } from '../../tenancy/workspaces/device-keys.ts';
import { about, onInstallation, onWorkspace } from '../about.ts';
import type { CommonOptions } from '../cli-io.ts';
import { findWorkspace } from '../find-workspace.ts';
import { withInstallation } from '../open-installation.ts';
import { printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';

interface DeviceKeyOptions extends CommonOptions {
  readonly workspace?: string;
}

export function addDeviceKeyCommands(shell: Shell): void {
  const group = shell.program
    .command('device-key')
    .description('The keys that pages encrypt device tokens to: list, rotate.')
    .summary('Keys of device tokens.');
  addList(group, shell);
  addRotate(group, shell);
}

function addList(group: Command, { io }: Shell): void {
  const command = onInstallation(onWorkspace(group.command('list'))).action(async (options: DeviceKeyOptions) => {
    await withInstallation(io, options, async (installation) => {
      const workspace = await findWorkspace(installation, options.workspace);
      const set = deviceKeySet(workspace);
      printResult(io, options, { json: set, human: keyTable(set) + servedAt(workspace.id) });
    });
  });
  about(command, {
    summary: 'List the public keys that pages encrypt device tokens to.',
    details: 'With --json it is the JWK set that the browser SDK takes. There is no secret in it.',
    examples: [
      ['ringfence device-key list -w acme/production', 'which key do pages get?'],
      ['ringfence device-key list -w acme/production --json > ringfence-keys.json', 'for the bank’s pages'],
    ],
  });
}

function addRotate(group: Command, { io }: Shell): void {
  const command = onInstallation(onWorkspace(group.command('rotate')))
    .option('--alone', 'nothing but the new key opens tokens, because a private key leaked')
    .action(async (options: DeviceKeyOptions & { readonly alone?: boolean }) => {
      await withInstallation(io, options, async (installation) => {
        const workspace = await findWorkspace(installation, options.workspace);
        const before = deviceKeySet(workspace).keys;
        const set = await rotateDeviceKey(installation, workspace.id, options.alone === true);
        const told = [
          `Pages of ${labelOf(workspace)} are to take ${set.keys[0]!.kid} from now on.`,
          ...set.keys.slice(1).map(({ kid }) => `${kid} opens tokens as well, until the next rotation.`),
          ...before
            .filter(({ kid }) => set.keys.every((key) => key.kid !== kid))
            .map(({ kid }) => `${kid} opens none any more, within 5 seconds everywhere.`),
        ];
        printResult(io, options, { json: set, human: `${told.join('\n')}\n${servedAt(workspace.id)}` });
      });
    });
  about(command, {
    summary: 'Make a new device key; the one before it still opens tokens.',
    details:
      'Two keys open tokens, never more: give the pages the new one before you rotate again. What a page encrypts to a key that is gone is `undecodable`.',
    examples: [
      ['ringfence device-key rotate -w acme/production', 'the yearly change'],
      ['ringfence device-key rotate -w acme/production --alone', 'the master key leaked, and this key with it'],
    ],
  });
}

function keyTable({ keys }: DeviceKeySet): string {
  const rows = keys.map(({ kid }, place) => [kid, place === 0 ? 'pages take it' : 'opens tokens']);
  return rows.length === 0
    ? 'There is no device key yet. Make one: ringfence device-key rotate\n'
    : table(['KEY', 'STATE'], rows);
}

function servedAt(workspaceId: string): string {
  return `The set is served at /device/v1/keys/${workspaceId} of the public listener.\n`;
}
