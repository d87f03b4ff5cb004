import {
  areaUnderRoc,
  averagePrecision,
  calibratedProbability,
  calibrationBins,
  type CalibrationBin,
  type CheckedWeek,
  choiceFrom,
  type CostPoint,
  costCurve,
  rank,
  type Ranking,
  scoreOf,
  type ModelArtifact,
  type ThresholdChoice,
  thresholdForAlerts,
  thresholdForLegitimate,
  type Validation,
} from '@ringfence/models';
import type { ScoredRows } from './training-set.ts';

/** What a model is worth, by events that it was not trained on. Thresholds are log-odds, scores 0 to 1000. */
export interface ModelReport extends Discrimination {
  /** Days of these events. */
  readonly days: number;
  /** Points of the ROC, of the precision-recall and of the cost curve, from the highest threshold to the lowest. */
  readonly curve: readonly (Threshold & CostPoint)[];
  /** The currency of the frauds' amounts in the curve: that with the most fraud. Absent without amounts. */
  readonly currency?: string;
  readonly calibration: readonly CalibrationBin[];
  /** What each number of alerts a day needs; those that are reached. An alert is a client on a day. */
  readonly byAlerts: readonly (Threshold & ThresholdChoice & { readonly atMost: number })[];
  /** The same for one legitimate event in each number. */
  readonly byLegitimate: readonly (Threshold & ThresholdChoice & { readonly oneIn: number })[];
  readonly segments: readonly Segment[];
}

export interface Discrimination {
  readonly events: number;
  readonly frauds: number;
  /** Absent without fraud, or with nothing else. */
  readonly areaUnderRoc?: number;
  readonly averagePrecision?: number;
}

export interface Threshold {
  readonly p: number;
  /** Absent for a model without a table of scores. */
  readonly score?: number;
}

/** Events of one kind, such as those of a channel. */
export interface Segment extends Discrimination {
  readonly by: SegmentKind;
  /** The channel's number, the currency, `new` or `known`, the upper end of the band of amounts. */
  readonly name: string;
  readonly meanPredicted: number;
  /** Share of fraud. */
  readonly observed: number;
}

export const segmentKinds = ['channel', 'amount', 'client', 'currency'] as const;
export type SegmentKind = (typeof segmentKinds)[number];

const pointsMax = 120;
const alertsADay = [1, 2, 5, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500, 1_000, 2_000, 5_000, 10_000];
const oneInOf = [50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];
/** The largest; the rest would be noise. */
const segmentsMax = 12;

/** Events of all weeks, as the final model sees them. */
interface ReportedRows {
  /** Log-odds. */
  readonly scores: Float64Array;
  readonly labels: Uint8Array;
  readonly probabilities: Float64Array;
  readonly traits: ScoredRows['traits'];
}

export function modelReport(
  weeks: readonly (ScoredRows & CheckedWeek)[],
  { validation, artifact }: { readonly validation: Validation; readonly artifact: ModelArtifact },
): ModelReport {
  const { days, alerts, events: ranking, scored } = validation;
  const rows: ReportedRows = {
    ...scored,
    probabilities: Float64Array.from(weeks.flatMap(({ probabilities }) => [...probabilities])),
    traits: weeks.flatMap(({ traits }) => traits),
  };
  const withScore = <Point extends { readonly threshold: number }>(point: Point): Point & Threshold => ({
    ...point,
    ...thresholdOf(artifact, point.threshold),
  });
  const currency = mainCurrency(rows);
  const amounts = Float64Array.from(rows.traits, (traits) => (traits.currency === currency ? traits.amount : 0));
  return {
    days,
    ...discrimination(ranking),
    curve: costCurve({ ...scored, amounts }, { perAlert: 0, pointsMax }).map(withScore),
    ...(currency === undefined ? {} : { currency }),
    calibration: calibrationBins({ scores: rows.probabilities, labels: rows.labels }),
    byAlerts: alertsADay.flatMap((atMost) => {
      const choice = thresholdForAlerts(alerts, { alertsADay: atMost, days });
      return choice === undefined ? [] : [{ ...withScore(choice), atMost }];
    }),
    byLegitimate: oneInOf.flatMap((oneIn) => {
      const found = thresholdForLegitimate(ranking, { share: 1 / oneIn, days });
      const choice = found && choiceFrom(alerts, found.threshold, days);
      return choice === undefined ? [] : [{ ...withScore(choice), oneIn }];
    }),
    segments: segmentKinds.flatMap((by) => segmentsBy(by, rows)),
  };
}

export function discrimination(ranking: Ranking): Discrimination {
  const [frauds = 0, legitimate = 0] = [ranking.frauds.at(-1), ranking.legitimate.at(-1)];
  const [auc, precision] = [areaUnderRoc(ranking), averagePrecision(ranking)];
  return {
    events: frauds + legitimate,
    frauds,
    ...(auc === undefined ? {} : { areaUnderRoc: auc }),
    ...(precision === undefined ? {} : { averagePrecision: precision }),
  };
}

export function thresholdOf(artifact: ModelArtifact, margin: number): Threshold {
  const p = calibratedProbability(artifact, margin);
  return artifact.scores === undefined ? { p } : { p, score: scoreOf(artifact.scores, margin) / 1_000 };
}

/** That with the largest sum of fraud; amounts of different currencies cannot be added. */
function mainCurrency({ traits, labels }: ReportedRows): string | undefined {
  const sums = new Map<string, number>();
  traits.forEach(({ currency, amount }, row) => {
    if (currency !== '') sums.set(currency, (sums.get(currency) ?? 0) + (labels[row] === 1 ? amount : 0));
  });
  return [...sums].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))[0]?.[0];
}

function segmentsBy(by: SegmentKind, { scores, probabilities, labels, traits }: ReportedRows): readonly Segment[] {
  const rows = new Map<string, number[]>();
  traits.forEach((one, row) => {
    const name = segmentNames[by](one);
    if (name === undefined) return;
    const own = rows.get(name) ?? [];
    rows.set(name, own);
    own.push(row);
  });
  const largest = [...rows].sort(([a, left], [b, right]) => right.length - left.length || (a < b ? -1 : 1));
  return largest
    .slice(0, segmentsMax)
    .sort(([a], [b]) => Number(a) - Number(b) || (a < b ? -1 : 1))
    .map(([name, own]) => {
      const ranking = rank({
        scores: Float64Array.from(own, (row) => scores[row]!),
        labels: Uint8Array.from(own, (row) => labels[row]!),
      });
      const known = discrimination(ranking);
      const predicted = own.reduce((sum, row) => sum + probabilities[row]!, 0);
      return { by, name, ...known, meanPredicted: predicted / own.length, observed: known.frauds / own.length };
    });
}

const segmentNames: Readonly<Record<SegmentKind, (traits: ScoredRows['traits'][number]) => string | undefined>> = {
  channel: ({ channelId }) => String(channelId),
  amount: ({ amount }) => (Number.isNaN(amount) ? undefined : bandOf(amount)),
  client: ({ isNewClient }) => (isNewClient ? 'new' : 'known'),
  currency: ({ currency }) => (currency === '' ? undefined : currency),
};

/** The next power of ten: amounts of at most 10, of at most 100 and so on. */
function bandOf(amount: number): string {
  let end = 1;
  while (end < amount && end < 1e12) end *= 10;
  return String(end);
}
