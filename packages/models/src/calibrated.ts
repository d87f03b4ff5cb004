import type { Calibration, ModelArtifact } from './artifact.ts';
import { exponential, probabilityOf } from './logistic.ts';
import { naturalLog } from './measures/natural-log.ts';

/** The probability of fraud for the log-odds of a model's trees. A greater margin never gives a smaller one. */
export function calibratedProbability({ calibration }: Pick<ModelArtifact, 'calibration'>, margin: number): number {
  return probabilityOf(calibration === undefined ? margin : calibrated(calibration, margin));
}

/** Calibrated log-odds, by sums and products in a fixed order: the same bits on every machine. */
export function calibrated({ lowSlope, highSlope, shift }: Calibration, margin: number): number {
  const [low, high] = logTerms(margin);
  return shift + lowSlope * low + highSlope * high;
}

/** ln p and -ln(1 - p) of log-odds, which add up to them. */
export function logTerms(margin: number): readonly [low: number, high: number] {
  const rest = naturalLog(1 + exponential(margin < 0 ? margin : -margin));
  return margin < 0 ? [margin - rest, rest] : [-rest, margin + rest];
}
