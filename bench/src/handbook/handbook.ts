import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert } from '@ringfence/contract';
import { endedChildrenMs } from '../measure/processor-time.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { checkFeatures } from './check-features.ts';
import { historyName, type ImportedRows, withImportedRows } from './import-rows.ts';
import { hasFolds } from './folds.ts';
import { readRows } from './read-rows.ts';
import { hashOf, readScores } from './read-scores.ts';
import { ratings, type RatingOptions } from './rate.ts';
import type { Rows } from './rows.ts';
import { type TrainedQuality, trainedQuality } from './train-model.ts';

export interface HandbookOptions extends RatingOptions {
  readonly rounds: number;
  /** Whether a model is trained, and measured by the same folds. */
  readonly train: boolean;
  /** Whether every value of the features is compared with one that is computed by hand, instead of everything else. */
  readonly check: boolean;
}

/** The bar: what writing scores may cost. */
const slowdownMax = 1.3;

const policy = fileURLToPath(new URL('../../policies/handbook', import.meta.url));

/**
 * How well scores find fraud, by the protocol of the Fraud Detection Handbook: imports its card operations, backtests a
 * policy with and without `--scores` in turns, and measures the scores on the folds, beside the best published values
 * and beside the best that is possible.
 */
export async function handbook(options: HandbookOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const rows = readRows(options.seed);
  if (options.check) return withImportedRows(rows, print, (imported) => checkFeatures(rows, imported, print));
  const { bars, score, model } = await withImportedRows(rows, print, async (imported) => {
    const turns = await runInTurns(imported, options.rounds, print);
    const hashes = await Promise.all(turns.files.map(hashOf));
    print(`SHA-256 of the scores: ${hashes[0]}\n`);
    const model =
      options.train && hasFolds(rows)
        ? await trainedQuality(rows, imported, { isTested: options.test, print })
        : undefined;
    return { bars: costBars(turns, hashes), score: await readScores(rows, turns.files[0]!), model };
  });
  return [...bars, ...quality(rows, score, { options, model, print }), ...(model?.bars ?? [])];
}

/** What a command took. */
interface Took {
  readonly seconds: number;
  /** Of processor time of all its threads. */
  readonly processorSeconds: number;
}

interface Turns {
  readonly without: readonly Took[];
  readonly with: readonly Took[];
  /** One of each turn with scores. */
  readonly files: readonly string[];
}

async function runInTurns(
  { run, folder }: ImportedRows,
  rounds: number,
  print: (text: string) => void,
): Promise<Turns> {
  const backtest = async (what: string, ...more: readonly string[]): Promise<Took> => {
    print(`backtest ${what} scores: `);
    const [begunMs, usedMs] = [performance.now(), endedChildrenMs()];
    await run('backtest', '--policy', policy, '--history', historyName, '--against', 'nothing', ...more);
    const seconds = (performance.now() - begunMs) / 1_000;
    const processorSeconds = (endedChildrenMs() - usedMs) / 1_000;
    print(`${figure(seconds)} s, ${figure(processorSeconds)} s of processor time\n`);
    return { seconds, processorSeconds };
  };
  const turns = { without: [] as Took[], with: [] as Took[], files: [] as string[] };
  for (let round = 0; round < rounds; round++) {
    const file = join(folder, `scores-${round}.csv`);
    turns.without.push(await backtest('without'));
    turns.with.push(await backtest('with', '--scores', file));
    turns.files.push(file);
  }
  return turns;
}

function costBars(turns: Turns, hashes: readonly string[]): readonly Bar[] {
  assert(hashes.length > 1, 'two files are compared');
  const relative = (what: string, of: (took: Took) => number): Bar => ({
    what: `${what} of a backtest with scores, relative to one without`,
    measured: Math.min(...turns.with.map(of)) / Math.min(...turns.without.map(of)),
    bar: slowdownMax,
    must: 'stay below',
    unit: '',
  });
  return [
    relative('time', ({ seconds }) => seconds),
    relative('processor time', ({ processorSeconds }) => processorSeconds),
    {
      what: 'every file of scores: the same SHA-256',
      measured: new Set(hashes).size === 1 ? 1 : 0,
      bar: 1,
      must: 'reach',
      unit: '',
    },
  ];
}

function quality(
  rows: Rows,
  score: Float64Array,
  {
    options,
    model,
    print,
  }: {
    readonly options: RatingOptions;
    readonly model: TrainedQuality | undefined;
    readonly print: (text: string) => void;
  },
): readonly Bar[] {
  if (!hasFolds(rows)) {
    print('The folds need the file of the handbook (RINGFENCE_HANDBOOK).\n');
    return [];
  }
  print('\nmeasuring the folds\n');
  const { shown, bars } = ratings(rows, score, { options, model });
  print(`\n${table(shown)}\n`);
  return bars;
}
