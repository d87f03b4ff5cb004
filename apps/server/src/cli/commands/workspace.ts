import { type Command, Option } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { homeDatabase } from '../../platform/database/cell.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { readPlaces } from '../../tenancy/cells/workspace-places.ts';
import { publicWorkspace } from '../../tenancy/workspaces/public-settings.ts';
import { createWorkspace, listWorkspaces, updateWorkspace } from '../../tenancy/workspaces/workspace-store.ts';
import type { Environment, Workspace } from '../../tenancy/workspaces/workspace.ts';
import { about, onInstallation } from '../about.ts';
import { parseAssignments } from '../assignments.ts';
import { type CliIo, type CommonOptions, UsageError } from '../cli-io.ts';
import { locateWorkspaces } from '../find-workspace.ts';
import {
  databaseNames,
  inDatabase,
  type OpenInstallation,
  withInstallation,
  withWorkspace,
} from '../open-installation.ts';
import { printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';
import { addMove } from './workspace-move.ts';
import { howItMoves, readMoves } from '../../tenancy/move/read-moves.ts';

const settingsHelp = `Settings are name=value: timezone, cards (mask, refuse), sessionGraceSeconds, blockHours, deliver (observe, live),
keepEvents, keepActions, keepDeviceTokens (days like 400d, or forever), rateLimit.perSecond, rateLimit.burst, lagMax, webhook.url, webhook.publicKeyPem, webhook.caPem, webhook.clientCertificatePem,
webhook.clientKeyPem, webhook.oaepMgf1Hash (sha256, sha1), webhook.dateStyle (zone, local), webhook.clientHash (hmac,
sha256), webhook.proxy, webhook.retryNotExecuted, webhook.sendReference, webhook.expiryMinutes.ACTION; channel.NUMBER (its name),
channel.NUMBER.idleMinutes, .absoluteHours, .sessions (required, optional). @FILE reads a value from a file;
an empty value restores the default.`;

export function addWorkspaceCommands(shell: Shell): void {
  const group = shell.program
    .command('workspace')
    .description('Workspaces: list, show, create, set, move. A workspace is a tenant in one environment.')
    .summary('Workspaces and their settings.');
  addList(group, shell);
  addShow(group, shell);
  addCreate(group, shell);
  addSet(group, shell);
  addMove(group, shell);
}

function addList(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('list')).action((options: CommonOptions) =>
    withInstallation(io, options, async (home) => {
      const located = await locateWorkspaces(home);
      const places = new Map((await readPlaces(home.pool)).map((place) => [place.id, place]));
      const moves = new Map((await readMoves(home.pool)).map((move) => [move.id, move]));
      const found = new Map<string, Workspace>();
      const away = await readEvery(io, home, (workspace) => found.set(workspace.id, workspace));
      const seen = located.map(({ database, ...one }) => {
        const movingTo = places.get(one.id)?.movingTo;
        const move = moves.get(one.id);
        const how = move === undefined ? '' : howItMoves(move);
        return {
          ...one,
          where: movingTo === undefined ? database : `${database}, moving to ${movingTo}${how}`,
          database,
        };
      });
      const rows = seen.map(({ id, name, environment, where }) => [
        name,
        environment,
        id,
        ...(home.configuration.databases.length === 0 ? [] : [where]),
        ...columnsOf(found.get(id)),
      ]);
      const where = home.configuration.databases.length === 0 ? [] : ['DATABASE'];
      const head = ['NAME', 'ENVIRONMENT', 'ID', ...where, 'OWNER', 'DELIVER', 'POLICY', 'WEBHOOK'];
      const json = seen.map(({ id, name, environment, database }) => {
        const workspace = found.get(id);
        return { ...(workspace === undefined ? { id, name, environment } : publicWorkspace(workspace)), database };
      });
      printResult(io, options, { json, human: table(head, rows) });
      for (const trouble of away) io.complain(`${trouble}\n`);
    }),
  );
  about(command, {
    summary: 'List the workspaces.',
    examples: [['ringfence workspace list', '']],
  });
}

/** @returns why databases could not be read */
async function readEvery(
  io: CliIo,
  home: OpenInstallation,
  note: (workspace: Workspace) => void,
): Promise<readonly string[]> {
  const away: string[] = [];
  for (const name of databaseNames(home.configuration)) {
    const work = async (installation: OpenInstallation): Promise<void> =>
      (await listWorkspaces(installation)).forEach((workspace) => note(workspace));
    await inDatabase(io, home, { name, work }).catch((error: unknown) => {
      if (!(error instanceof OperatorError) || name === homeDatabase) throw error;
      away.push(`${name}: ${error.message}`);
    });
  }
  return away;
}

/** The columns that only its own database has. */
function columnsOf(workspace: Workspace | undefined): readonly string[] {
  if (workspace === undefined) return ['-', '-', '-', '-'];
  const { owners, settings, policyVersion } = workspace;
  const owner = owners.settings === 'config' ? 'file' : 'api';
  return [owner, settings.deliver, String(policyVersion ?? '-'), settings.webhook?.url ?? '-'];
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

interface CreateOptions extends CommonOptions {
  readonly environment: Environment;
  readonly database: string;
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
    .option('--database <name>', 'the database that it is created in, of `databases` in the file', homeDatabase)
    .action(async (name: string, args: string[], options: CreateOptions) => {
      const { settings, channels } = parseAssignments(args, { channels: new Map() }, io.folder);
      await withInstallation(io, options, async (home) => {
        const wanted = { name, environment: options.environment, settings, channels };
        const { workspace, keys } = await inDatabase(io, home, {
          name: options.database,
          work: (installation) => createWorkspace(installation, wanted),
        });
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
      ['ringfence workspace create acme -e production --database north', 'in another database'],
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
