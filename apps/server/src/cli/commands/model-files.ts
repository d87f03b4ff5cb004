import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dayMs } from '@ringfence/contract';
import { parseDuration } from '@ringfence/policy';
import type { Command } from 'commander';
import { TrainingCancelled } from '../../backtest/training/model-history.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { writeFailure } from '../../platform/observability/write-failure.ts';
import { type CliIo, UsageError } from '../cli-io.ts';
import { instantOf } from '../instant-option.ts';
import { Progress } from '../progress.ts';

/** The history that a model is trained on or scored by, as typed. */
export interface PeriodOptions {
  readonly history?: string;
  readonly from?: string;
  readonly to?: string;
  readonly delay: string;
}

export function historyOptions(command: Command): Command {
  return command
    .option('--history <name>', 'an imported history')
    .option('--from <time>', 'use events from this time on (default: once windows are full)')
    .option('--to <time>', 'use history before this time')
    .option('--delay <time>', 'how long it takes until fraud is known; newer events are not used', '7d');
}

/** @throws UsageError */
export function periodOptions({ history, from, to, delay }: PeriodOptions): {
  readonly history: string | undefined;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  readonly delayMs: number;
} {
  return {
    history,
    fromMs: instantOf('--from', from),
    toMs: instantOf('--to', to),
    delayMs: spanOf('--delay', delay),
  };
}

/** @throws UsageError */
export function spanOf(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 0 && ms <= 365 * dayMs) return ms;
  throw new UsageError(`${option}: expected a time of at most a year, such as 7d, found "${text}"`);
}

/** Shows how far a training is. @returns `undefined` if it was stopped */
export async function withProgress<Result>(
  io: CliIo,
  work: (onProgress: (phase: 'events' | 'trees', done: number, of: number) => boolean) => Promise<Result>,
): Promise<Result | undefined> {
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
export function writeFiles(folder: string, files: readonly { readonly path: string; readonly text: string }[]): void {
  for (const { path, text } of files) writeWhole(join(folder, path), text);
}

/** A reader of the file never sees a part of it. @throws OperatorError */
export function writeWhole(target: string, text: string): void {
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
