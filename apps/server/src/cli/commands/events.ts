import type { Command } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { sleep } from '../../platform/sleep.ts';
import type { EventFilter } from '../../api/events/event-filter.ts';
import type { EventSummary } from '../../api/events/event-schema.ts';
import { StoredEvents } from '../../api/events/stored-events.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, type WorkspaceOptions } from '../cli-io.ts';
import { findWorkspaces } from '../find-workspace.ts';
import { type OpenInstallation, withEveryDatabase, withInstallation, withWorkspace } from '../open-installation.ts';
import { shown } from '../print.ts';
import type { Shell } from '../shell.ts';
import { wholeNumber } from '../whole-number.ts';
import { type TailedEvent, Tail } from '../tail.ts';
import { addExplain } from './events-explain.ts';
import { addFacts } from './events-facts.ts';

interface TailOptions extends WorkspaceOptions {
  readonly last: string;
  readonly follow: boolean;
  readonly client?: string;
  readonly fired?: boolean;
}

/** Time between two queries: short enough to look immediate. */
const lookMs = 300;
const lastMax = 200;

export function addEventsCommands(shell: Shell): void {
  const group = shell.program
    .command('events')
    .description('Inspect events: tail, facts, explain.')
    .summary('Watch events as they are decided, show the facts of one, explain its decision.');
  addTail(group, shell);
  addFacts(group, shell);
  addExplain(group, shell);
}

function addTail(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('tail'))
    .option('--last <number>', 'start with this many earlier events', '10')
    .option('--no-follow', 'stop after the earlier events')
    .option('--client <client>', 'only events of this client')
    .option('--fired', 'only events on which a rule fired')
    .action(async (options: TailOptions) => {
      const last = wholeNumber('--last', options.last, { min: 0, max: lastMax });
      const filter = filterOf(options);
      if (options.workspace !== undefined) {
        await withWorkspace(io, options, async (installation, workspace) => {
          const events = storedEvents(installation);
          await follow(io, new Tail(events, { workspaces: [workspace], filter, last }), options);
        });
        return;
      }
      await withInstallation(io, options, (home) =>
        withEveryDatabase(io, home, async (installations) => {
          const workspaces = await Promise.all(installations.map((one) => findWorkspaces(one, undefined)));
          const eventsOf = new Map(
            installations.flatMap((one, at) => workspaces[at]!.map(({ id }) => [id, storedEvents(one)] as const)),
          );
          const events: Pick<StoredEvents, 'list'> = {
            list: (workspace, ...given) => eventsOf.get(workspace.id)!.list(workspace, ...given),
          };
          await follow(io, new Tail(events, { workspaces: workspaces.flat(), filter, last }), options);
        }),
      );
    });
  about(command, {
    summary: 'Show events as they are decided, until Ctrl+C.',
    details:
      'Shows time, event, client, session and decision: the rules that fired, or that an operation matched no session. Without -w, shows all workspaces. Shows personal data: do not store the output.',
    examples: [
      ['ringfence events tail', 'what comes in?'],
      ['ringfence events tail -w acme/production --fired', 'only events on which a rule fired'],
      ['ringfence events tail --no-follow --last 100 --json', 'for scripts: one JSON object per line'],
    ],
  });
}

function storedEvents({ pool, log, subjects }: OpenInstallation): StoredEvents {
  return new StoredEvents(pool, log, subjects);
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
      if (event.afterGap) io.complain('… too many events to show; some were skipped\n');
      io.write(options.json === true ? jsonLine(event) : humanLine(event));
    }
    if (!options.follow) return;
    await sleep(lookMs, io.stop);
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
