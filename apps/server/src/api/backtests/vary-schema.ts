import { Type } from 'typebox';
import type { ChangedOutcome, Money, VariedResult } from '../../backtest/backtests/result.ts';
import { variedValues, type VaryRequest } from '../../policies/vary-param.ts';
import { decimalNumber, exactly, listOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { documenting, list, nonPersonalWord } from '../server/members.ts';

const { min, max } = variedValues;

/** The range of the values of parameters. */
const sizeMax = Number.MAX_SAFE_INTEGER;

function number(description: string): Type.TNumber {
  return decimalNumber({ minimum: -sizeMax, maximum: sizeMax, description, expected: 'a number' });
}

const expected = 'either values, or from, to and steps';

/** What a request asks to vary. */
export const varyMember = exactly(
  {
    param: text({ maxLength: 64, description: 'A parameter of type int or decimal.', expected: 'a name' }),
    values: Type.Optional(
      listOf(number('A value.'), {
        minItems: min,
        maxItems: max,
        description: 'Its values.',
        expected: `from ${min} to ${max} numbers`,
      }),
    ),
    from: Type.Optional(number('Instead of values: the first one.')),
    to: Type.Optional(number('The last one.')),
    steps: Type.Optional(
      wholeNumber({ minimum: min, maximum: max, description: 'How many, evenly spaced; whole numbers are rounded.' }),
    ),
  },
  {
    description: 'The policy is also run with each of these values of one parameter, and the outcomes are compared.',
    refine: ({ values, from, to, steps }) => {
      const spaced = [from, to, steps].filter((one) => one !== undefined).length;
      return (values === undefined && spaced === 3) || (values !== undefined && spaced === 0) ? undefined : expected;
    },
  },
);

/** What is varied, after the check of its schema. */
export function varyRequest({ param, values, from, to, steps }: Type.Static<typeof varyMember>): VaryRequest {
  return values === undefined ? { param, from: from!, to: to!, steps: steps! } : { param, values };
}

interface Parts<Total extends Type.TProperties> {
  readonly total: Total;
  readonly counted: Type.TUnsafe<ChangedOutcome>;
  readonly money: Type.TUnsafe<readonly Money[]>;
}

/** The compared values in a result. */
export function variedSchemaOf<Total extends Type.TProperties>(parts: Parts<Total>): Type.TUnsafe<VariedResult> {
  const { total, counted, money } = parts;
  const value = Type.Object(
    {
      value: nonPersonalWord('The value, as written in a policy.', '2000'),
      ...total,
      matches: Type.Unsafe<ChangedOutcome>({
        ...counted,
        description: 'Events that at least one of the rules that depend on the parameter matched, in any mode.',
      }),
      toHold: Type.Unsafe<readonly Money[]>({ ...money, description: 'Amounts of payments that it asked to hold.' }),
    },
    { title: 'VariedOutcome' },
  );
  return documenting<VariedResult>(
    Type.Object(
      {
        param: nonPersonalWord('The parameter.', 'largePayment'),
        unit: Type.Optional(nonPersonalWord('Its unit.', 'MXN')),
        candidate: nonPersonalWord('Its value in the candidate.', '2000'),
        live: Type.Optional(nonPersonalWord('Its value in the version compared with.', '1000')),
        rules: list(Type.Unsafe<number>({ type: 'integer' }), 'The rules that depend on it, by number.', [301]),
        values: list(value, 'The outcome with each value, ascending.'),
      },
      { title: 'VariedResult', description: 'The candidate with several values of one parameter.' },
    ),
  );
}
