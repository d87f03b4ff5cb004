import { expect, it } from 'vitest';
import { explain } from '../../src/explain/explain.ts';
import { decimal } from '../evaluate.ts';
import { factsOf, policyOf } from '../load.ts';

it('shows the result of each comparison, with the values that it read', () => {
  const policy = policyOf(`rules:
  - reason: 1
    name: r
    when: order.amount>1000 && (!client.known || session.age < 2*15m) && order.currency == "MXN"
    then: { action: 2 }`);
  const [rule] = policy.rules;
  if (rule === undefined) throw new Error('one rule is expected');
  const facts = factsOf(policy, { 'order.amount': decimal('2000.5'), 'client.known': true, 'session.age': 90_000 });
  expect(explain(rule, facts)).toEqual({
    holds: undefined,
    conditions: [
      { text: 'order.amount > 1000', holds: true, values: { 'order.amount': '2000.5' } },
      { text: '!client.known', holds: false, values: { 'client.known': 'true' } },
      { text: 'session.age < 2 * 15m', holds: true, values: { 'session.age': '1m30s' } },
      { text: 'order.currency == "MXN"', holds: undefined, values: { 'order.currency': undefined } },
    ],
  });
});
