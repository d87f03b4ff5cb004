import { resolve } from 'node:path';
import type { Command } from 'commander';
import { labelOf as nameOfWorkspace } from '../../config/reconcile.ts';
import { labelOf, type LabelLine, readLabelFile } from '../../console/labels/read-label-file.ts';
import { listLabels, type StoredLabel } from '../../console/labels/stored-labels.ts';
import { type LabelOutcome, appendLabels, type ToldLabel } from '../../console/labels/append-labels.ts';
import { addressLabel, labelBounds } from '../../console/labels/parse-labels.ts';
import { eventId } from '../../records/event-id.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { about, onWorkspace } from '../about.ts';
import { UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { authorOf } from '../operating-user.ts';
import { withWorkspace } from '../open-installation.ts';
import { counted, instant, printResult, table } from '../print.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';
import { wholeNumber } from '../whole-number.ts';

interface LabelOptions extends WorkspaceOptions {
  readonly author?: string;
}

interface AddOptions extends LabelOptions {
  readonly event?: string;
  readonly client?: string;
  readonly reference?: string;
  readonly note?: string;
}

export function addLabelCommands(shell: Shell): void {
  const group = shell.program
    .command('label')
    .description('Label events as fraud or legitimate: add, import, list.')
    .summary('Label events as fraud or legitimate.');
  addAdd(group, shell);
  addImport(group, shell);
  addList(group, shell);
}

const authorOption = ['--author <name>', 'who labels the event (default: the user of this shell)'] as const;

function addAdd(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('add'))
    .argument('<label>', 'fraud or legitimate')
    .option('--event <id>', 'event id, as returned when the event was sent')
    .option('--client <client>', 'with --reference, instead of --event')
    .option('--reference <reference>', '`transaction.reference` of an operation of the client')
    .option('--note <text>', 'a note for people')
    .option(...authorOption)
    .action(async (text: string, options: AddOptions) => {
      const { event, client, reference, note } = options;
      const label = labelOf(text);
      if (label === undefined) throw new UsageError(`"${text}" is not a label: expected fraud or legitimate.`);
      const told = addressLabel({ event, client, reference, label, note }, authorOf(io, options));
      if (typeof told === 'string') throw new UsageError(`${told} Give --event, or --client and --reference.`);
      if ((note?.length ?? 0) > labelBounds.noteLength)
        throw new UsageError(`A note has at most ${labelBounds.noteLength} characters.`);
      await withWorkspace(io, options, async (installation, workspace) => {
        const [outcome] = await appendLabels(installation, workspace, [told]);
        if (outcome?.state !== 'accepted') {
          throw new OperatorError('The event was not labelled.', `Reason: ${outcome?.reason ?? 'unknown'}.`);
        }
        const human = `${outcome.events.join(', ')}: ${label}.\n`;
        printResult(io, options, { json: outcome, human });
      });
    });
  about(command, {
    summary: 'Label an event as fraud or legitimate.',
    details:
      'The label takes effect with its record in the log: in fraud features and in backtests. The same label again changes nothing; a different label replaces it.',
    examples: [
      ['ringfence label add fraud --event evt_1795256130_42 -w acme/production', 'by event id'],
      ['ringfence label add legitimate --client ana --reference T-4711 -w acme', 'by the bank’s reference'],
    ],
  });
}

/** The result of importing a file of labels. */
interface Imported {
  labelled: number;
  /** Lines that labelled nothing, with the reason; at most `namedMax`. */
  readonly unknown: { readonly line: number; readonly reason: string }[];
  notLabelled: number;
}

/** Lines sent in one batch. */
const batchLines = 200;
/** Lines listed in the JSON result, and the most labels that `label list` prints. */
const namedMax = 1_000;
const shownMax = 20;

function addImport(group: Command, { io, fail }: Shell): void {
  const command = onWorkspace(group.command('import'))
    .argument('<file>', 'CSV file, optionally gzipped')
    .option(...authorOption)
    .action((file: string, options: LabelOptions) =>
      withWorkspace(io, options, async (installation, workspace) => {
        const imported: Imported = { labelled: 0, unknown: [], notLabelled: 0 };
        const progress = new Progress(io, 'lines');
        const tell = async (lines: readonly LabelLine[]): Promise<void> => {
          const outcomes = await appendLabels(
            installation,
            workspace,
            lines.flatMap(({ told }) => (typeof told === 'string' ? [] : [told])),
          );
          noteLines(imported, lines, outcomes);
          progress.show(imported.labelled + imported.notLabelled, { share: lines.at(-1)?.share ?? 1, of: file });
        };
        try {
          let lines: LabelLine[] = [];
          for await (const line of readLabelFile(resolve(io.folder, file), authorOf(io, options))) {
            if (io.stop.aborted)
              throw new OperatorError(
                'Stopped.',
                `${counted(imported.labelled, 'event')} labelled so far. Run the command again to continue.`,
              );
            if (lines.push(line) < batchLines) continue;
            await tell(lines);
            lines = [];
          }
          await tell(lines);
        } finally {
          progress.clear();
        }
        printResult(io, options, { json: imported, human: print(imported, nameOfWorkspace(workspace)) });
        if (imported.notLabelled > 0) fail(1);
      }),
    );
  about(command, {
    summary: 'Label events from a file.',
    details:
      'The first line names the columns: label; event, or client and reference; optionally note. Lines that label nothing are reported with a reason, and the other lines are still imported. A file can be imported again.',
    examples: [['ringfence label import chargebacks.csv -w acme/production', 'once a day']],
    failure: 'a line labelled nothing',
  });
}

function noteLines(imported: Imported, lines: readonly LabelLine[], outcomes: readonly LabelOutcome[]): void {
  let next = 0;
  for (const { line, told } of lines) {
    const outcome = typeof told === 'string' ? undefined : outcomes[next++];
    if (outcome?.state === 'accepted') {
      imported.labelled += 1;
      continue;
    }
    imported.notLabelled += 1;
    if (imported.unknown.length < namedMax) imported.unknown.push({ line, reason: reasonOf(told, outcome) });
  }
}

function reasonOf(told: ToldLabel | string, outcome: LabelOutcome | undefined): string {
  if (typeof told === 'string') return told;
  return outcome?.state === 'unknown' ? outcome.reason : 'unknown';
}

function print({ labelled, unknown, notLabelled }: Imported, workspace: string): string {
  const head = `${counted(labelled, 'label')} recorded in the log of ${workspace}.\n`;
  if (notLabelled === 0) return head;
  const rows = unknown.slice(0, shownMax).map(({ line, reason }) => [String(line), reason]);
  const more = notLabelled > shownMax ? `… and ${notLabelled - shownMax} more; --json lists them.\n` : '';
  return `${head}${counted(notLabelled, 'line')} labelled nothing:\n${table(['LINE', 'REASON'], rows)}${more}`;
}

function addList(group: Command, { io }: Shell): void {
  const command = onWorkspace(group.command('list'))
    .option('--limit <count>', 'show at most this many labels, up to 1000', '50')
    .action(async (options: LabelOptions & { readonly limit: string }) => {
      const limit = wholeNumber('--limit', options.limit, { max: namedMax });
      await withWorkspace(io, options, async (installation, workspace) => {
        const labels = await listLabels(installation, workspace, { limit });
        const human =
          labels.length === 0
            ? `${nameOfWorkspace(workspace)} has no labels.\n`
            : table(
                ['EVENT', 'LABEL', 'WHEN', 'BY', 'NOTE'],
                labels.map((label) => rowOf(workspace, label)),
              );
        printResult(io, options, {
          json: labels.map((label) => ({ ...label, event: eventId(label, workspace) })),
          human,
        });
      });
    });
  about(command, {
    summary: 'List the labels of a workspace, newest first.',
    details: 'The newest label of an event counts. Notes about erased clients cannot be read any more.',
    examples: [['ringfence label list -w acme/production', '']],
  });
}

function rowOf(workspace: Workspace, label: StoredLabel): readonly string[] {
  return [eventId(label, workspace), label.label, instant(label.labelledAtMs), label.author, label.note ?? ''];
}
