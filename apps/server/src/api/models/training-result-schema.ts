import { Type } from 'typebox';
import type { TrainingResult } from '../../backtest/training/training-rows.ts';
import { segmentKinds } from '../../backtest/training/model-report.ts';
import { choice, count, documenting, list, nonPersonalWord, seldom } from '../server/members.ts';

export type TrainingAnswer = TrainingResult;

function number(description: string, example: number): Type.TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'number', description, examples: [example] });
}

function atMs(description: string): Type.TUnsafe<number> {
  return number(`${description} Milliseconds since 1970.`, 1_795_219_200_000);
}

const discrimination = {
  events: count('Events.', 270_110),
  frauds: count('Those that are fraud.', 1_602),
  areaUnderRoc: Type.Optional(number('Area under the ROC curve; absent without fraud.', 0.8966)),
  averagePrecision: Type.Optional(number('Average precision; absent without fraud.', 0.763)),
};

const threshold = {
  p: number('The probability from which on an event is alerted.', 0.42),
  score: Type.Optional(number('The same as a score; absent for a model without a table of scores.', 998.7)),
};

const point = {
  ...threshold,
  threshold: number('The same in log-odds.', -0.32),
  alerts: count('Events that reach it.', 1_120),
  frauds: count('Those that are fraud.', 990),
  precision: number('Share of fraud among them.', 0.88),
  recall: number('Share of all fraud that is among them.', 0.62),
  legitimateShare: number('Share of all legitimate events that is among them.', 0.0005),
};

const interval = Type.Object(
  { low: number('Lower end.', 0.86), high: number('Upper end.', 0.9) },
  { description: 'With a confidence of 95 %.' },
);

const choiceMembers = {
  ...point,
  alertsADay: number('On the average.', 40),
  precisionInterval: interval,
  recallInterval: interval,
};

const bins = list(
  Type.Object(
    {
      from: number('Predicted probabilities from here', 0.01),
      to: number('to below here.', 0.02),
      events: count('Events.', 4_210),
      meanPredicted: number('Mean of the predictions.', 0.0141),
      observed: number('Share of fraud.', 0.0139),
      interval,
    },
    { title: 'CalibrationBin' },
  ),
  'Whether a probability is what happens.',
);

const reportSchema = Type.Object(
  {
    ...discrimination,
    days: number('Days of these events.', 28),
    curve: list(
      Type.Object(
        {
          ...point,
          missed: number('Amount of the frauds below the threshold.', 91_250.5),
          cost: number('The same.', 91_250.5),
        },
        { title: 'OperatingPoint' },
      ),
      'From the highest threshold to the lowest: points of the ROC, the precision-recall and the cost curve.',
    ),
    currency: Type.Optional(nonPersonalWord('Currency of the amounts; other currencies are left out.', 'EUR')),
    calibration: bins,
    byAlerts: list(
      Type.Object({ ...choiceMembers, atMost: count('At most this many alerts a day.', 40) }, { title: 'ByAlerts' }),
      'The lowest threshold for each number of alerts a day.',
    ),
    byLegitimate: list(
      Type.Object(
        { ...choiceMembers, oneIn: count('One legitimate event in this many.', 1_000) },
        { title: 'ByLegitimate' },
      ),
      'The lowest threshold for each share of legitimate events.',
    ),
    segments: list(
      Type.Object(
        {
          by: choice(segmentKinds, 'What tells the segments apart.', 'channel'),
          name: nonPersonalWord(
            'The channel, the currency, `new` or `known`, or the upper end of a band of amounts.',
            '1',
          ),
          ...discrimination,
          meanPredicted: number('Mean of the predictions.', 0.0068),
          observed: number('Share of fraud.', 0.0069),
        },
        { title: 'ModelSegment' },
      ),
      'The same by kinds of events.',
    ),
  },
  { title: 'ModelReport', description: 'By the last weeks, each by a model that did not see it.' },
);

const compared = Type.Object(
  {
    ...discrimination,
    sha256: nonPersonalWord('Of the model’s file.', '6f5902ac…'),
    curve: list(Type.Object(point, { title: 'ComparedPoint' }), 'From the highest threshold to the lowest.'),
  },
  { title: 'ComparedModel' },
);

const counted = Type.Object(
  { events: count('Events.', 800), frauds: count('Those that are fraud.', 700) },
  { title: 'AgreedEvents' },
);

const comparisonSchema = Type.Object(
  {
    fromMs: atMs('First event.'),
    toMs: atMs('End of the events.'),
    days: number('Days between.', 28),
    trainedToMs: seldom(atMs('Before it one of them was trained on these events, which flatters it.')),
    champion: compared,
    challenger: compared,
    agreement: list(
      Type.Object(
        {
          alertsADay: count('At the threshold of each that leads to this many alerts a day.', 40),
          both: counted,
          championOnly: counted,
          challengerOnly: counted,
        },
        { title: 'Agreement' },
      ),
      'What both alert, and what only one of them.',
    ),
  },
  { title: 'ModelComparison', description: 'The policy’s model, and the trained one, on the same events.' },
);

const cardSchema = Type.Object(
  {
    format: nonPersonalWord('Of the card.', 'ringfence-model-card/1'),
    name: nonPersonalWord('The model.', 'cards'),
    sha256: nonPersonalWord('Of the model’s file.', '6f5902ac…'),
    data: Type.Object({
      fromMs: atMs('First event that was trained on.'),
      toMs: atMs('End of the events that were trained on.'),
      delayMs: number('After this time fraud was known.', 604_800_000),
    }),
    labels: Type.Object({
      frauds: count('Frauds.', 8_100),
      legitimate: count('Legitimate events.', 1_200_400),
      keptLegitimate: count('Those of them that were trained on.', 400_200),
    }),
    inputs: list(
      Type.Object(
        {
          name: nonPersonalWord('Its name.', 'amount'),
          importance: number('Its part of what all inputs contribute; all add up to 1.', 0.31),
          monotone: number('1: more may only raise the probability; -1: only lower it; 0: either.', 1),
        },
        { title: 'ModelCardInput', additionalProperties: true },
      ),
      'In the order of the file.',
    ),
    folds: list(
      Type.Object(
        {
          testFromMs: atMs('Begin of the week.'),
          ...discrimination,
          meanPredicted: number('Mean of the predictions.', 0.0068),
        },
        { title: 'ModelCardWeek', additionalProperties: true },
      ),
      'Weeks that the model was checked on, the oldest first.',
    ),
  },
  { title: 'ModelCard', additionalProperties: true },
);

export const trainingResultSchema = documenting<TrainingResult>(
  Type.Object(
    {
      card: Type.Optional(cardSchema),
      report: Type.Optional(reportSchema),
      comparison: seldom(documenting(comparisonSchema)),
    },
    { title: 'TrainingResult' },
  ),
);
