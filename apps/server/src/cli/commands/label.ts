import { resolve } from 'node:path';
import type { Command } from 'commander';
import { labelOf as nameOfWorkspace } from '../../config/reconcile.ts';
import { labelOf, type LabelLine, readLabelFile } from '../../console/labels/read-label-file.ts';
import { listLabels, type StoredLabel } from '../../console/labels/stored-labels.ts';
import { type LabelOutcome, tellLabels, type ToldLabel } from '../../console/labels/append-labels.ts';
import { addressLabel, labelBounds } from '../../console/labels/parse-labels.ts';
import { eventId } from '../../records/event-id.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { about, onInstallation, onWorkspace } from '../about.ts';
import { type CommonOptions, UsageError } from '../cli-io.ts';
import { findWorkspace } from '../find-workspace.ts';
import { authorOf } from '../operating-user.ts';
import { withInstallation } from '../open-installation.ts';
import { counted, instant, printResult, table } from '../print.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';

interface LabelOptions extends CommonOptions {
  readonly workspace?: string;
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
    .description('What events turned out to be: add, import, list.')
    .summary('Label events as fraud or legitimate.');
  addAdd(group, shell);
  addImport(group, shell);
  addList(group, shell);
}

const authorOption = ['--author <name>', 'who says it (default: the user of this shell)'] as const;

function addAdd(group: Command, { io }: Shell): void {
  const command = onInstallation(onWorkspace(group.command('add')))
    .argument('<label>', 'fraud or legitimate')
    .option('--event <id>', 'the event, as it was answered when it was sent')
    .option('--client <client>', 'with --reference, instead of --event')
    .option('--reference <reference>', '`transaction.reference` of an operation of the client')
    .option('--note <text>', 'for people')
    .option(...authorOption)
    .action(async (text: string, options: AddOptions) => {
      const { event, client, reference, note } = options;
      const label = labelOf(text);
      if (label === undefined) throw new UsageError(`"${text}" is no label: fraud or legitimate.`);
      const told = addressLabel({ event, client, reference, label, note }, authorOf(io, options));
      if (typeof told === 'string') throw new UsageError(`${told} Give --event, or --client and --reference.`);
      if ((note?.length ?? 0) > labelBounds.noteLength)
        throw new UsageError(`A note has at most ${labelBounds.noteLength} characters.`);
      await withInstallation(io, options, async (installation) => {
        const workspace = await findWorkspace(installation, options.workspace);
        const [outcome] = await tellLabels(installation, workspace, [told]);
        if (outcome?.state !== 'accepted') {
          throw new OperatorError('The event was not labelled.', `Why: ${outcome?.reason ?? 'unknown'}.`);
        }
        const human = `${outcome.events.join(', ')}: ${label}.\n`;
        printResult(io, options, { json: outcome, human });
      });
    });
  about(command, {
    summary: 'Label an event as fraud or legitimate.',
    details:
      'The label acts from its record in the log on: in features of fraud, and in backtests. Told again it changes nothing; another one replaces it.',
    examples: [
      ['ringfence label add fraud --event evt_1795256130_42 -w acme/production', 'by the id of the event'],
      ['ringfence label add legitimate --client ana --reference T-4711 -w acme', 'as the bank knows it'],
    ],
  });
}

/** What a file of labels came to. */
interface Imported {
  labelled: number;
  /** Lines that label nothing, with the reason; the first thousand. */
  readonly unknown: { readonly line: number; readonly reason: string }[];
  notLabelled: number;
}

/** Lines that are told together, and lines that are named in the result. */
const batchLines = 200;
const namedMax = 1_000;
const shownMax = 20;

function addImport(group: Command, { io, fail }: Shell): void {
  const command = onInstallation(onWorkspace(group.command('import')))
    .argument('<file>', 'CSV, packed by gzip or not')
    .option(...authorOption)
    .action(async (file: string, options: LabelOptions) => {
      await withInstallation(io, options, async (installation) => {
        const workspace = await findWorkspace(installation, options.workspace);
        const imported: Imported = { labelled: 0, unknown: [], notLabelled: 0 };
        const progress = new Progress(io, 'lines');
        const tell = async (lines: readonly LabelLine[]): Promise<void> => {
          const outcomes = await tellLabels(
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
                `${counted(imported.labelled, 'event')} were labelled; run it again to go on.`,
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
      });
    });
  about(command, {
    summary: 'Label events from a file.',
    details:
      'The first line names the columns: label, with event or with client and reference; note may stand beside them. Lines that label nothing are reported with their reason, and the others are taken all the same: a file can be imported again.',
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
  const head = `${counted(labelled, 'line')} of labels went into the log of ${workspace}.\n`;
  if (notLabelled === 0) return head;
  const rows = unknown.slice(0, shownMax).map(({ line, reason }) => [String(line), reason]);
  const more = notLabelled > shownMax ? `… and ${notLabelled - shownMax} more; --json names them.\n` : '';
  return `${head}${counted(notLabelled, 'line')} labelled nothing:\n${table(['LINE', 'WHY'], rows)}${more}`;
}

function addList(group: Command, { io }: Shell): void {
  const command = onInstallation(onWorkspace(group.command('list')))
    .option('--limit <count>', 'how many, at most 1000', '50')
    .action(async (options: LabelOptions & { readonly limit: string }) => {
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1 || limit > namedMax) throw new UsageError('--limit is from 1 to 1000.');
      await withInstallation(io, options, async (installation) => {
        const workspace = await findWorkspace(installation, options.workspace);
        const labels = await listLabels(installation, workspace, { limit });
        const human =
          labels.length === 0
            ? `${nameOfWorkspace(workspace)} has no labels.\n`
            : table(['EVENT', 'LABEL', 'WHEN', 'BY', 'NOTE'], labels.map(rowOf));
        printResult(io, options, { json: labels.map((label) => ({ ...label, event: eventId(label) })), human });
      });
    });
  about(command, {
    summary: 'List the labels of a workspace, the newest first.',
    details: 'Of one event the newest label counts. Notes of erased clients can’t be read any more.',
    examples: [['ringfence label list -w acme/production', '']],
  });
}

function rowOf(label: StoredLabel): readonly string[] {
  return [eventId(label), label.label, instant(label.labelledAtMs), label.author, label.note ?? ''];
}
