import { resolve } from 'node:path';
import { settingBounds, trainingDefaults, type TrainingSettings } from '@ringfence/models';
import { writeModel } from '@ringfence/policy';
import type { Command } from 'commander';
import { trainModel, type TrainedModelFile, type TrainingRequest } from '../../backtest/training/train-model.ts';
import { readPolicyFolder } from '../../config/policy-folder.ts';
import { about, onWorkspace } from '../about.ts';
import { exitCodes, UsageError, type WorkspaceOptions } from '../cli-io.ts';
import {
  historyOptions,
  periodOptions,
  type PeriodOptions,
  spanOf,
  withProgress,
  writeFiles,
  writeWhole,
} from './model-files.ts';
import { addModelImport } from './model-import.ts';
import { addModelInputs } from './model-inputs.ts';
import { withWorkspace } from '../open-installation.ts';
import { printResult } from '../print.ts';
import { printTraining } from '../print-training.ts';
import type { Shell } from '../shell.ts';

interface TrainOptions extends WorkspaceOptions, PeriodOptions {
  readonly policy: string;
  readonly trees: string;
  readonly leaves: string;
  readonly rate: string;
  readonly share?: string;
  readonly halfLife?: string;
  readonly up?: string;
  readonly down?: string;
  readonly scores?: string;
}

export function addModelCommands(shell: Shell): void {
  const group = shell.program
    .command('model')
    .description('Models of a policy: train, import, write their inputs.')
    .summary('Train or import models of a policy.');
  addTrain(group, shell);
  addModelImport(group, shell);
  addModelInputs(group, shell);
}

function addTrain(group: Command, { io, fail }: Shell): void {
  const command = historyOptions(
    onWorkspace(group.command('train'))
      .argument('<name>', 'a model that the policy declares under models:, with its inputs')
      .requiredOption('--policy <folder>', 'folder of YAML files; the artifact is written into it'),
  )
    .option('--trees <number>', 'trees', String(trainingDefaults.trees))
    .option('--leaves <number>', 'leaves of a tree, at most', String(trainingDefaults.leaves))
    .option('--rate <number>', 'what part of its correction each tree makes', String(trainingDefaults.rate))
    .option('--share <number>', 'share of the legitimate events to train on (default: at most some 400,000)')
    .option('--half-life <time>', 'an event of this age weighs half (default: all weigh the same)')
    .option('--up <inputs>', 'inputs of which more may only raise the probability: amount,payeeRun')
    .option('--down <inputs>', 'inputs of which more may only lower it')
    .option('--scores <file>', 'also write the validation events with their probabilities to a CSV file')
    .action((name: string, options: TrainOptions) =>
      withWorkspace(io, options, async (installation, workspace) => {
        const folder = resolve(io.folder, options.policy);
        const files = readPolicyFolder(folder);
        const request = { files, model: name, nowMs: io.now(), ...choicesOf(options) };
        const trained = await withProgress(io, (onProgress) =>
          trainModel(installation, workspace, { request, hooks: { onProgress } }),
        );
        if (trained === undefined) {
          fail(exitCodes.failed);
          io.complain('Stopped. Nothing was written.\n');
          return;
        }
        const artifact = `models/${name}.json`;
        const written = writeModel(files, name, { artifact, sha256: trained.sha256 });
        writeFiles(folder, [
          { path: artifact, text: trained.text },
          { path: `models/${name}.card.json`, text: `${JSON.stringify(trained.card, undefined, 2)}\n` },
          ...(written === undefined ? [] : [written]),
        ]);
        if (options.scores !== undefined) writeScores(resolve(io.folder, options.scores), trained);
        const { card } = trained;
        printResult(io, options, { json: card, human: printTraining(trained, { folder: options.policy, artifact }) });
      }),
    );
  about(command, {
    summary: 'Train a model of a policy on history.',
    details:
      'Decides every event of an imported history, or of the live log, again with the policy, on the production engine, takes the model’s inputs at each decision, and boosts decision trees on them. Four later weeks, each by a model that did not see it, say what the result is worth: how many frauds are found at which number of alerts. The probabilities are calibrated by these weeks. Writes models/NAME.json, its card, and its SHA-256 into the policy; nothing is sent or activated. The same history gives the same file on every machine. No row of the history is kept. Needs 200 known frauds.',
    examples: [
      ['ringfence model train cards --policy policies/next --history 2026 -w acme/production', 'on an imported year'],
      ['ringfence model train cards --policy policies/next --delay 30d --up amount', 'fraud is known after a month'],
    ],
    failure: 'refused, failed or stopped; nothing was written',
  });
}

type Choices = Omit<TrainingRequest, 'files' | 'model' | 'nowMs'>;

function choicesOf(options: TrainOptions): Choices {
  const { share, halfLife, up, down } = options;
  return {
    ...periodOptions(options),
    legitimateShare: share === undefined ? undefined : numberOf('--share', share, [0.0001, 1]),
    halfLifeMs: halfLife === undefined ? undefined : spanOf('--half-life', halfLife),
    settings: settingsOf(options),
    monotone: new Map([
      ...namesOf(up).map((name) => [name, 1] as const),
      ...namesOf(down).map((name) => [name, -1] as const),
    ]),
  };
}

function settingsOf({ trees, leaves, rate }: TrainOptions): Partial<TrainingSettings> {
  return {
    trees: Math.trunc(numberOf('--trees', trees, settingBounds.trees)),
    leaves: Math.trunc(numberOf('--leaves', leaves, settingBounds.leaves)),
    rate: numberOf('--rate', rate, settingBounds.rate),
  };
}

function namesOf(list: string | undefined): readonly string[] {
  return (list ?? '').split(',').flatMap((name) => name.trim() || []);
}

function numberOf(option: string, text: string, [min, max]: readonly [number, number]): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= min && value <= max) return value;
  throw new UsageError(`${option}: expected a number from ${min} to ${max}, found "${text}"`);
}

/** Of the validation weeks, each by the model that did not see it. */
function writeScores(path: string, { tests }: TrainedModelFile): void {
  const lines = tests.flatMap(({ offsets, atMs, labels, probabilities }) =>
    Array.from(
      offsets,
      (offset, row) =>
        `${offset},${new Date(atMs[row]!).toISOString()},${labels[row] === 1 ? 'fraud' : 'legitimate'},${probabilities[row]}\n`,
    ),
  );
  writeWhole(path, `offset,at,label,p\n${lines.join('')}`);
}
