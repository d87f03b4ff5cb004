import {
  alertBudgets,
  type CalibrationBin,
  calibrationError,
  type ModelCard,
  type ThresholdChoice,
} from '@ringfence/models';
import type { Threshold } from '../backtest/training/model-report.ts';
import type { TrainedModelFile } from '../backtest/training/train-model.ts';
import { counted, grouped, instant, table } from './print.ts';

/** One good event in each of these numbers. */
const legitimateShares = [100, 1_000, 10_000];

/** What was trained, what it is worth, and which threshold fits a team. */
export function printTraining(
  trained: TrainedModelFile,
  { folder, artifact }: { readonly folder: string; readonly artifact: string },
): string {
  const { card, report } = trained;
  const { data, labels, inputs, folds } = card;
  const share = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(4));
  const row = (wanted: string, choice: (Threshold & ThresholdChoice) | undefined): readonly string[] =>
    choice === undefined ? [wanted, 'not reached'] : [wanted, ...choiceCells(choice)];
  return [
    `Trained on ${counted(labels.frauds, 'fraud')} and ${grouped(labels.keptLegitimate)} of ${grouped(labels.legitimate)} legitimate events, from ${instant(data.fromMs)} to ${instant(data.toMs)}.\n`,
    `\nWeeks that it was checked on, each by a model that did not see it:\n`,
    table(
      ['week from', 'events', 'frauds', 'AUC', 'average precision', 'predicted', 'observed'],
      folds.map((fold) => [
        instant(fold.testFromMs).slice(0, 10),
        grouped(fold.events),
        grouped(fold.frauds),
        share(fold.areaUnderRoc),
        share(fold.averagePrecision),
        share(fold.meanPredicted),
        share(fold.events === 0 ? undefined : fold.frauds / fold.events),
      ]),
    ),
    ...calibrationLines(card),
    `\nInputs by what they contribute:\n`,
    table(
      ['input', 'kind', 'importance'],
      inputs
        .toSorted((a, b) => b.importance - a.importance)
        .map(({ name, kind, importance }) => [name, kind, `${(importance * 100).toFixed(1)} %`]),
    ),
    `\nThresholds, by ${report.days} days of these weeks; an alert is a client on a day:\n`,
    table(
      ['at most', 'score', 'p', 'alerts a day', 'right (95 % interval)', 'fraud found'],
      [
        ...alertBudgets.map((alertsADay) =>
          row(
            `${alertsADay} alerts a day`,
            report.byAlerts.find(({ atMost }) => atMost === alertsADay),
          ),
        ),
        ...legitimateShares.map((of) =>
          row(
            `1 good event in ${grouped(of)}`,
            report.byLegitimate.find(({ oneIn }) => oneIn === of),
          ),
        ),
      ],
    ),
    ...budgetLines(card),
    `\nWritten: ${folder}/${artifact}, its card beside it, and its SHA-256 in the policy. Next: ringfence policy check ${folder}, then backtest it; begin in shadow.\n`,
  ].join('');
}

function choiceCells(choice: Threshold & ThresholdChoice): readonly string[] {
  const { p, score, alertsADay: alerts, precision, precisionInterval, recall } = choice;
  return [
    score?.toFixed(3) ?? '-',
    p.toFixed(4),
    alerts.toFixed(1),
    `${percent(precision)} (${percent(precisionInterval.low)} to ${percent(precisionInterval.high)})`,
    percent(recall),
  ];
}

/** Whether a probability is what happens, for the events of these weeks. */
function calibrationLines({ calibration }: ModelCard): readonly string[] {
  const rows = calibration.map((bin) => [
    `${bin.from} to ${bin.to}`,
    grouped(bin.events),
    bin.meanPredicted.toFixed(5),
    `${bin.observed.toFixed(5)} (${bin.interval.low.toFixed(5)} to ${bin.interval.high.toFixed(5)})`,
    differenceText(bin),
  ]);
  return [
    `\nProbabilities of these weeks, calibrated by the other weeks, and what happened:\n`,
    table(['p', 'events', 'predicted', 'observed (95 % interval)', 'difference'], rows),
  ];
}

function differenceText(bin: CalibrationBin): string {
  const error = calibrationError(bin);
  if (!Number.isFinite(error)) return '-';
  return `${bin.meanPredicted < bin.observed ? '-' : '+'}${percent(error)}`;
}

/** Whether a number of alerts a day is kept by the week after those that chose the threshold. */
function budgetLines({ folds }: ModelCard): readonly string[] {
  const rows = folds.flatMap(({ testFromMs, budgets }) =>
    budgets.map(({ alertsADay, predicted, found }) => [
      instant(testFromMs).slice(0, 10),
      String(alertsADay),
      predicted.toFixed(1),
      found.toFixed(1),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    `\nAlerts a day, by thresholds that only the weeks before chose:\n`,
    table(['week from', 'at most', 'predicted', 'found'], rows),
  ];
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
