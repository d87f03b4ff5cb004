import type { Fold } from './folds.ts';
import { assert } from '@ringfence/contract';
import { areaUnderRoc, averagePrecision, cardPrecision, rank } from '@ringfence/models';

/** The three measures of the handbook. */
export interface Measures {
  readonly aucRoc: number;
  readonly averagePrecision: number;
  /** Of the hundred customers with the highest scores of each day. */
  readonly cardPrecision: number;
}

/** Customers that are checked each day. */
const top = 100;

/** The mean over the folds. @param score one for each row of the handbook */
export function measureFolds(folds: readonly Fold[], score: Float64Array): Measures {
  return meanOf(folds.map((fold) => measureFold(fold, score)));
}

function measureFold({ row, fraud: labels, customer: clients, day: days }: Fold, score: Float64Array): Measures {
  const scores = Float64Array.from(row, (at) => score[at]!);
  const ranking = rank({ scores, labels });
  const area = areaUnderRoc(ranking);
  const precision = averagePrecision(ranking);
  const cards = cardPrecision({ scores, labels, clients, days }, top);
  assert(area !== undefined && precision !== undefined && cards !== undefined, 'a fold has fraud, and something else');
  return { aucRoc: area, averagePrecision: precision, cardPrecision: cards.mean };
}

export function meanOf(measured: readonly Measures[]): Measures {
  return eachMeasure((name) => measured.reduce((sum, one) => sum + one[name], 0) / measured.length);
}

/** The standard deviation of one measurement, estimated from some. */
export function deviationOf(measured: readonly Measures[]): Measures {
  const mean = meanOf(measured);
  return eachMeasure((name) =>
    Math.sqrt(measured.reduce((sum, one) => sum + (one[name] - mean[name]) ** 2, 0) / (measured.length - 1)),
  );
}

function eachMeasure(of: (name: keyof Measures) => number): Measures {
  return {
    aucRoc: of('aucRoc'),
    averagePrecision: of('averagePrecision'),
    cardPrecision: of('cardPrecision'),
  };
}
