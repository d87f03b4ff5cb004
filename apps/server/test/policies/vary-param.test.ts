import { loadPolicy } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { checkVaried, type VariedParam, type VaryRequest } from '../../src/policies/vary-param.ts';

const files = [
  {
    path: 'rules.yaml',
    text: `params:
  count: { type: int, default: 5, min: 1, max: 20 }
  share: { type: decimal, default: 0.5 }
  span: { type: duration, default: 1h }
rules:
  - { reason: 1, name: one, on: [operation], when: client.logins > params.count && order.amount > params.share && session.age < params.span, then: { action: 4, message: x } }
`,
  },
];

function check(wanted: VaryRequest): VariedParam {
  const loaded = loadPolicy(files);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return checkVaried(files, loaded.policy, wanted);
}

describe('the values of a parameter', () => {
  it('are ascending, each once, in plain digits', () => {
    expect(check({ param: 'count', values: [7, 2, 7] })).toEqual({ param: 'count', values: ['2', '7'] });
    expect(check({ param: 'share', values: [0.25, 1e-6, 2.5] }).values).toEqual(['0.000001', '0.25', '2.5']);
  });

  it('are evenly spaced, whole for a whole number', () => {
    expect(check({ param: 'count', from: 1, to: 4, steps: 3 }).values).toEqual(['1', '3', '4']);
    expect(check({ param: 'share', from: 0.1, to: 0.4, steps: 4 }).values).toEqual(['0.1', '0.2', '0.3', '0.4']);
  });

  it.each<[VaryRequest, string]>([
    [{ param: 'counts', values: [1, 2] }, 'There is no parameter counts in this policy: expected one of count, share.'],
    [
      { param: 'span', values: [1, 2] },
      'The parameter span has the type duration, not a number: expected one of count, share.',
    ],
    [{ param: 'count', values: [1, 2.5] }, 'count: found 2.5: expected whole numbers.'],
    [{ param: 'share', values: [1, 0.0000001] }, 'share: found 1e-7: expected numbers with at most 6 decimal places.'],
    [{ param: 'count', values: [1, 1] }, 'count: found 1: expected from 2 to 16 different values.'],
    [{ param: 'count', from: 1, to: 1.2, steps: 5 }, 'count: found 1: expected from 2 to 16 different values.'],
    [{ param: 'count', from: 3, to: 3, steps: 5 }, 'count: found 3: expected a number above 3.'],
    [{ param: 'count', values: [1, 500] }, 'count cannot be 500: 500 is out of bounds: expected from 1 to 20.'],
    [{ param: 'share', values: [-1, 1] }, 'share cannot be -1: default is -1: expected a number, such as 2.5.'],
  ])('are refused: %j', (wanted, detail) => {
    expect(() => check(wanted)).toThrow(detail);
  });
});
