import { loadPolicy } from '@ringfence/policy';
import { expect, it } from 'vitest';
import { explainExample } from '../../../src/backtest/backtests/explain-example.ts';
import type { FiredOnEvent } from '../../../src/backtest/backtests/worker-report.ts';

it('shows for each part of a rule whether it was true, and the facts it read', () => {
  const loaded = loadPolicy([
    {
      path: 'rules.yaml',
      text: `rules:
  - reason: 7
    name: odd
    on: [operation]
    when: order.amount > 100 && (order.currency == "MXN" || account.bank == "B1")
    then: { action: 4, message: x }
`,
    },
  ]);
  if (!loaded.ok) throw new Error('the policy checks');
  const event = {
    rules: [
      {
        reason: 7,
        name: 'odd',
        mode: 'live',
        suppressed: undefined,
        facts: { 'order.amount': '150.5', 'account.bank': 'B1' },
      },
    ],
  } as unknown as FiredOnEvent;
  expect(explainExample(event, loaded.policy)[0]!.conditions).toEqual([
    { text: 'order.amount > 100', holds: true, values: { 'order.amount': '150.5' } },
    { text: 'order.currency == "MXN"', holds: undefined, values: { 'order.currency': undefined } },
    { text: 'account.bank == "B1"', holds: true, values: { 'account.bank': 'B1' } },
  ]);
});
