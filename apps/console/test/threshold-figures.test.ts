import { describe, expect, it } from 'vitest';
import type { MoneySums, VariedOutcome, VariedResult } from '../src/api/operations.generated.ts';
import { currenciesOf, moneyOf, nearestTo } from '../src/pages/policy/threshold-figures.ts';

const sums = (currency: string, fraud: string): MoneySums => ({ currency, fraud, legitimate: '1', unlabelled: '0' });

function outcome(value: string, money: readonly MoneySums[]): VariedOutcome {
  const counted = { events: 1, fraud: 1, legitimate: 0, unlabelled: 0 };
  const missed = { events: 0, money: [] };
  return {
    value,
    flagged: counted,
    clients: 1,
    legitimateClients: 0,
    money,
    missed,
    matches: { ...counted, money },
    toHold: [],
  };
}

const varied: VariedResult = {
  param: 'large',
  candidate: '100',
  rules: [1],
  values: [
    outcome('50', [sums('EUR', '7'), sums('MXN', '9')]),
    outcome('100', [sums('MXN', '5')]),
    outcome('250.5', []),
  ],
};

describe('the figures of a threshold', () => {
  it('are those of a currency, or zero', () => {
    expect(moneyOf(varied.values[0]!.money, 'MXN').fraud).toBe('9');
    expect(moneyOf(varied.values[2]!.money, 'MXN')).toEqual({
      currency: 'MXN',
      fraud: '0',
      legitimate: '0',
      unlabelled: '0',
    });
  });

  it('begin with the currency of most values', () => {
    expect(currenciesOf(varied)).toEqual(['MXN', 'EUR']);
  });
});

it.each([
  [-5, 0],
  [74, 0],
  [76, 1],
  [180, 2],
  [9_000, 2],
])('the value nearest to %d is at place %d', (x, at) => {
  expect(nearestTo(varied, x)).toBe(at);
});
