import { resolve } from 'node:path';
import type { Command } from 'commander';
import { EventFile } from '../../backtest/event-file.ts';
import { historyOf, stepThrough } from '../../backtest/training/model-history.ts';
import type { TrainingEvent } from '../../backtest/training/training-event.ts';
import { readPolicyFolder } from '../../config/policy-folder.ts';
import { about, onWorkspace } from '../about.ts';
import { exitCodes, type WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { counted, printResult } from '../print.ts';
import type { Shell } from '../shell.ts';
import { historyOptions, periodOptions, type PeriodOptions, withProgress } from './model-files.ts';

interface InputsOptions extends WorkspaceOptions, PeriodOptions {
  readonly policy: string;
}

/** About a megabyte. */
const linesAtOnce = 10_000;

export function addModelInputs(group: Command, { io, fail }: Shell): void {
  const command = historyOptions(
    onWorkspace(group.command('inputs'))
      .argument('<name>', 'a model that the policy declares under models:, with its inputs')
      .argument('<file>', 'CSV file to write; replaced once it is complete')
      .requiredOption('--policy <folder>', 'folder of YAML files; it is only read'),
  ).action((name: string, path: string, options: InputsOptions) =>
    withWorkspace(io, options, async (installation, workspace) => {
      const files = readPolicyFolder(resolve(io.folder, options.policy));
      const request = { files, model: name, nowMs: io.now(), ...periodOptions(options) };
      const history = await historyOf(installation, workspace, request);
      const columns = history.steps.model.inputs.map((input) => input.name);
      const file = new EventFile(resolve(io.folder, path), ['offset', 'at', 'label', ...columns]);
      try {
        const done = await withProgress(io, async (onProgress) => {
          const lines: string[] = [];
          await stepThrough(history, { onProgress }, (event) => {
            lines.push(lineOf(event));
            if (lines.length === linesAtOnce) file.add(lines.splice(0));
          });
          file.add(lines);
          return true;
        });
        if (done === undefined) {
          fail(exitCodes.failed);
          io.complain('Stopped. Nothing was written.\n');
          return;
        }
        const written = file.finish();
        const human = `Inputs of ${counted(written.lines, 'event')}: ${written.file}\nSHA-256 of the file: ${written.sha256}\n`;
        printResult(io, options, { json: written, human });
      } finally {
        file.discard();
      }
    }),
  );
  about(command, {
    summary: 'Write what a model reads of each event to a CSV file, to train it elsewhere.',
    details:
      'Decides every event of an imported history, or of the live log, again with the policy, on the production engine, and writes the model’s inputs at each decision: offset, at, label, and a column for each input. A missing input is an empty cell; a category is the position of its text. The model needs no artifact. Train elsewhere on the columns, then take the result with ringfence model import. The file names no client, but has a line for each event; keep it as you keep personal data.',
    examples: [
      [
        'ringfence model inputs cards inputs.csv --policy policies/next --history 2026',
        'for XGBoost, LightGBM or scikit-learn',
      ],
    ],
    failure: 'refused, failed or stopped; nothing was written',
  });
}

/** No cell needs quotes. */
function lineOf({ offset, atMs, isFraud, values }: TrainingEvent): string {
  const cells = Array.from(values, (value) => (Number.isNaN(value) ? '' : String(value)));
  return `${offset},${new Date(atMs).toISOString()},${isFraud ? 'fraud' : 'legitimate'},${cells.join(',')}\n`;
}
