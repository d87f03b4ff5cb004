import { createReadStream } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { assert } from '@ringfence/contract';
import { type CalibrationBin, calibrationBins, calibrationError, joinedBins, type ModelCard } from '@ringfence/models';
import { endedChildrenMs } from '../measure/processor-time.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { foldEndDays, foldOf, testDays, validationDays } from './folds.ts';
import { historyName, type ImportedRows } from './import-rows.ts';
import { type Measures, measureFolds } from './measure-folds.ts';
import { daySeconds, firstDayEpochS, type Rows } from './rows.ts';

/** The bars of the model: chosen on validation, then measured once. */
const validationBar: Partial<Measures> = { averagePrecision: 0.76 };
const testBar: Partial<Measures> = { aucRoc: 0.885, averagePrecision: 0.75, cardPrecision: 0.31 };
const secondsMax = 240;

/** Of the predicted probability, in each bin; and of the alerts of the week after, once two weeks chose the threshold. */
const calibrationErrorMax = 0.2;
const budgetErrorMax = 0.15;
const weeksMin = 2;
/** A smaller bin says nothing. */
const binEventsMin = 100;

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
      ...calibrationBars(validation, print),
      ...budgetBars(validation.card, print),
      ...(test === undefined ? [] : barsOf('test', test.measures, testBar)),
    ],
  };
}

interface Trained {
  readonly seconds: number;
  readonly measures: Measures;
  readonly card: ModelCard;
  /** What was predicted for each event of the product's weeks, and whether it was fraud. */
  readonly predicted: { readonly scores: Float64Array; readonly labels: Uint8Array };
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
  const card = (await run(
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
  )) as ModelCard;
  const seconds = (performance.now() - begunMs) / 1_000;
  print(`${figure(seconds)} s, ${figure((endedChildrenMs() - usedMs) / 1_000)} s of processor time\n`);
  const folds = days.map((day) => foldOf(rows, day));
  const probability = await readProbabilities(rows, scores);
  const read = Uint32Array.from(probability.keys()).filter((row) => !Number.isNaN(probability[row]!));
  const predicted = {
    scores: Float64Array.from(read, (row) => probability[row]!),
    labels: Uint8Array.from(read, (row) => rows.fraud[row]!),
  };
  return { seconds, measures: measureFolds(folds, probability), card, predicted };
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

/** Each week by the calibration of the other weeks: no event was used for its own. */
function calibrationBars({ predicted }: Trained, print: (text: string) => void): readonly Bar[] {
  const bins = calibrationBins(predicted).filter(({ events }) => events >= binEventsMin);
  const isOff = (bin: CalibrationBin): boolean => calibrationError(bin) > calibrationErrorMax;
  // What chance alone explains: the interval of what was observed has what was predicted.
  const isBeyondChance = ({ interval, meanPredicted: p }: CalibrationBin): boolean =>
    p < interval.low || p > interval.high;
  const judged = (bin: CalibrationBin): string =>
    isOff(bin) ? (isBeyondChance(bin) ? 'no' : 'no, as by chance') : 'yes';
  print(`\n${table([['p', 'events', 'frauds', 'predicted', 'observed', '95 %', 'within 20 %'], ...bins.map(cells)])}`);
  function cells(bin: CalibrationBin): readonly string[] {
    const { from, to, events, meanPredicted, observed, interval } = bin;
    const share = (value: number): string => value.toFixed(5);
    const frauds = figure(Math.round(observed * events));
    const range = `${share(interval.low)} to ${share(interval.high)}`;
    return [`${from} to ${to}`, figure(events), frauds, share(meanPredicted), share(observed), range, judged(bin)];
  }
  const joined = joinedBins(calibrationBins(predicted));
  return [
    {
      what: `${joined.length} bins of 100 events and 20 predicted frauds: largest error of a probability`,
      measured: Math.max(...joined.map(calibrationError)),
      bar: calibrationErrorMax,
      must: 'stay below',
      unit: '',
    },
    {
      what: `${bins.length} bins of 100 events: off by more than 20 %, beyond chance`,
      measured: bins.filter((bin) => isOff(bin) && isBeyondChance(bin)).length,
      bar: 0,
      must: 'stay below',
      unit: '',
    },
  ];
}

/** Thresholds that the weeks before chose, in the week after. */
function budgetBars({ folds }: ModelCard, print: (text: string) => void): readonly Bar[] {
  const shown = [['week from', 'chosen by', 'alerts a day, at most', 'predicted', 'found']];
  folds.forEach(({ testFromMs, budgets }, week) => {
    for (const { alertsADay, predicted, found } of budgets)
      shown.push([
        new Date(testFromMs).toISOString().slice(0, 10),
        week === 1 ? '1 week' : `${week} weeks`,
        String(alertsADay),
        predicted.toFixed(1),
        found.toFixed(1),
      ]);
  });
  print(`\n${table(shown)}\n`);
  const errors = folds
    .slice(weeksMin)
    .flatMap(({ budgets }) => budgets.map(({ alertsADay, found }) => Math.abs(found / alertsADay - 1)));
  return [
    {
      what: `alerts of the week after ${weeksMin} weeks and more: largest difference from the budget`,
      measured: Math.max(...errors),
      bar: budgetErrorMax,
      must: 'stay below',
      unit: '',
    },
  ];
}
