import { assert } from '@ringfence/contract';
import type { ModelInput, PopulationBins } from '../artifact.ts';
import { calibrationBins, type CalibrationBin } from '../measures/calibration.ts';
import { areaUnderRoc, averagePrecision } from '../measures/discrimination.ts';
import { rank, type ScoredEvents } from '../measures/ranking.ts';
import { inputPopulation, populationBins } from '../measures/stability.ts';
import type { Monotone } from './bins.ts';
import type { Sampling } from './sampling.ts';
import type { TrainingSettings } from './settings.ts';
import type { TimeFold } from './split.ts';
import type { BudgetCheck } from './validation.ts';

export const modelCardFormat = 'ringfence-model-card/1';

/**
 * What is worth knowing of a trained model, as one JSON document. It holds counts, measures and quantiles: no row of the
 * training data, and nothing of a person.
 */
export interface ModelCard {
  readonly format: typeof modelCardFormat;
  readonly name: string;
  /** Of the artifact's file. */
  readonly sha256: string;
  readonly data: DataRange;
  readonly labels: RowCounts;
  readonly settings: TrainingSettings & Sampling;
  /** In the order of the artifact. */
  readonly inputs: readonly InputCard[];
  /** Models of the same settings, each measured by a later time than it was trained on. The oldest comes first. */
  readonly folds: readonly FoldCard[];
  /** Of all folds together: what was predicted for an event, calibrated by the other folds, beside what happened. */
  readonly calibration: readonly CalibrationBin[];
  /** Log-odds of all folds. */
  readonly margins: PopulationBins;
}

/** What was seen, and what of it was trained on. */
export interface RowCounts {
  readonly frauds: number;
  readonly legitimate: number;
  readonly keptLegitimate: number;
}

export interface DataRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** After it an event without a label counted as legitimate. */
  readonly delayMs: number;
}

export interface InputCard extends ModelInput {
  readonly monotone: Monotone;
  /** Its part of everything by which the splits lowered the loss; all add up to 1. */
  readonly importance: number;
  /** What it was trained on; the artifact has the same. */
  readonly population: PopulationBins;
}

export interface FoldCard extends TimeFold, FoldMeasures {
  /** Thresholds that the folds before chose for a number of alerts a day, and how many they then were. */
  readonly budgets: readonly BudgetCheck[];
}

export interface FoldMeasures {
  /** By weight. */
  readonly events: number;
  readonly frauds: number;
  readonly meanPredicted: number;
  /** Absent if the test had no fraud, or nothing else. */
  readonly areaUnderRoc?: number;
  readonly averagePrecision?: number;
  readonly calibration: readonly CalibrationBin[];
}

/** What a training knows in the end. The hash is computed by who writes the file. */
export interface CardContent extends Omit<ModelCard, 'format' | 'inputs' | 'margins'> {
  readonly inputs: readonly (ModelInput & { readonly monotone?: Monotone; readonly column: Float64Array })[];
  /** Of the rows of the columns. Absent: each row weighs 1. */
  readonly weights?: Float64Array;
  /** By input. */
  readonly gains: readonly number[];
  readonly foldMargins: Float64Array;
}

export function modelCard({ inputs, weights, gains, foldMargins, ...known }: CardContent): ModelCard {
  assert(gains.length === inputs.length, 'each input has a gain');
  const allGains = gains.reduce((sum, gain) => sum + gain, 0);
  const { name, sha256, data, labels, settings, folds, calibration } = known;
  return {
    format: modelCardFormat,
    name,
    sha256,
    data,
    labels,
    settings,
    inputs: inputs.map(({ column, ...input }, at) => ({
      ...input,
      monotone: input.monotone ?? 0,
      importance: allGains === 0 ? 0 : gains[at]! / allGains,
      population: inputPopulation(column, input.texts, weights),
    })),
    folds,
    calibration,
    margins: populationBins(foldMargins),
  };
}

/** What a fold's model is worth on its test, from the probabilities that it gives. */
export function foldMeasures(events: ScoredEvents): FoldMeasures {
  const ranking = rank(events);
  const [auc, precision] = [areaUnderRoc(ranking), averagePrecision(ranking)];
  const frauds = ranking.frauds.at(-1) ?? 0;
  const all = frauds + (ranking.legitimate.at(-1) ?? 0);
  const predicted = events.scores.reduce((sum, score, row) => sum + score * (events.weights?.[row] ?? 1), 0);
  return {
    events: all,
    frauds,
    meanPredicted: all === 0 ? 0 : predicted / all,
    ...(auc === undefined ? {} : { areaUnderRoc: auc }),
    ...(precision === undefined ? {} : { averagePrecision: precision }),
    calibration: calibrationBins(events),
  };
}
