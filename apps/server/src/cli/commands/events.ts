import type { Command } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { pause } from '../../platform/sleep.ts';
import type { EventFilter } from '../../api/events/event-filter.ts';
import type { EventSummary } from '../../api/events/event-schema.ts';
import { StoredEvents } from '../../api/events/stored-events.ts';
import { listWorkspaces } from '../../tenancy/workspaces/workspace-store.ts';
import { about, onInstallation, onWorkspace } from '../about.ts';
import { type CliIo, type CommonOptions, UsageError } from '../cli-io.ts';
import { findWorkspace } from '../find-workspace.ts';
import { withInstallation } from '../open-installation.ts';
import { shown } from '../print.ts';
import type { Shell } from '../shell.ts';
import { type TailedEvent, Tail } from '../tail.ts';
import { addExplain } from './events-explain.ts';
import { addFacts } from './events-facts.ts';

interface TailOptions extends CommonOptions {
  readonly workspace?: string;
  readonly last: string;
  readonly follow: boolean;
  readonly client?: string;
  readonly fired?: boolean;
}

/** Between two looks: a person sees it as at once. */
const lookMs = 300;
const lastMax = 200;

export function addEventsCommands(shell: Shell): void {
  const group = shell.program
    .command('events')
    .description('Events as they are decided.')
    .summary('Watch events being decided; ask what was found out about one, and why it was decided so.');
  addTail(group, shell);
  addFacts(group, shell);
  addExplain(group, shell);
}

function addTail(group: Command, { io }: Shell): void {
  const command = onInstallation(onWorkspace(group.command('tail')))
    .option('--last <number>', 'begin with so many that were there already', '10')
    .option('--no-follow', 'end after those')
    .option('--client <client>', 'only events of this client')
    .option('--fired', 'only events on which a rule fired')
    .action(async (options: TailOptions) => {
      if (!/^\d{1,3}$/.test(options.last) || Number(options.last) > lastMax) {
        throw new UsageError(`--last: expected a whole number from 0 to ${lastMax}, found "${options.last}"`);
      }
      await withInstallation(io, options, async (installation) => {
        const workspaces =
          options.workspace === undefined
            ? await listWorkspaces(installation)
            : [await findWorkspace(installation, options.workspace)];
        const events = new StoredEvents(installation.pool, installation.log, installation.subjects);
        const tail = new Tail(events, { workspaces, filter: filterOf(options), last: Number(options.last) });
        await follow(io, tail, options);
      });
    });
  about(command, {
    summary: 'Show events as they are decided, until Ctrl+C.',
    details:
      'Time, event, client, session and what was concluded: the rules that fired, or that the operation has no session. Without -w, of all workspaces. Shows personal data: do not keep it.',
    examples: [
      ['ringfence events tail', 'what comes in?'],
      ['ringfence events tail -w acme/production --fired', 'only what a rule fired on'],
      ['ringfence events tail --no-follow --last 100 --json', 'for scripts: one JSON object per line'],
    ],
  });
}

function filterOf(options: TailOptions): EventFilter {
  return {
    ...(options.client === undefined ? {} : { client: options.client }),
    ...(options.fired === true ? { fired: true } : {}),
  };
}

async function follow(io: CliIo, tail: Tail, options: TailOptions): Promise<void> {
  while (!io.stop.aborted) {
    for (const event of await tail.next()) {
      if (event.afterGap) io.complain('… more than can be shown; some are left out\n');
      io.write(options.json === true ? jsonLine(event) : humanLine(event));
    }
    if (!options.follow) return;
    await pause(lookMs, io.stop);
  }
}

function jsonLine({ workspace, summary }: TailedEvent): string {
  return `${JSON.stringify({ workspace: labelOf(workspace), ...summary })}\n`;
}

function humanLine({ workspace, summary }: TailedEvent): string {
  const parts = [
    summary.loggedAt.slice(11, 23),
    labelOf(workspace),
    summary.kind.padEnd(9),
    summary.client === undefined ? '(unreadable)' : shown(summary.client),
    summary.session === undefined ? '-' : shown(summary.session),
    conclusionOf(summary),
  ];
  return `${parts.join('  ')}\n`;
}

function conclusionOf(summary: EventSummary): string {
  const rules = [...summary.fired.map(String), ...summary.shadow.map((reason) => `${reason} (shadow)`)];
  const unmatched = summary.matched === false ? `no session: ${summary.mismatch ?? 'unknown'}` : undefined;
  const fired = rules.length === 0 ? undefined : `fired ${rules.join(', ')}`;
  const state = summary.status === 'decided' ? undefined : summary.status;
  return [state, unmatched, fired].filter((part) => part !== undefined).join('; ') || 'nothing fired';
}
