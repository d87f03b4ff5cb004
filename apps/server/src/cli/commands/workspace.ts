import { type Command, Option } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { publicWorkspace } from '../../tenancy/workspaces/public-settings.ts';
import { createWorkspace, listWorkspaces, updateWorkspace } from '../../tenancy/workspaces/workspace-store.ts';
import type { Environment, Workspace } from '../../tenancy/workspaces/workspace.ts';
import { about, onInstallation } from '../about.ts';
import { parseAssignments } from '../assignments.ts';
import { type CommonOptions, UsageError } from '../cli-io.ts';
import { withInstallation, withWorkspace } from '../open-installation.ts';
import { printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';

const settingsHelp = `Settings are name=value: timezone, cards (mask, refuse), sessionGraceSeconds, blockHours, deliver (observe, live),
keepEvents, keepActions, keepDeviceTokens (days like 400d, or forever), rateLimit.perSecond, rateLimit.burst, lagMax, webhook.url, webhook.publicKeyPem, webhook.caPem, webhook.clientCertificatePem,
webhook.clientKeyPem, webhook.oaepMgf1Hash (sha256, sha1), webhook.dateStyle (zone, local), webhook.clientHash (hmac,
sha256), webhook.proxy, webhook.retryNotExecuted, webhook.sendReference, webhook.expiryMinutes.ACTION; channel.NUMBER (its name),
channel.NUMBER.idleMinutes, .absoluteHours, .sessions (required, optional). @FILE reads a value from a file;
an empty value restores the default.`;

export function addWorkspaceCommands(shell: Shell): void {
  const group = shell.program
    .command('workspace')
    .description('Workspaces: list, show, create, set. A workspace is a tenant in one environment.')
    .summary('Workspaces and their settings.');
  addList(group, shell);
  addShow(group, shell);
  addCreate(group, shell);
  addSet(group, shell);
}

function addList(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('list')).action((options: CommonOptions) =>
    withInstallation(io, options, async (installation) => {
      const all = await listWorkspaces(installation);
      const rows = all.map((one) => [
        one.name,
        one.environment,
        one.id,
        one.owners.settings === 'config' ? 'file' : 'api',
        one.settings.deliver,
        String(one.policyVersion ?? '-'),
        one.settings.webhook?.url ?? '-',
      ]);
      const head = ['NAME', 'ENVIRONMENT', 'ID', 'OWNER', 'DELIVER', 'POLICY', 'WEBHOOK'];
      printResult(io, options, { json: all.map(publicWorkspace), human: table(head, rows) });
    }),
  );
  about(command, {
    summary: 'List the workspaces.',
    examples: [['ringfence workspace list', '']],
  });
}

function addShow(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('show'))
    .argument('[workspace]', 'NAME, NAME/ENVIRONMENT or id')
    .action((meant: string | undefined, options: CommonOptions) =>
      withWorkspace(io, { ...options, workspace: meant }, async (_, workspace) => {
        const json = publicWorkspace(workspace);
        printResult(io, options, { json, human: `${JSON.stringify(json, undefined, 2)}\n` });
      }),
    );
  about(command, {
    summary: 'Show one workspace with its settings and channels, without its secrets.',
    examples: [['ringfence workspace show acme/production', '']],
  });
}

function addCreate(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('create'))
    .argument('<name>', 'the tenant')
    .argument('[settings...]', 'name=value, as for `workspace set`')
    .addOption(
      new Option('-e, --environment <environment>', 'served under /api/ or /api-dev/')
        .choices(['production', 'development'])
        .makeOptionMandatory(),
    )
    .action(async (name: string, args: string[], options: CommonOptions & { readonly environment: Environment }) => {
      const { settings, channels } = parseAssignments(args, { channels: new Map() }, io.folder);
      await withInstallation(io, options, async (installation) => {
        const wanted = { name, environment: options.environment, settings, channels };
        const { workspace, keys } = await createWorkspace(installation, wanted);
        const key = keys[0]!;
        const human = `Workspace ${labelOf(workspace)} (${workspace.id}) was created. Its license key is shown only once:\n\n${key.text}\n\nIt has no policy yet: ringfence policy apply DIR -w ${labelOf(workspace)}\n`;
        printResult(io, options, {
          json: { ...publicWorkspace(workspace), key: { id: key.id, text: key.text } },
          human,
        });
      });
    });
  about(command, {
    summary: 'Create a workspace with its own secrets, license key and log.',
    details: settingsHelp,
    examples: [
      ['ringfence workspace create acme -e development', 'it only observes until set to live'],
      ['ringfence workspace create acme -e production timezone=America/Lima channel.1=App', ''],
    ],
  });
}

function addSet(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('set'))
    .argument('<workspace>', 'NAME, NAME/ENVIRONMENT or id')
    .argument('<settings...>', 'name=value')
    .action(async (meant: string, args: string[], options: CommonOptions) => {
      if (meant.includes('=')) throw new UsageError('Name the workspace before the settings.');
      await withWorkspace(io, { ...options, workspace: meant }, async (installation, workspace) => {
        const { settings, channels } = parseAssignments(args, workspace, io.folder);
        const change = { settings, channels, actor: 'api' } as const;
        const changed: Workspace = await updateWorkspace(installation, workspace.id, change);
        // Only the names: a value may be a secret.
        installation.note({ settings: args.map((arg) => arg.slice(0, arg.indexOf('='))) });
        const human = `${labelOf(changed)} was changed. All processes use the new settings within 5 seconds.\n`;
        printResult(io, options, { json: publicWorkspace(changed), human });
      });
    });
  about(command, {
    summary: 'Change settings and channels of a workspace.',
    details: `${settingsHelp}\nSettings that the configuration file declares can only be changed in the file.`,
    examples: [
      ['ringfence workspace set acme/production webhook.url=https://bank.example/hook deliver=live', ''],
      ['ringfence workspace set acme webhook.publicKeyPem=@acme-rsa.pem', 'adds clientRSA'],
      ['ringfence workspace set acme channel.1="Mobile app" channel.1.idleMinutes=10', ''],
      ['ringfence workspace set acme deliver=observe', 'decide, but send nothing'],
      ['ringfence workspace set acme deviceOrigins=https://bank.example', 'tokens from other pages count as foreign'],
    ],
  });
}
