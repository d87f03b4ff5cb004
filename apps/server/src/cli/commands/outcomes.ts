import { labelOf } from '../../config/reconcile.ts';
import { listOutcomes, type OutcomeState, type StoredOutcome } from '../../outcomes/outcome-rows.ts';
import { eventId, parseEventId } from '../../records/event-id.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { about, onWorkspace } from '../about.ts';
import { UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { instant, printResult, shown, table } from '../print.ts';
import type { Shell } from '../shell.ts';
import { wholeNumber } from '../whole-number.ts';

interface OutcomesOptions extends WorkspaceOptions {
  readonly unmatched?: true;
  readonly waiting?: true;
  readonly event?: string;
  readonly limit: string;
}

const limitMax = 1_000;

export function addOutcomesCommand({ program, io }: Shell): void {
  const command = onWorkspace(program.command('outcomes'))
    .option('--unmatched', 'only those whose event was not found, with the reason')
    .option('--waiting', 'only those that still wait for their event')
    .option('--event <id>', 'only those of this event')
    .option('--limit <count>', `show at most this many, up to ${limitMax}`, '50')
    .action(async (options: OutcomesOptions) => {
      const limit = wholeNumber('--limit', options.limit, { max: limitMax });
      const state = stateOf(options);
      await withWorkspace(io, options, async (installation, workspace) => {
        const event = options.event === undefined ? undefined : parseEventId(options.event, workspace);
        const outcomes = await listOutcomes(installation, workspace, { limit, state, event });
        const head = ['RECEIVED', 'OUTCOME', 'STATE', 'ABOUT', 'BY', 'REASON'];
        const human =
          outcomes.length === 0
            ? `${labelOf(workspace)} has no ${state === undefined ? '' : `${state} `}outcomes.\n`
            : table(
                head,
                outcomes.map((outcome) => rowOf(workspace, outcome)),
              );
        printResult(io, options, { json: outcomes.map((outcome) => jsonOf(workspace, outcome)), human });
      });
    });
  about(command, {
    summary: 'List the outcomes that the bank reported, newest first.',
    details:
      'A report waits up to 24 hours for its event. One that matches no event, or several, stays unmatched: correct it and send it again. Shows personal data: do not store the output.',
    examples: [['ringfence outcomes --unmatched -w acme/production', 'what the bank should correct']],
  });
}

/** @throws UsageError */
function stateOf({ unmatched, waiting }: OutcomesOptions): OutcomeState | undefined {
  if (unmatched === true && waiting === true) throw new UsageError('Give --unmatched or --waiting, not both.');
  if (unmatched === true) return 'unmatched';
  return waiting === true ? 'waiting' : undefined;
}

function rowOf(workspace: Workspace, outcome: StoredOutcome): readonly string[] {
  const { receivedAtMs, state, author, reason } = outcome;
  return [instant(receivedAtMs), outcome.outcome, state, aboutOf(workspace, outcome), author, reason ?? ''];
}

/** The event, or what the report names instead. */
function aboutOf(workspace: Workspace, { found, message }: StoredOutcome): string {
  if (found !== undefined) return eventId(found, workspace);
  if (message === undefined) return '(unreadable)';
  const { webhookId, event, user = '', reference = '' } = message;
  return shown(webhookId ?? event ?? `${user} ${reference}`);
}

function jsonOf(workspace: Workspace, outcome: StoredOutcome): object {
  const { id, state, reason, author, receivedAtMs, found, message } = outcome;
  return {
    id,
    outcome: outcome.outcome,
    state,
    reason,
    author,
    receivedAt: new Date(receivedAtMs).toISOString(),
    event: found === undefined ? undefined : eventId(found, workspace),
    report: message,
  };
}
