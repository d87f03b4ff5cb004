import { type Command, Option } from 'commander';
import { StoredEvents } from '../../api/events/stored-events.ts';
import { printHolds } from '../../api/holds/print-holds.ts';
import { decideHolds } from '../../holds/decide-hold.ts';
import { type HoldDecision, holdStates, listHolds } from '../../holds/stored-holds.ts';
import { about, onWorkspace } from '../about.ts';
import { exitCodes, type WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { authorOf } from '../operating-user.ts';
import { counted, printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';
import { wholeNumber } from '../whole-number.ts';

interface HoldsOptions extends WorkspaceOptions {
  readonly state?: (typeof holdStates)[number] | 'ended';
  readonly limit?: string;
  readonly comment?: string;
}

/** The most holds that `list` prints; for more, use the paged management API. */
const listedMax = 200;

export function addHoldsCommands(shell: Shell): void {
  const group = shell.program
    .command('holds')
    .description('Held payments: list, release, reject.')
    .summary('Held payments.');
  addList(group, shell);
  addDecision(group, shell, 'release');
  addDecision(group, shell, 'reject');
}

function addList(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('list', { isDefault: true }))
    .addOption(new Option('--state <state>', 'holds in this state').choices([...holdStates, 'ended']).default('open'))
    .option('--limit <number>', 'show at most this many holds', '50')
    .action(async (options: HoldsOptions) => {
      const limit = wholeNumber('--limit', options.limit ?? '50', { max: listedMax });
      await withWorkspace(io, options, async (installation, workspace) => {
        const { pool, log, subjects } = installation;
        const filter = { state: options.state ?? 'open' };
        const found = await listHolds(pool, workspace.id, { filter, page: { limit } });
        const deps = { pool, subjects, events: new StoredEvents(pool, log, subjects) };
        const holds = await printHolds(deps, workspace, found);
        const rows = holds.map((one) => [
          one.id,
          one.state,
          one.dueAt,
          one.otherwise,
          `${one.amount ?? '-'} ${one.currency ?? ''}`.trim(),
          String(one.members),
          String(one.reason),
          one.decision === undefined ? '-' : `${one.decision.decision} (${one.decision.state})`,
          one.client ?? '-',
        ]);
        const titles = ['ID', 'STATE', 'DEADLINE', 'OTHERWISE', 'AMOUNT', 'PAYMENTS', 'RULE', 'DECISION', 'CLIENT'];
        printResult(io, options, { json: holds, human: table(titles, rows) });
      });
    });
  about(command, {
    summary: 'List held payments, the next deadline first; ended ones newest first.',
    examples: [
      ['ringfence holds list -w acme/production', 'payments that wait for a decision'],
      ['ringfence holds -w acme --state ended --json', 'for scripts; `list` may be omitted'],
    ],
  });
}

function addDecision(group: Command, { io, fail }: Shell, decision: HoldDecision): void {
  const command = onWorkspace(group.command(decision))
    .argument('<holds...>', 'ids of holds: act_…')
    .option('--comment <text>', 'why, for later reference; encrypted')
    .action(async (ids: string[], options: HoldsOptions) => {
      await withWorkspace(io, options, async (installation, workspace) => {
        const wanted = { ids, decision, comment: options.comment, author: authorOf(io), nowMs: io.now() };
        const decided = await decideHolds(installation, workspace, wanted);
        const refused = decided.flatMap((one) => ('refusal' in one ? [one] : []));
        const taken = decided.flatMap((one) => ('refusal' in one ? [] : [one]));
        const seconds = taken.filter(({ needsSecond }) => needsSecond).length;
        const then = seconds === 0 ? '' : ` ${counted(seconds, 'payment')} then wait for a second person.`;
        const done = decision === 'release' ? 'released' : 'rejected';
        installation.note({ decision, holds: taken.map(({ id }) => id) });
        printResult(io, options, {
          json: decided.map((one) =>
            'refusal' in one
              ? { hold: one.id, problem: one.refusal.code, detail: one.refusal.message }
              : { hold: one.id, undoUntil: new Date(one.undoUntilMs).toISOString(), needsSecond: one.needsSecond },
          ),
          human: `${counted(taken.length, 'payment')} will be ${done} in 30 seconds by the running service.${then}\n`,
        });
        for (const { id, refusal } of refused) io.complain(`${id}: ${refusal.message}\n`);
        if (refused.length > 0) fail(exitCodes.failed);
      });
    });
  about(command, {
    summary: decision === 'release' ? 'Release held payments.' : 'Reject held payments.',
    details:
      'The bank is told after 30 seconds. There is no correction after that. A large release waits for a second person in the console.',
    examples: [[`ringfence holds ${decision} act_… -w acme/production --comment "called the client"`, '']],
  });
}
