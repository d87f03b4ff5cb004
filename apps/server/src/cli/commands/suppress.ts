import type { SuppressionOf } from '@ringfence/engine';
import type { Command } from 'commander';
import { endRuleSuppression, listRuleSuppressions, suppressRule } from '../../policies/directives/rule-suppressions.ts';
import { clientNames } from '../../api/clients/client-names.ts';
import { StoredEvents } from '../../api/events/stored-events.ts';
import { about, onWorkspace } from '../about.ts';
import { UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { authorOf } from '../operating-user.ts';
import { withWorkspace } from '../open-installation.ts';
import { instant, printResult, table } from '../print.ts';
import { readEnd } from '../read-end.ts';
import type { Shell } from '../shell.ts';
import { reasonMax, wholeNumber } from '../whole-number.ts';

interface SuppressOptions extends WorkspaceOptions {
  readonly client?: string;
  readonly payee?: string;
  readonly until?: string;
  readonly why?: string;
  readonly author?: string;
}

export function addSuppressCommands(shell: Shell): void {
  const group = shell.program
    .command('suppress')
    .description('Suppress a rule for one client or payee for a limited time: rule, list, end.')
    .summary('Suppress a rule for a client or a payee.');
  addRule(group, shell);
  addList(group, shell);
  addEnd(group, shell);
}

function addRule(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('rule'))
    .argument('<reason>', 'number of the rule')
    .option('--client <client>', 'the client; or use --payee')
    .option('--payee <payee>', 'the payee as in payee.id: bank/account')
    .requiredOption('--until <end>', 'when it ends: 7d, 12h, or an instant with its zone')
    .requiredOption('--why <text>', 'the reason, for later reference')
    .option('--author <name>', 'who is responsible (default: the user of this shell)')
    .action(async (text: string, options: SuppressOptions) => {
      const reason = wholeNumber('<reason>', text, { max: reasonMax });
      const { client, payee, why = '' } = options;
      if (why.trim() === '') throw new UsageError(`--why: expected a reason, found "${why}"`);
      if ((client === undefined) === (payee === undefined)) throw new UsageError('Give either --client or --payee.');
      const untilMs = readEnd(options.until ?? '', io.now());
      await withWorkspace(io, options, async (installation, workspace) => {
        const stored = await suppressRule(installation, workspace, {
          reason,
          client,
          payee,
          untilMs,
          why,
          author: authorOf(io, options),
          madeAtMs: io.now(),
        });
        printResult(io, options, { json: stored, human: `${stored.id} is in force until ${instant(untilMs)}.\n` });
      });
    });
  about(command, {
    summary: 'Suppress a rule for one client or one payee for a limited time.',
    details:
      'The rule still fires and is recorded as suppressed, but requests no action. Other rules are not affected.',
    examples: [['ringfence suppress rule 301 --client ana --until 7d --why "payroll" -w acme/production', '']],
  });
}

function addList(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('list')).action((options: SuppressOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const { pool, log, subjects } = installation;
      const stored = await listRuleSuppressions(pool, workspace, io.now());
      const names = await clientNames(
        { pool, events: new StoredEvents(pool, log, subjects) },
        workspace,
        stored.flatMap(({ of }) => (of.kind === 'client' ? [of.subject] : [])),
      );
      const found = stored.map((one) =>
        one.of.kind === 'client' ? { ...one, of: { ...one.of, client: names.get(one.of.subject) } } : one,
      );
      const rows = found.map(({ id, reason, of, untilMs, author, why }) => [
        id,
        String(reason),
        aboutText(of),
        instant(untilMs),
        author,
        why,
      ]);
      printResult(io, options, { json: found, human: table(['ID', 'RULE', 'ABOUT', 'UNTIL', 'AUTHOR', 'WHY'], rows) });
    }),
  );
  about(command, {
    summary: 'List the suppressions that are in force.',
    details:
      'Shows personal data: do not store the output. A client whose events cannot be read any more is shown by its random id.',
    examples: [['ringfence suppress list -w acme/production', '']],
  });
}

/** A client whose name cannot be read any more is shown by its random id. */
function aboutText(of: SuppressionOf & { readonly client?: string | undefined }): string {
  return of.kind === 'client' ? `client ${of.client ?? of.subject}` : `payee ${of.payee}`;
}

function addEnd(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('end'))
    .argument('<suppression>', 'its id: sup_…')
    .option('--author <name>', 'who is responsible (default: the user of this shell)')
    .action((id: string, options: SuppressOptions) =>
      withWorkspace(io, options, async (installation, workspace) => {
        const author = authorOf(io, options);
        await endRuleSuppression(installation, workspace, { id, author, comment: '', nowMs: io.now() });
        printResult(io, options, { json: { ended: id }, human: `${id} was ended.\n` });
      }),
    );
  about(command, {
    summary: 'End a suppression now.',
    examples: [['ringfence suppress end sup_… -w acme/production', '']],
  });
}
