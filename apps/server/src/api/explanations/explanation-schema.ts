import { Type } from 'typebox';
import { exactly } from '../../platform/shapes/shape.ts';
import { progressSchema, streamProblemSchema } from '../live/stream-schema.ts';
import { choice, count, list, nonPersonal, nonPersonalWord, seldom } from '../server/members.ts';

/** A number that may have a fraction. */
export function figure(description: string, example: number): Type.TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'number', description, examples: [example] });
}

/** A sentence in each language of the console. */
export const inWordsSchema = Type.Object(
  {
    en: nonPersonalWord('In English.', "amount is 31 times this client's median of 90 days"),
    es: nonPersonalWord('In Spanish.', 'el monto es 31 veces la mediana de este cliente en 90 días'),
  },
  { title: 'InWords' },
);

const inputSchema = Type.Object(
  {
    name: nonPersonalWord('Its name.', 'overMedian'),
    text: nonPersonalWord('Its expression.', 'double(order.amount) / double(clientMedian90d)'),
    value: Type.Optional(figure('As the model reads it. Absent if it was missing.', 31.2)),
    contribution: figure('What it adds to the log-odds.', 2.41),
    words: inWordsSchema,
  },
  { title: 'ExplainedInput' },
);

function reasonsIn(language: string, example: string): Type.TUnsafe<readonly string[]> {
  return list(nonPersonalWord('A reason.', example), `In ${language}.`);
}

const explanationSchema = Type.Object(
  {
    name: nonPersonalWord('Name of the model.', 'cards'),
    sha256: nonPersonalWord('SHA-256 of its artifact, in hex.', '6f5902ac237024bdd0c176cb93063dc4'),
    p: figure('The probability of fraud.', 0.93),
    score: seldom(nonPersonalWord('0 to 1000, if the model has a score.', '999.2')),
    margin: figure('The log-odds of the model.', 2.59),
    expected: figure('The mean log-odds of the rows that it was trained on.', -4.9),
    inputs: list(inputSchema, 'In the order of the model. All contributions and `expected` sum to `margin`.'),
    reasons: Type.Object(
      {
        en: reasonsIn('English', 'Amount, compared with your median of 90 days'),
        es: reasonsIn('Spanish', 'El monto, en comparación con su mediana en 90 días'),
      },
      {
        title: 'LetterReasons',
        description:
          'What raised the probability most, at most four, in words for a letter to the client: without values, weights and thresholds.',
      },
    ),
  },
  { title: 'ModelExplanation', description: 'Why a model gave its result (exact TreeSHAP).' },
);

export const explainBody = exactly({
  again: Type.Optional(
    Type.Boolean({
      description: 'Decide the event again, even if its decision keeps inputs: explains the other models as well.',
    }),
  ),
});

const explainedSchema = Type.Object(
  {
    policyVersion: count('The version of the policy that decided.', 3),
    basis: choice(
      ['kept', 'again'],
      '`kept`: the inputs were recorded with the decision. `again`: the event was decided again.',
    ),
    // Names of a policy, and numbers that are shown to everyone who sees the event.
    models: list(nonPersonal(explanationSchema), 'Each model that was evaluated for it.'),
    differences: count('`again`: how many parts of the decision differ from the recorded ones.', 0),
  },
  { title: 'ExplainedEvent' },
);

export type ExplainedEvent = Type.Static<typeof explainedSchema>;

export const explainEvents = Type.Object(
  { progress: progressSchema, explained: explainedSchema, problem: streamProblemSchema },
  { title: 'ExplainEvents', description: 'The data of the events of the stream, by their names.' },
);
