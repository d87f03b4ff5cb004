import type { Fold } from './folds.ts';
import { cardPrecision } from './measures/card-precision.ts';
import { aucRoc, averagePrecision } from './measures/ranking.ts';

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
  const measured = folds.map(({ row, ...fold }) => {
    const scored = { ...fold, score: Float64Array.from(row, (at) => score[at]!) };
    return {
      aucRoc: aucRoc(scored),
      averagePrecision: averagePrecision(scored),
      cardPrecision: cardPrecision(scored, top),
    };
  });
  return meanOf(measured);
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
