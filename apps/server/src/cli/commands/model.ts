import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { dayMs, parseIsoDate } from '@ringfence/contract';
import { settingBounds, trainingDefaults, type TrainingSettings } from '@ringfence/models';
import { parseDuration, writeModel } from '@ringfence/policy';
import type { Command } from 'commander';
import { TrainingCancelled, trainModel, type TrainedModelFile } from '../../backtest/training/train-model.ts';
import { readPolicyFolder } from '../../config/policy-folder.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { writeFailure } from '../../platform/observability/write-failure.ts';
import { about, onWorkspace } from '../about.ts';
import { type CliIo, exitCodes, UsageError, type WorkspaceOptions } from '../cli-io.ts';
import { withWorkspace } from '../open-installation.ts';
import { printResult } from '../print.ts';
import { printTraining } from '../print-training.ts';
import { Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';

interface TrainOptions extends WorkspaceOptions {
  readonly policy: string;
  readonly history?: string;
  readonly from?: string;
  readonly to?: string;
  readonly delay: string;
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
    .description('Models of a policy: train.')
    .summary('Train models of a policy.');
  addTrain(group, shell);
}

function addTrain(group: Command, { io, fail }: Shell): void {
  const command = onWorkspace(group.command('train'))
    .argument('<name>', 'a model that the policy declares under models:, with its inputs')
    .requiredOption('--policy <folder>', 'folder of YAML files; the artifact is written into it')
    .option('--history <name>', 'an imported history (default: the live log)')
    .option('--from <time>', 'train on events from this time on (default: once windows are full)')
    .option('--to <time>', 'use history before this time')
    .option('--delay <time>', 'how long it takes until fraud is known; newer events are not trained on', '7d')
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
        const trained = await trainWithProgress(io, (onProgress) =>
          trainModel(installation, workspace, { request, hooks: { onProgress } }),
        );
        if (trained === undefined) {
          fail(exitCodes.failed);
          io.complain('Stopped. Nothing was written.\n');
          return;
        }
        const artifact = `models/${name}.json`;
        const written = writeModel(files, name, { artifact, sha256: trained.sha256 });
        writeAll(folder, [
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
      'Decides every event of an imported history, or of the live log, again with the policy, on the production engine, takes the model’s inputs at each decision, and boosts decision trees on them. Four later weeks, each by a model that did not see it, say what the result is worth: how many frauds are found at which number of alerts. Writes models/NAME.json, its card, and its SHA-256 into the policy; nothing is sent or activated. The same history gives the same file on every machine. No row of the history is kept. Needs 200 known frauds.',
    examples: [
      ['ringfence model train cards --policy policies/next --history 2026 -w acme/production', 'on an imported year'],
      ['ringfence model train cards --policy policies/next --delay 30d --up amount', 'fraud is known after a month'],
    ],
    failure: 'refused, failed or stopped; nothing was written',
  });
}

type Choices = Omit<Parameters<typeof trainModel>[2]['request'], 'files' | 'model' | 'nowMs'>;

function choicesOf(options: TrainOptions): Choices {
  const { history, from, to, delay, share, halfLife, up, down } = options;
  return {
    history,
    fromMs: instantOf('--from', from),
    toMs: instantOf('--to', to),
    delayMs: spanOf('--delay', delay),
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

function spanOf(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 0 && ms <= 365 * dayMs) return ms;
  throw new UsageError(`${option}: expected a time of at most a year, such as 7d, found "${text}"`);
}

function instantOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const date = parseIsoDate(text);
  if (typeof date !== 'string') return date.localMs - (date.offsetMs ?? 0);
  throw new UsageError(`${option}: expected a date such as 2026-11-21, found "${text}"`);
}

/** @returns `undefined` if it was stopped */
async function trainWithProgress(
  io: CliIo,
  work: (onProgress: (phase: 'events' | 'trees', done: number, of: number) => boolean) => Promise<TrainedModelFile>,
): Promise<TrainedModelFile | undefined> {
  const lines = { events: new Progress(io, 'records'), trees: new Progress(io, 'trees') };
  try {
    return await work((phase, done, of) => {
      if (phase === 'trees') lines.events.clear();
      lines[phase].show(done, of);
      return !io.stop.aborted;
    });
  } catch (error) {
    if (error instanceof TrainingCancelled) return undefined;
    throw error;
  } finally {
    lines.events.clear();
    lines.trees.clear();
  }
}

/** The policy comes last: it names a file that is complete. */
function writeAll(folder: string, files: readonly { readonly path: string; readonly text: string }[]): void {
  for (const { path, text } of files) writeWhole(join(folder, path), text);
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

function writeWhole(target: string, text: string): void {
  try {
    if (!existsSync(dirname(target))) mkdirSync(dirname(target), { recursive: true });
    writeFileSync(`${target}.partial`, text, { mode: 0o600 });
    renameSync(`${target}.partial`, target);
  } catch (error) {
    const reason = writeFailure(error);
    if (reason === undefined) throw error;
    throw new OperatorError(`${target} cannot be written: ${reason}.`, 'Name a folder that this user may write to.');
  }
}
