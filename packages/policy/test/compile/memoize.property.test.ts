/**
 * Goal: a cached value equals the one that would be computed again, whatever facts came before. Method: conditions
 * whose expensive calls occur in several rules are evaluated for random events in turn; each result is compared with
 * that of a policy loaded for this event alone.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FactValue } from '../../src/facts/fact-value.ts';
import { factsOf, policyOf } from '../load.ts';

const conditions = [
  'transaction.description.plain().contains("n")',
  'transaction.description.plain().contains("gift")',
  'transaction.description.replace("a", "").plain() == transaction.details["a"].plain()',
  'transaction.details["a"].upperAscii() == transaction.description.upperAscii()',
  '!has(transaction.details["a"]) || transaction.description.plain().size() > 3',
  'similarity(transaction.description, transaction.type) > 0.7',
  '["a", "b"].exists(x, transaction.description.plain().contains(x))',
  'transaction.description.split("").filter(x, x == transaction.type).size() > 1',
  'string(order.amount * order.amount + 1).replace("1", "") != "2"',
  'lists.words.map(word, word.plain()).join("") == "gift"',
];
const text = fc.constantFrom('', 'a', 'A', 'Ána', 'gift', 'ñandú', 'aab');
const event = fc.record({
  description: fc.option(text, { nil: undefined }),
  type: fc.option(text, { nil: undefined }),
  a: fc.option(text, { nil: undefined }),
  amount: fc.bigInt(0n, 3n),
  words: fc.array(fc.constantFrom('gift', 'GIFT', 'card')),
});

const policyText = [
  'actions: { 6: Ask }',
  'lists: { words: { of: transaction.description, live: true, max: 10 } }',
  'rules:',
  ...conditions.map(
    (when, at) => `  - { reason: ${at + 1}, name: rule ${at}, on: [operation], when: '${when}', then: { action: 6 } }`,
  ),
  '',
].join('\n');

it('caches only values that would not change', () => {
  const kept = policyOf(policyText);
  let held = 0;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      for (const { description, type, a, amount, words } of events) {
        const details = a === undefined ? undefined : new Map([['a', a]]);
        const given = {
          'transaction.description': description,
          'transaction.type': type,
          'transaction.details': details as FactValue,
          'order.amount': (amount * 10n ** 12n) as FactValue,
        };
        const live = { has: () => false, texts: () => words } as unknown as FactValue;
        const outcomes = [kept, policyOf(policyText)].map((policy) => {
          const facts = factsOf(policy, given);
          facts[policy.lists[0]!.live!.slot] = live;
          return policy.rules.map((rule) => rule.when(facts));
        });
        held += outcomes[1]!.filter((outcome) => outcome === true).length;
        expect(outcomes[0]).toEqual(outcomes[1]);
      }
    }),
    { seed: 1, numRuns: 100 },
  );
  expect(held).toBeGreaterThan(100);
});
