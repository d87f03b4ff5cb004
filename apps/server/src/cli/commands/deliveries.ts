import { type ActionFilter, redeliverableAgain, type ShownState, storedState } from '@ringfence/delivery';
import { type Command, Option } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { printAction } from '../../api/actions/print-action.ts';
import { actionStates, type PrintedAction } from '../../api/actions/action-schema.ts';
import { type ActionChange, changeActions } from '../../policies/directives/change-actions.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { instantMs } from '../../decide/feature-backfill/plan-backfill.ts';
import { about, onWorkspace } from '../about.ts';
import { type ActionNames, actionNames } from '../action-names.ts';
import { type CliIo, exitCodes, UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { locateWorkspace } from '../find-workspace.ts';
import { authorOf } from '../operating-user.ts';
import { endpointTrouble } from '../endpoint-trouble.ts';
import {
  inDatabase,
  inDatabasesOf,
  inEveryDatabase,
  type OpenInstallation,
  withInstallation,
  withWorkspace,
} from '../open-installation.ts';
import { counted, printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';
import { reasonMax, wholeNumber } from '../whole-number.ts';

interface DeliveriesOptions extends WorkspaceOptions {
  readonly state?: ShownState;
  readonly reason?: string;
  readonly limit?: string;
  readonly again?: boolean;
  readonly since?: string;
}

/** The most actions that `list` prints; for more, use the paged management API. */
const listedMax = 200;

export function addDeliveriesCommands(shell: Shell): void {
  const group = shell.program
    .command('deliveries')
    .description('Delivery of actions to webhooks: list, redeliver, release, drop, pause, resume.')
    .summary('Delivery of actions to webhooks.');
  addList(group, shell);
  addChange(group, shell, 'redeliver');
  addChange(group, shell, 'release');
  addChange(group, shell, 'drop');
  addPause(group, shell);
  addResume(group, shell);
}

function addList(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('list'))
    .addOption(new Option('--state <state>', 'only actions in this state').choices(actionStates))
    .option('--reason <number>', 'only actions of this rule')
    .option('--limit <number>', 'show at most this many actions', '50')
    .action(async (options: DeliveriesOptions) => {
      const limit = wholeNumber('--limit', options.limit ?? '50', { max: listedMax });
      await withWorkspace(io, options, async (installation, workspace) => {
        const found = await installation.deliveries.list(filterOf(workspace, options), limit);
        const actions = await Promise.all(found.map((action) => printAction(installation, workspace, action)));
        const names = await actionNames(installation.pool, workspace.id, workspace.policyVersion);
        printResult(io, options, { json: actions, human: actionTable(actions, names) });
      });
    });
  about(command, {
    summary: 'List actions of a workspace, newest first.',
    details:
      'due: to be sent; leased: being sent; waiting: behind another action of its session; executed: code 1; notExecuted: code 0; dead: every attempt failed; expired: too late; capped: stopped by the rule’s maxActions; observed: the workspace only observes.',
    examples: [
      ['ringfence deliveries list -w acme/production --state dead', 'actions that never arrived'],
      ['ringfence deliveries list -w acme --json', 'for scripts'],
    ],
  });
}

function actionTable(actions: readonly PrintedAction[], names: ActionNames): string {
  const rows = actions.map((one) => [
    one.id,
    one.state,
    names(one.action),
    String(one.reason),
    String(one.attempts),
    one.decidedAt,
    one.client ?? '-',
  ]);
  return table(['ID', 'STATE', 'ACTION', 'RULE', 'ATTEMPTS', 'DECIDED', 'CLIENT'], rows);
}

function filterOf(workspace: Workspace, options: DeliveriesOptions): ActionFilter {
  return {
    workspaceId: workspace.id,
    ...(options.state === undefined ? {} : { states: [storedState(options.state)] }),
    ...(options.reason === undefined ? {} : { reason: wholeNumber('--reason', options.reason, { max: reasonMax }) }),
    ...(options.since === undefined ? {} : { finishedFromMs: sinceOf(options.since) }),
  };
}

function sinceOf(text: string): number {
  const atMs = instantMs(text);
  if (atMs !== undefined) return atMs;
  throw new UsageError(`--since: expected an instant with its zone like 2026-11-27T09:30:00Z, found "${text}"`);
}

const changes = {
  redeliver: {
    summary: 'Send actions again that expired, failed, were not executed or were only observed.',
    details:
      'They keep their webhook-id, so that a receiver that removes duplicates executes each action once. Executed actions are sent again only with --again, for a bank that lost them, for example one that was restored from a backup; any other bank may execute them twice.',
    states: redeliverableAgain as readonly ShownState[],
    done: 'scheduled again',
    example: '--state dead',
  },
  release: {
    summary: 'Release capped actions (state capped): those that exceeded a rule’s maxActions.',
    details: 'Each is delivered as if it had been decided now.',
    states: ['capped'] as readonly ShownState[],
    done: 'released',
    example: '--state capped --reason 301',
  },
  drop: {
    summary: 'Discard capped actions (state capped) without sending them.',
    details: 'They stay in the list in the state dropped.',
    states: ['capped'] as readonly ShownState[],
    done: 'dropped',
    example: '--state capped --reason 301',
  },
} as const;

const executedAgain = [
  'ringfence deliveries redeliver --again --state executed --since 2026-11-27T09:30:00Z',
  'what a restored bank forgot',
] as const;

function addChange(group: Command, { io, fail }: Shell, change: ActionChange): void {
  const { summary, details, states: choices, done, example } = changes[change];
  const command = onWorkspace(group.command(change))
    .argument('[actions...]', 'action ids: act_…')
    .addOption(new Option('--state <state>', 'all actions in this state, instead of ids').choices(choices))
    .option('--reason <number>', 'with --state: only actions of this rule');
  if (change === 'redeliver')
    command
      .option('--since <instant>', 'with --state: only actions that finished at or after this instant')
      .option('--again', 'send executed actions again too');
  command.action(async (ids: string[], options: DeliveriesOptions) => {
    if ((ids.length === 0) === (options.state === undefined))
      throw new UsageError('Give either action ids or --state.');
    const { again = false } = options;
    if (options.state === 'executed' && !again)
      throw new UsageError('The bank has executed these actions. To send them nevertheless, add --again.');
    await withWorkspace(io, options, async (installation, workspace) => {
      const of = ids.length > 0 ? { workspaceId: workspace.id, ids } : { filter: filterOf(workspace, options) };
      const wanted = { change, of, again, author: authorOf(io), nowMs: io.now() };
      const changed = await changeAll(installation, workspace, wanted);
      const { state, reason, since } = options;
      installation.note({
        changed,
        ...(state === undefined ? {} : { state }),
        ...(reason === undefined ? {} : { reason }),
        ...(since === undefined ? {} : { since }),
        ...(again ? { again } : {}),
      });
      printResult(io, options, { json: { changed }, human: `${counted(changed, 'action')} ${done}.\n` });
      if (changed >= new Set(ids).size) return;
      io.complain(
        `The other actions do not belong to ${labelOf(workspace)}, or their state does not allow this: ringfence deliveries list -w ${labelOf(workspace)}\n`,
      );
      fail(exitCodes.failed);
    });
  });
  about(command, {
    summary,
    details,
    examples: [
      [`ringfence deliveries ${change} act_…`, 'this one'],
      [`ringfence deliveries ${change} -w acme/production ${example}`, 'all of them'],
      ...(change === 'redeliver' ? [executedAgain] : []),
    ],
  });
}

/** Repeats the call until nothing is left to change: one call changes a bounded number of actions. */
async function changeAll(
  installation: OpenInstallation,
  workspace: Workspace,
  wanted: Parameters<typeof changeActions>[2],
): Promise<number> {
  for (let total = 0; ;) {
    const changed = await changeActions(installation, workspace, wanted);
    total += changed;
    if (changed === 0 || 'ids' in wanted.of) return total;
  }
}

function addPause(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('pause')).action((options: DeliveriesOptions) =>
    withInstallation(io, options, async (home) => {
      const { scope, label, work } = await scopeOf(io, home, options);
      await work(({ deliveries }) => deliveries.pause(scope, io.now()));
      const human = `Deliveries of ${label} stop within 5 seconds. Actions are kept, and expire at their usual time.\n`;
      printResult(io, options, { json: { paused: label }, human });
    }),
  );
  about(command, {
    summary: 'Pause the deliveries of all workspaces, or of one, within 5 seconds.',
    examples: [
      ['ringfence deliveries pause', 'all workspaces'],
      ['ringfence deliveries pause -w acme/production', 'one'],
    ],
  });
}

function addResume(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('resume')).action((options: DeliveriesOptions) =>
    withInstallation(io, options, async (home) => {
      const { scope, label, work } = await scopeOf(io, home, options);
      await work(({ deliveries }) => deliveries.resume(scope));
      printResult(io, options, {
        json: { resumed: label },
        human: `Deliveries of ${label} continue.\n`,
      });
      await inDatabasesOf(io, home, {
        meant: options.workspace,
        work: async (installation, workspace) => {
          const trouble = await endpointTrouble(installation, workspace);
          if (trouble !== undefined) io.complain(`However, ${trouble.detail}.\n${trouble.mend}\n`);
        },
      });
    }),
  );
  about(command, {
    summary: 'End a pause: of one workspace with -w, or of all workspaces without it.',
    examples: [['ringfence deliveries resume', '']],
  });
}

/** What a pause is of, and how to work in every database that it concerns. */
async function scopeOf(
  io: CliIo,
  home: OpenInstallation,
  options: DeliveriesOptions,
): Promise<{
  readonly scope: Parameters<OpenInstallation['deliveries']['resume']>[0];
  readonly label: string;
  readonly work: (work: (installation: OpenInstallation) => Promise<void>) => Promise<void>;
}> {
  if (options.workspace === undefined) {
    return { scope: { kind: 'all' }, label: 'all workspaces', work: (work) => inEveryDatabase(io, home, work) };
  }
  const located = await locateWorkspace(home, options.workspace);
  return {
    scope: { kind: 'workspace', workspaceId: located.id },
    label: labelOf(located),
    work: (work) => inDatabase(io, home, { name: located.database, work }),
  };
}
