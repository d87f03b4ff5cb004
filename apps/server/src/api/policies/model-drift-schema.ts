import { stabilityAlarms, stabilityWarns } from '@ringfence/models';
import { Type } from 'typebox';
import { type ModelDay, stabilityOf, valuesOf } from '../../decide/model-days.ts';
import { exactly, text } from '../../platform/shapes/shape.ts';
import { count, inWorkspace, instant, list, nonPersonalWord } from '../server/members.ts';
import { timeRange } from '../server/time-range.ts';

/** A quarter, as far as a chart of days is read. */
export const driftDaysMax = 92;

export const inModel = exactly({
  ...inWorkspace.properties,
  model: text({ maxLength: 100, description: 'The name of the model in the policy.' }),
});

export const driftQuery = exactly(timeRange('Days'));

function measure(description: string, example: number): Type.TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'number', description, examples: [example] });
}

const driftDaySchema = Type.Object(
  {
    day: nonPersonalWord('UTC. The present one is not over.', '2026-11-28'),
    values: count('How often the model was evaluated.', 18_240),
    index: Type.Optional(
      measure(
        'Population stability index: 0 for the same shares as in the training. Absent for a day with too few values.',
        0.024,
      ),
    ),
    counts: list(count('Values.', 1_824), 'By bin, as `expected`.'),
  },
  { title: 'ModelDriftDay' },
);

const driftInputSchema = Type.Object(
  {
    input: Type.Optional(nonPersonalWord('Its name. Absent: the result of the model, in log-odds.', 'amount')),
    edges: list(
      measure('The value.', 120.5),
      'Where bins end: bin `n` holds what is above edge `n - 1` and not above edge `n`. Of a category its positions.',
    ),
    expected: list(
      count('Values.', 40_000),
      'By bin, in the training. One more than edges, and at the end how many were missing.',
    ),
    days: list(driftDaySchema, 'Newest first.'),
  },
  { title: 'ModelDriftInput' },
);

export const modelDriftSchema = Type.Object(
  {
    from: instant('Where the days begin.'),
    to: instant('Where they end.'),
    warning: measure('From this index on, values have shifted.', stabilityWarns),
    alarm: measure('From this index on, they are others.', stabilityAlarms),
    artifacts: list(
      Type.Object(
        {
          sha256: nonPersonalWord('SHA-256 of its file.', '6f5902ac237024bdd0c176cb93063dc4'),
          inputs: list(driftInputSchema, 'The result first.'),
        },
        { title: 'ModelDriftArtifact' },
      ),
      'Those that were used, the newest first.',
    ),
  },
  { title: 'ModelDrift' },
);

type Artifact = Type.Static<typeof modelDriftSchema>['artifacts'][number];

/** @param days newest first */
export function printModelDays(days: readonly ModelDay[]): readonly Artifact[] {
  return [...Map.groupBy(days, ({ sha256 }) => sha256)].map(([sha256, ofArtifact]) => ({
    sha256,
    inputs: [...Map.groupBy(ofArtifact, ({ input }) => input)].map(([input, ofInput]) => ({
      ...(input === '' ? {} : { input }),
      edges: ofInput[0]!.population.edges,
      expected: ofInput[0]!.population.counts,
      days: ofInput.map(printDay),
    })),
  }));
}

function printDay(of: ModelDay): Artifact['inputs'][number]['days'][number] {
  const index = stabilityOf(of);
  return { day: of.day, values: valuesOf(of), ...(index === undefined ? {} : { index }), counts: of.counts };
}
