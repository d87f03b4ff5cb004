import { dayMs, eventKinds, hourMs } from '@ringfence/contract';
import { inputsMax, settingBounds } from '@ringfence/models';
import { Type } from 'typebox';
import type { PolicyModel } from '../../policies/policy-models.ts';
import { decimalNumber, exactly, listOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import {
  choice,
  count,
  documenting,
  flag,
  instant,
  inWorkspace,
  list,
  nonPersonalWord,
  seldom,
} from '../server/members.ts';
import { timeRange } from '../server/time-range.ts';
import { authorMember, policyFiles } from '../policies/policy-schema.ts';
import { type TrainingAnswer, trainingResultSchema } from './training-result-schema.ts';
import type { Training, TrainingChoices, TrainingWithResult } from '../../backtest/training/training-rows.ts';

const int32Max = 2_147_483_647;
const delayDays = 7;
const daysMax = 3_650;

export const inTraining = exactly({
  ...inWorkspace.properties,
  training: wholeNumber({ minimum: 1, maximum: int32Max, description: 'Its number.' }),
});

const modelName = text({ maxLength: 64, description: 'Its name in the policy.', expected: 'the name of a model' });

const historyMembers = {
  history: Type.Optional(
    text({ maxLength: 64, description: 'Name of an imported history. By default the live log.', expected: 'a name' }),
  ),
  ...timeRange('Only events received'),
  delayDays: wholeNumber({
    minimum: 0,
    maximum: daysMax,
    default: delayDays,
    description: 'Days until fraud is known; newer events are not used.',
  }),
  author: authorMember('Who wants it.'),
};

const inputNames = (description: string): Type.TOptional<Type.TArray<Type.TString>> =>
  Type.Optional(
    listOf(text({ maxLength: 64, description: 'The name of an input.', expected: 'the name of an input' }), {
      maxItems: inputsMax,
      description,
      expected: 'names of inputs',
    }),
  );

function within(name: 'trees' | 'leaves' | 'rate'): { readonly minimum: number; readonly maximum: number } {
  const [minimum, maximum] = settingBounds[name];
  return { minimum, maximum };
}

export const newTrainingBody = exactly({
  model: modelName,
  files: Type.Optional(policyFiles),
  ...historyMembers,
  trees: Type.Optional(wholeNumber({ ...within('trees'), description: 'Trees. By default 150.' })),
  leaves: Type.Optional(wholeNumber({ ...within('leaves'), description: 'Leaves of a tree, at most. By default 8.' })),
  rate: Type.Optional(
    decimalNumber({
      ...within('rate'),
      description: 'What part of its correction each tree makes. By default 0.05.',
      expected: 'a number from 0.001 to 1',
    }),
  ),
  legitimateShare: Type.Optional(
    decimalNumber({
      minimum: 0.0001,
      maximum: 1,
      description: 'Share of the legitimate events to train on. By default at most some 400,000 events.',
      expected: 'a share from 0.0001 to 1',
    }),
  ),
  halfLifeDays: Type.Optional(
    wholeNumber({
      minimum: 1,
      maximum: daysMax,
      description: 'An event of this age weighs half. By default all weigh the same.',
    }),
  ),
  up: inputNames('Inputs of which more may only raise the probability.'),
  down: inputNames('Inputs of which more may only lower it.'),
});

export const newTrainingExample = { model: 'cards', history: '2026', delayDays: 7, up: ['amount'], author: 'mara' };

export const newComparisonBody = exactly(historyMembers);

/** What a request chose, as it is stored. */
export function choicesOf({
  delayDays: days,
  halfLifeDays,
  trees,
  leaves,
  rate,
  legitimateShare,
  up,
  down,
}: Partial<Type.Static<typeof newTrainingBody>> & { readonly delayDays: number }): TrainingChoices {
  return {
    delayMs: days * dayMs,
    ...(trees === undefined ? {} : { trees }),
    ...(leaves === undefined ? {} : { leaves }),
    ...(rate === undefined ? {} : { rate }),
    ...(legitimateShare === undefined ? {} : { legitimateShare }),
    ...(halfLifeDays === undefined ? {} : { halfLifeMs: halfLifeDays * dayMs }),
    ...(up === undefined ? {} : { up }),
    ...(down === undefined ? {} : { down }),
  };
}

const trainingMembers = {
  id: count('Its number.', 12),
  purpose: choice(
    ['training', 'comparison'],
    'Whether a model was trained, or a trained one was compared with that of a policy.',
    'training',
  ),
  model: nonPersonalWord('The model’s name in the policy.', 'cards'),
  state: choice(['running', 'done', 'failed', 'cancelled'], 'Whether it has ended, and how.', 'done'),
  author: nonPersonalWord('Who wants it.', 'mara'),
  startedAt: instant('When it began.'),
  endedAt: Type.Optional(instant('When it ended.', '2026-11-21T16:17:58.100Z')),
  history: Type.Optional(nonPersonalWord('Name of the history; absent for the live log.', '2026')),
  from: seldom(instant('Only events received at or after this.', '2026-01-01T00:00:00.000Z')),
  to: seldom(instant('Only events received before this.', '2026-07-01T00:00:00.000Z')),
  delayHours: count('Hours until fraud was known.', 168),
  phase: Type.Optional(choice(['events', 'trees'], 'What it is doing: deciding events, or growing trees.', 'trees')),
  done: count('Events decided, or trees grown.', 600),
  total: count('Events or trees in total; 0 until known.', 750),
  error: seldom(nonPersonalWord('Why it failed.', 'The service was stopped.')),
  sha256: Type.Optional(nonPersonalWord('SHA-256 of the model’s file, once there is one.', '6f5902ac…')),
};

export const trainingSchema = Type.Object(trainingMembers, { title: 'Training' });

export const trainingWithResultSchema = Type.Object(
  { ...trainingMembers, result: Type.Optional(trainingResultSchema) },
  { title: 'TrainingWithResult' },
);

export const artifactSchema = Type.Object(
  {
    text: nonPersonalWord('The file of the model: JSON.', '{"format":"ringfence-model/1", …}'),
    sha256: nonPersonalWord('Its SHA-256, for the policy.', '6f5902ac…'),
  },
  { title: 'ModelFile' },
);

export const policyModelSchema = documenting<PolicyModel>(
  Type.Object(
    {
      name: nonPersonalWord('Its name in the policy.', 'cards'),
      on: list(choice(eventKinds, 'A kind of event.', 'operation'), 'Kinds of event that it is evaluated for.'),
      where: Type.Optional(
        nonPersonalWord('Events for which this is not true have no result.', 'order.currency == "EUR"'),
      ),
      inputs: list(
        Type.Object(
          {
            name: nonPersonalWord('Its name.', 'overMedian'),
            kind: choice(['number', 'boolean', 'category'], 'What it is.', 'number'),
            text: nonPersonalWord('Its expression.', 'double(order.amount) / double(clientMedian90d)'),
          },
          { title: 'PolicyModelInput' },
        ),
        'In the order in which the model reads them.',
      ),
      trained: Type.Optional(
        Type.Object(
          {
            path: nonPersonalWord('Of its file in the policy.', 'models/cards.json'),
            sha256: nonPersonalWord('Of that file.', '6f5902ac…'),
            trees: count('Its trees.', 150),
            bytes: count('Size of the file.', 182_000),
            hasScore: flag('Whether it has a table of scores.'),
          },
          { title: 'TrainedPolicyModel', description: 'Absent: its results are missing.' },
        ),
      ),
      retrain: Type.Optional(choice(['weekly'], 'How often a challenger is trained.', 'weekly')),
      rules: list(
        Type.Object(
          {
            reason: count('Its number.', 700),
            name: nonPersonalWord('Its name.', 'Likely fraud by the model'),
            mode: choice(['live', 'shadow', 'off'], 'As set in the policy.'),
            when: nonPersonalWord('Its condition.', 'model.cards.score >= 999'),
          },
          { title: 'PolicyModelRule' },
        ),
        'The rules that read it.',
      ),
    },
    { title: 'PolicyModel' },
  ),
);

export function printTraining(training: Training): Type.Static<typeof trainingSchema> {
  const { startedAtMs, endedAtMs, history, fromMs, toMs, choices, phase, error, sha256, ...rest } = training;
  const { id, purpose, model, state, author, done, total } = rest;
  return {
    id,
    purpose,
    model,
    state,
    author,
    startedAt: isoOf(startedAtMs),
    ...(endedAtMs === undefined ? {} : { endedAt: isoOf(endedAtMs) }),
    ...(history === undefined ? {} : { history }),
    ...(fromMs === undefined ? {} : { from: isoOf(fromMs) }),
    ...(toMs === undefined ? {} : { to: isoOf(toMs) }),
    delayHours: choices.delayMs / hourMs,
    ...(phase === undefined ? {} : { phase }),
    done,
    total,
    ...(error === undefined ? {} : { error }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}

export function printTrainingWithResult(training: TrainingWithResult): Type.Static<typeof trainingWithResultSchema> {
  const { result } = training;
  const row = printTraining(training);
  return result === undefined ? row : { ...row, result: result satisfies TrainingAnswer };
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
