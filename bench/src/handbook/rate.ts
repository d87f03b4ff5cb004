import type { Bar } from '../report/bars.ts';
import { ceilingScores, signalOf } from './ceiling.ts';
import { type Fold, foldOf, testDays, validationDays } from './folds.ts';
import { deviationOf, meanOf, type Measures, measureFolds } from './measure-folds.ts';
import type { Rows } from './rows.ts';
import type { TrainedQuality } from './train-model.ts';

export interface RatingOptions {
  readonly seed: number;
  /** Whether the policy is measured on the test folds too: once for each final policy, never to choose one. */
  readonly test: boolean;
}

/** Scores of the ceiling are drawn this often: the mean of a measure then varies by 0.0002, and of the AUC by 0.0008. */
const draws = 20;

/** The best published values, each by another model. Source: the handbook, chapter 7 */
const published: Measures = { aucRoc: 0.879, averagePrecision: 0.694, cardPrecision: 0.305 };

/**
 * The ceiling of the test folds as it was first computed, from one draw, with other code. Its mean AUC is 0.8866: each of
 * the frauds without a signal counts as half.
 */
const recorded: Measures = { aucRoc: 0.8902, averagePrecision: 0.7799, cardPrecision: 0.3126 };
const recordedFrauds = { all: 1_602, withoutSignal: 364 };
/** How far the ceiling may be from what was recorded. */
const differenceMax = 0.001;
/** A single draw is this many standard deviations from the mean, in one of twenty cases. */
const deviationsMax = 2;

/** The table of all rows that are compared, and the bars of the ceiling. */
export function ratings(
  rows: Rows,
  score: Float64Array,
  {
    options: { seed, test },
    model,
  }: { readonly options: RatingOptions; readonly model: Pick<TrainedQuality, 'validation' | 'test'> | undefined },
): { readonly shown: readonly (readonly string[])[]; readonly bars: readonly Bar[] } {
  const validation = validationDays.map((day) => foldOf(rows, day));
  const tested = testDays.map((day) => foldOf(rows, day));
  const ceilings = Array.from({ length: draws }, (_, draw) => {
    const drawn = ceilingScores(rows, seed + draw);
    return { validation: measureFolds(validation, drawn), test: measureFolds(tested, drawn) };
  });
  const onValidation = ceilings.map((one) => one.validation);
  const onTest = ceilings.map((one) => one.test);
  const shown = [
    ['AUC ROC / average precision / card precision 100', 'validation', 'test'],
    ['published best, each by another model', '', printed(published)],
    ['this policy', printed(measureFolds(validation, score)), test ? printed(measureFolds(tested, score)) : '(--test)'],
    ...(model === undefined ? [] : [modelRow(model)]),
    [`ceiling, mean of ${draws} draws`, printed(meanOf(onValidation)), printed(meanOf(onTest))],
    ['  standard deviation of one draw', printed(deviationOf(onValidation)), printed(deviationOf(onTest))],
    ['  as first recorded, one draw', '', printed(recorded)],
  ];
  return { shown, bars: [...signalBars(rows, tested), ...ceilingBars(onTest)] };
}

function modelRow({ validation, test }: Pick<TrainedQuality, 'validation' | 'test'>): readonly string[] {
  return ['model, trained by the product', printed(validation), test === undefined ? '(--test)' : printed(test)];
}

function printed({ aucRoc, averagePrecision, cardPrecision }: Measures): string {
  return [aucRoc, averagePrecision, cardPrecision].map((value) => value.toFixed(4)).join(' / ');
}

function signalBars(rows: Rows, folds: readonly Fold[]): readonly Bar[] {
  const signal = signalOf(rows);
  const frauds = folds.flatMap(({ row }) => Array.from(row).filter((at) => rows.fraud[at] === 1));
  const withoutSignal = frauds.filter((at) => signal[at] === 0).length;
  return [
    exact(`test frauds: difference from ${recordedFrauds.all}`, frauds.length - recordedFrauds.all),
    exact(
      `test frauds without a signal: difference from ${recordedFrauds.withoutSignal}`,
      withoutSignal - recordedFrauds.withoutSignal,
    ),
  ];
}

function exact(what: string, difference: number): Bar {
  return { what, measured: Math.abs(difference), bar: 0, must: 'stay below', unit: '' };
}

function ceilingBars(drawn: readonly Measures[]): readonly Bar[] {
  const [mean, deviation] = [meanOf(drawn), deviationOf(drawn)];
  const close = (what: string, name: keyof Measures): Bar => ({
    what: `ceiling, ${what}: difference from ${recorded[name]}`,
    measured: Math.abs(mean[name] - recorded[name]),
    bar: differenceMax,
    must: 'stay below',
    unit: '',
  });
  return [
    close('average precision', 'averagePrecision'),
    close('card precision', 'cardPrecision'),
    {
      what: `ceiling, AUC: difference from ${recorded.aucRoc}, one draw, in standard deviations of a draw`,
      measured: Math.abs(mean.aucRoc - recorded.aucRoc) / deviation.aucRoc,
      bar: deviationsMax,
      must: 'stay below',
      unit: '',
    },
  ];
}
