import type { ThresholdChoice } from '@ringfence/models';
import type { Threshold } from '../backtest/training/model-report.ts';
import type { TrainedModelFile } from '../backtest/training/train-model.ts';
import { counted, grouped, instant, table } from './print.ts';

const alertsADay = [10, 40, 100];
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
    `\nInputs by what they contribute:\n`,
    table(
      ['input', 'kind', 'importance'],
      inputs
        .toSorted((a, b) => b.importance - a.importance)
        .map(({ name, kind, importance }) => [name, kind, `${(importance * 100).toFixed(1)} %`]),
    ),
    `\nThresholds, by ${report.days} days of these weeks:\n`,
    table(
      ['at most', 'score', 'p', 'alerts a day', 'right (95 % interval)', 'fraud found'],
      [
        ...alertsADay.map((alerts) =>
          row(
            `${alerts} alerts a day`,
            report.byAlerts.find(({ atMost }) => atMost === alerts),
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
    `\nWritten: ${folder}/${artifact}, its card beside it, and its SHA-256 in the policy. Next: ringfence policy check ${folder}, then backtest it; begin in shadow.\n`,
  ].join('');
}

function choiceCells(choice: Threshold & ThresholdChoice): readonly string[] {
  const { p, score, alertsADay: alerts, precision, precisionInterval, recall } = choice;
  const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;
  return [
    score?.toFixed(3) ?? '-',
    p.toFixed(4),
    alerts.toFixed(1),
    `${percent(precision)} (${percent(precisionInterval.low)} to ${percent(precisionInterval.high)})`,
    percent(recall),
  ];
}
