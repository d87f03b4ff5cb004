/**
 * Goal: evaluating many rules together, by index and with shared parts, is the same as evaluating each alone. Method:
 * random policies whose conditions have much in common are evaluated for random events in turn; each rule's result is
 * compared with that of its plain condition, and a skipped rule must be false.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RuleIndex } from '../src/run/rule-index.ts';
import { SharedConditions } from '../src/run/shared-conditions.ts';
import type { Policy } from '../src/policy.ts';
import { factsOf, policyOf } from './load.ts';

const category = fc.constantFrom('card', 'transfer', 'spei');
const channel = fc.integer({ min: 1, max: 3 });

const atom = fc.oneof(
  category.map((value) => `transaction.category == "${value}"`),
  category.map((value) => `"${value}" == transaction.category`),
  fc.uniqueArray(category, { minLength: 1 }).map((values) => `transaction.category in ${JSON.stringify(values)}`),
  channel.map((value) => `channelId == ${value}`),
  channel.map((value) => `channelId != ${value}`),
  fc.boolean().map((value) => `session.matched == ${value}`),
  fc.constantFrom('client.blocked', '!session.matched', 'has(transaction.category)', 'true', 'event.score > 1'),
  fc.constantFrom('client.logins + channelId > 4', 'transaction.category.contains("a")', 'event.score + channelId < 4'),
  fc.constantFrom('[1, 2].exists(x, x == channelId)', 'client.logins > 1 && transaction.category.size() > 3'),
);
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    atom,
    fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map((parts) => `(${parts.join(' ')})`),
    tie('condition').map((of) => `!(${of})`),
  ),
}));
const facts = fc.record({
  'transaction.category': fc.option(category, { nil: undefined }),
  channelId: fc.option(channel, { nil: undefined }),
  'session.matched': fc.option(fc.boolean(), { nil: undefined }),
  'client.blocked': fc.option(fc.boolean(), { nil: undefined }),
  'client.logins': fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  'event.score': fc.integer({ min: 0, max: 3 }),
});

function policyOfConditions(conditions: readonly string[]): Policy {
  const rules = conditions.map(
    (when, at) =>
      `  - { reason: ${at + 1}, name: rule ${at}, on: [operation], when: '${when}', then: { action: 6, message: m } }`,
  );
  return policyOf(['actions: { 6: Ask }', 'rules:', ...rules, ''].join('\n'));
}

it('finds the same rules with the same results as evaluating each', () => {
  let skipped = 0;
  let asked = 0;
  fc.assert(
    fc.property(
      fc.array(condition, { minLength: 1, maxLength: 12 }),
      fc.array(facts, { maxLength: 8 }),
      (texts, events) => {
        // Every condition occurs twice, so that everything that can be shared is.
        const policy = policyOfConditions([...texts, ...texts]);
        const { rules } = policy;
        const index = new RuleIndex(rules);
        const conditions = new SharedConditions(rules, (path) => path === 'event.score');
        const whens = rules.map((rule) => conditions.of(rule.condition));
        for (const given of events) {
          const line = factsOf(policy, given);
          conditions.begin();
          // The score changes from group to group, within one event.
          for (const score of [given['event.score'], 0]) {
            const scoreSlot = policy.slots.of('event.score');
            if (scoreSlot !== undefined) line[scoreSlot] = score;
            const places = index.find(line);
            expect(places).toEqual([...places].toSorted((a, b) => a - b));
            const together = rules.map((_, place) => (places.includes(place) ? whens[place]!(line) : false));
            expect(together).toEqual(rules.map((rule) => rule.when(line)));
            skipped += rules.length - places.length;
            asked += places.length;
          }
        }
      },
    ),
    { seed: 1, numRuns: 500 },
  );
  expect(skipped).toBeGreaterThan(1_000);
  expect(asked).toBeGreaterThan(1_000);
});
