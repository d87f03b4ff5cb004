import { createReadStream } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { assert } from '@ringfence/contract';
import { endedChildrenMs } from '../measure/processor-time.ts';
import type { Bar } from '../report/bars.ts';
import { figure } from '../report/table.ts';
import { foldEndDays, foldOf, testDays, validationDays } from './folds.ts';
import { historyName, type ImportedRows } from './import-rows.ts';
import { type Measures, measureFolds } from './measure-folds.ts';
import { daySeconds, firstDayEpochS, type Rows } from './rows.ts';

/** The bars of the model: chosen on validation, then measured once. */
const validationBar: Partial<Measures> = { averagePrecision: 0.76 };
const testBar: Partial<Measures> = { aucRoc: 0.885, averagePrecision: 0.75, cardPrecision: 0.31 };
const secondsMax = 240;

const policy = fileURLToPath(new URL('../../policies/handbook-model', import.meta.url));
/** The windows of the features are not full before. */
const firstTrainedDay = 40;
const delayDays = 7;
/** More of these never makes a payment less suspicious. */
const up = 'amount,overMedian,overAverage,largestOverMedian,payeeRun';

export interface TrainedQuality {
  readonly validation: Measures;
  /** `undefined` unless asked for. */
  readonly test: Measures | undefined;
  readonly bars: readonly Bar[];
}

/**
 * Trains a model with the product's own command. Its validation weeks are the folds: for each of them a model that was
 * trained on what was known a week before.
 *
 * @param isTested whether the test folds are measured too: once for each final configuration
 */
export async function trainedQuality(
  rows: Rows,
  imported: ImportedRows,
  { isTested, print }: { readonly isTested: boolean; readonly print: (text: string) => void },
): Promise<TrainedQuality> {
  const validation = await train(rows, imported, { days: validationDays, print });
  const test = isTested ? await train(rows, imported, { days: testDays, print }) : undefined;
  return {
    validation: validation.measures,
    test: test?.measures,
    bars: [
      {
        what: 'training, with four folds',
        measured: validation.seconds,
        bar: secondsMax,
        must: 'stay below',
        unit: 's',
      },
      ...barsOf('validation', validation.measures, validationBar),
      ...(test === undefined ? [] : barsOf('test', test.measures, testBar)),
    ],
  };
}

interface Trained {
  readonly seconds: number;
  readonly measures: Measures;
}

async function train(
  rows: Rows,
  { run, folder }: ImportedRows,
  { days, print }: { readonly days: readonly number[]; readonly print: (text: string) => void },
): Promise<Trained> {
  const last = Math.max(...days);
  const [own, scores] = [join(folder, `policy-${last}`), join(folder, `folds-${last}.csv`)];
  await cp(policy, own, { recursive: true });
  print(`training, folds ${days.join(', ')}: `);
  const [begunMs, usedMs] = [performance.now(), endedChildrenMs()];
  const period = ['--from', dateOf(firstTrainedDay), '--to', dateOf(last + foldEndDays + delayDays)];
  await run(
    'model',
    'train',
    'cards',
    '--policy',
    own,
    '--history',
    historyName,
    ...period,
    '--up',
    up,
    '--scores',
    scores,
  );
  const seconds = (performance.now() - begunMs) / 1_000;
  print(`${figure(seconds)} s, ${figure((endedChildrenMs() - usedMs) / 1_000)} s of processor time\n`);
  const folds = days.map((day) => foldOf(rows, day));
  return { seconds, measures: measureFolds(folds, await readProbabilities(rows, scores)) };
}

/** Midnight UTC of a day of the handbook. */
function dateOf(day: number): string {
  return new Date((firstDayEpochS + day * daySeconds) * 1_000).toISOString().slice(0, 10);
}

/** By row; NaN for rows outside the folds. The history numbers its events in order of time, as the rows are. */
async function readProbabilities(rows: Rows, path: string): Promise<Float64Array> {
  const probability = new Float64Array(rows.count).fill(Number.NaN);
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of lines) {
    const [offset, at, label, p] = line.split(',');
    if (offset === 'offset') continue;
    const row = Number(offset);
    assert(Date.parse(at!) === rows.epochS[row]! * 1_000, 'an event has the time of its row');
    assert((label === 'fraud') === (rows.fraud[row] === 1), 'an event has the label of its row');
    probability[row] = Number(p);
  }
  return probability;
}

function barsOf(where: string, measures: Measures, bars: Partial<Measures>): readonly Bar[] {
  return (Object.entries(bars) as [keyof Measures, number][]).map(([name, bar]) => ({
    what: `${where} ${name}`,
    measured: measures[name],
    bar,
    must: 'reach',
    unit: '',
  }));
}
