import type { Command } from 'commander';
import { everywhere } from '../../access/accounts/roles.ts';
import {
  createToken,
  listTokens,
  revokeToken,
  stateOf,
  tokenDaysDefault,
  tokenDaysMax,
  tokenNameExpected,
  tokenNamePattern,
} from '../../access/tokens/api-tokens.ts';
import { isScope, type Scope, scopes } from '../../access/tokens/scopes.ts';
import { labelOf } from '../../config/reconcile.ts';
import { about, onInstallation } from '../about.ts';
import { type CommonOptions, UsageError } from '../cli-io.ts';
import { locateWorkspace, locateWorkspaces } from '../find-workspace.ts';
import { type OpenInstallation, withInstallation } from '../open-installation.ts';
import { operatingUser } from '../operating-user.ts';
import { instant, printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';
import { wholeNumber } from '../whole-number.ts';

export function addTokenCommands(shell: Shell): void {
  const group = shell.program
    .command('token')
    .description('Tokens of the management API for programs: create, list, revoke.')
    .summary('Tokens of the management API.');
  addCreate(group, shell);
  addList(group, shell);
  addRevoke(group, shell);
}

interface CreateOptions extends CommonOptions {
  readonly scope: readonly string[];
  readonly workspace: readonly string[];
  readonly days: string;
}

function addCreate(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('create'))
    .argument('<name>', 'names the token in the audit log; used once')
    .requiredOption('-s, --scope <scopes...>', 'what it may do, for example labels:write')
    .requiredOption('-w, --workspace <names...>', 'NAME, NAME/production, NAME/development or id; all: every workspace')
    .option('--days <number>', `after how many days it ends, at most ${tokenDaysMax}`, String(tokenDaysDefault))
    .action((name: string, options: CreateOptions) => {
      if (!tokenNamePattern.test(name)) throw new UsageError(`name: expected ${tokenNameExpected}, found "${name}"`);
      const wanted = readScopes(options.scope);
      const days = wholeNumber('--days', options.days, { max: tokenDaysMax });
      return withInstallation(io, options, async (installation) => {
        const workspaces = await workspacesOf(installation, options.workspace);
        const { token, text } = await createToken(installation.pool, {
          name,
          scopes: wanted,
          workspaces,
          days,
          createdBy: `os:${operatingUser(io)}`,
          nowMs: io.now(),
        });
        const { id, scopes: granted, expiresAtMs } = token;
        installation.note({ after: { id, name, scopes: granted, workspaces } });
        const human = `Token ${name} (${id}) is valid until ${instant(expiresAtMs)}. It is shown only once:\n\n${text}\n`;
        const json = { id, name, scopes: granted, workspaces, expiresAt: new Date(expiresAtMs).toISOString(), text };
        printResult(io, options, { json, human });
      });
    });
  const list = Object.entries(scopes).map(([scope, allowed]) => `  ${scope.padEnd(20)}${allowed}`);
  about(command, {
    summary: 'Create a token for a program.',
    details: `Give it only the scopes and workspaces that the program needs. It cannot be changed, only revoked.\n\nScopes:\n${list.join('\n')}`,
    examples: [
      ['ringfence token create chargebacks -s labels:write -w acme/production', 'a nightly job'],
      ['ringfence token create dashboard -s events:read alerts:read -w all --days 365', 'read everything, masked'],
    ],
  });
}

/** @throws UsageError */
function readScopes(given: readonly string[]): readonly Scope[] {
  const names = given.flatMap((one) => one.split(',')).filter((one) => one !== '');
  return names.map((one) => {
    if (isScope(one)) return one;
    throw new UsageError(`--scope: there is no scope "${one}"; there are ${Object.keys(scopes).join(', ')}`);
  });
}

async function workspacesOf(installation: OpenInstallation, given: readonly string[]): Promise<readonly string[]> {
  if (given.includes('all')) return [everywhere];
  return Promise.all(given.map(async (one) => (await locateWorkspace(installation, one)).id));
}

function addList(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('list')).action((options: CommonOptions) =>
    withInstallation(io, options, async (installation) => {
      const tokens = await listTokens(installation.pool);
      const labels = new Map((await locateWorkspaces(installation)).map((one) => [one.id, labelOf(one)]));
      const labelled = ({ workspaces }: { readonly workspaces: readonly string[] }): readonly string[] =>
        workspaces.map((id) => (id === everywhere ? 'all' : (labels.get(id) ?? id)));
      const rows = tokens.map((token) => [
        token.id,
        token.name,
        stateOf(token, io.now()),
        token.scopes.join(' '),
        labelled(token).join(' '),
        instant(token.expiresAtMs),
        instant(token.lastUsedAtMs),
      ]);
      const head = ['TOKEN', 'NAME', 'STATE', 'SCOPES', 'WORKSPACES', 'ENDS', 'LAST USED'];
      const human =
        rows.length === 0 ? 'There are no tokens. Create one with: ringfence token create\n' : table(head, rows);
      printResult(io, options, { json: tokens, human });
    }),
  );
  about(command, {
    summary: 'List the tokens of the management API, without their text.',
    details: 'States: live, ended, revoked. "Last used" is at most a minute behind.',
    examples: [['ringfence token list', 'which tokens end soon, and which are unused?']],
  });
}

function addRevoke(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('revoke'))
    .argument('<token>', 'id or name of a token')
    .action((named: string, options: CommonOptions) =>
      withInstallation(io, options, async (installation) => {
        const { id, name } = await revokeToken(installation.pool, named, io.now());
        printResult(io, options, { json: { revoked: id }, human: `Token ${name} (${id}) is revoked for good.\n` });
      }),
    );
  about(command, {
    summary: 'Revoke a token for good.',
    details: 'Every process refuses it immediately.',
    examples: [['ringfence token revoke chargebacks', 'it leaked, or its program is gone']],
  });
}
