import type { Command } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { createKey, promoteKey, revokeKey } from '../../tenancy/workspaces/key-rotation.ts';
import { listLicenseKeys } from '../../tenancy/workspaces/license-keys.ts';
import { about, onWorkspace } from '../about.ts';
import type { WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { instant, printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';

export function addKeyCommands(shell: Shell): void {
  const group = shell.program
    .command('key')
    .description('License keys: create, list, promote, revoke.')
    .summary('License keys.');
  addCreate(group, shell);
  addList(group, shell);
  addPromote(group, shell);
  addRevoke(group, shell);
}

function addCreate(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('create'))
    .option('--bring', 'read an existing key from standard input instead of generating one')
    .action((options: WorkspaceOptions & { readonly bring?: boolean }) =>
      withWorkspace(io, options, async (installation, workspace) => {
        const text = options.bring === true ? (await io.readInput()).replace(/\r?\n$/, '') : undefined;
        const key = await createKey(installation, workspace.id, text);
        const shownKey = key.origin === 'generated' ? `It is shown only once:\n\n${key.text}\n\n` : '';
        const keys = await listLicenseKeys(installation.pool, workspace.id);
        const isSent = keys.some(({ id, state }) => id === key.id && state === 'sent');
        const next = isSent
          ? 'Webhooks now carry it, because no other key was being sent.'
          : `To send it with webhooks: ringfence key promote ${key.id} -w ${labelOf(workspace)}`;
        const human = `Key ${key.id} of ${labelOf(workspace)} is live. ${shownKey}${next}\n`;
        const json = { id: key.id, origin: key.origin, ...(key.origin === 'generated' ? { key: key.text } : {}) };
        printResult(io, options, { json, human });
      }),
    );
  about(command, {
    summary: 'Create a second license key, for rotation.',
    details:
      'At most two keys are live at a time. Webhooks keep carrying the same key; a new key is sent only if no other is.',
    examples: [
      ['ringfence key create -w acme/production', 'generate a key'],
      ['ringfence key create -w acme --bring < key.txt', 'a key that the bank already uses'],
    ],
  });
}

function addList(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('list')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const keys = await listLicenseKeys(installation.pool, workspace.id);
      const rows = keys.map((key) => [
        key.id,
        key.state,
        key.hint,
        key.origin,
        instant(key.createdAtMs),
        instant(key.lastUsedAtMs),
        instant(key.revokedAtMs),
      ]);
      const head = ['KEY', 'STATE', 'ENDS WITH', 'ORIGIN', 'CREATED', 'LAST USED', 'REVOKED'];
      printResult(io, options, { json: keys, human: table(head, rows) });
    }),
  );
  about(command, {
    summary: 'List the license keys of a workspace, without their text.',
    details: 'States: sent (live, and sent with webhooks), live, revoked. "Last used" is at most 30 s behind.',
    examples: [['ringfence key list -w acme/production', 'which key is still in use?']],
  });
}

function addPromote(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('promote'))
    .argument('<key>', 'id of a live key: key_…')
    .action((key: string, options: WorkspaceOptions) =>
      withWorkspace(io, options, async (installation, workspace) => {
        await promoteKey(installation, workspace.id, key);
        const human = `The webhooks of ${labelOf(workspace)} carry key ${key} within 5 seconds.\n`;
        printResult(io, options, { json: { promoted: key }, human });
      }),
    );
  about(command, {
    summary: 'Send this key with webhooks from now on.',
    details: 'Use it once the bank’s webhook accepts the new key. The other key stays live until it is revoked.',
    examples: [['ringfence key promote key_abc234def567 -w acme', 'the second step of a rotation']],
  });
}

function addRevoke(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('revoke'))
    .argument('<key>', 'id of a key: key_…')
    .option('--force', 'even if webhooks carry this key: they then wait until another key is promoted or created')
    .action((id: string, options: WorkspaceOptions & { readonly force?: boolean }) =>
      withWorkspace(io, options, async (installation, workspace) => {
        await revokeKey(installation, workspace.id, { id, force: options.force === true });
        const human = `Key ${id} is revoked for good. All processes refuse it within 5 seconds.\n`;
        printResult(io, options, { json: { revoked: id }, human });
      }),
    );
  about(command, {
    summary: 'Revoke a key for good.',
    details: 'Also works for a key that the configuration file declares: the file does not bring it back.',
    examples: [
      ['ringfence key revoke key_abc234def567 -w acme', 'the last step of a rotation'],
      ['ringfence key revoke key_abc234def567 -w acme --force', 'it leaked, and is the only key'],
    ],
  });
}
