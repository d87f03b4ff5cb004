import type { Command } from 'commander';
import { labelOf } from '../../config/reconcile.ts';
import { listSegments, removeSegment, type Segment } from '../../history/segments.ts';
import { about, onWorkspace } from '../about.ts';
import { UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { grouped, instant, printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';

export function addHistoryCommands(shell: Shell): void {
  const group = shell.program
    .command('history')
    .description('Imported history, for backtests.')
    .summary('List or remove imported history.');
  addList(group, shell);
  addRemove(group, shell);
}

function addList(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('list')).action((options: WorkspaceOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const segments = await listSegments(installation.pool, workspace.id);
      const human =
        segments.length === 0
          ? `${labelOf(workspace)} has no imported history. Import one with: ringfence import\n`
          : table(['NAME', 'EVENTS', 'FRAUD', 'LEGITIMATE', 'FROM', 'TO', 'IMPORTED', 'BY'], segments.map(rowOf));
      printResult(io, options, { json: segments, human });
    }),
  );
  about(command, {
    summary: 'List the imported histories of a workspace, newest first.',
    examples: [['ringfence history list -w acme/production', '']],
  });
}

function rowOf({ name, events, totals, fromMs, toMs, madeAtMs, author }: Segment): readonly string[] {
  return [
    name,
    grouped(events),
    grouped(totals.fraud),
    grouped(totals.legitimate),
    instant(fromMs),
    instant(toMs),
    instant(madeAtMs),
    author,
  ];
}

function addRemove(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('remove'))
    .argument('<name>', 'name of a history')
    .option('--yes', 'confirm: this cannot be undone')
    .action(async (name: string, options: WorkspaceOptions & { readonly yes?: boolean }) => {
      if (options.yes !== true)
        throw new UsageError('A removed history can only be imported again. Repeat with --yes.');
      await withWorkspace(io, options, async (installation, workspace) => {
        await removeSegment(installation.pool, workspace.id, name);
        const human = `Removed ${name} from ${labelOf(workspace)}.\n`;
        printResult(io, options, { json: { removed: name }, human });
      });
    });
  about(command, {
    summary: 'Remove an imported history. Results of its backtests are kept.',
    examples: [['ringfence history remove 2026 -w acme/production --yes', '']],
  });
}
