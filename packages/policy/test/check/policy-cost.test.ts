import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/check/load-policy.ts';
import { developmentCostMax, policyCostMax } from '../../src/compile/bounds.ts';
import type { PolicyFile } from '../../src/policy.ts';
import { exactRows } from '../../src/check/feature-exactness.ts';
import { mistakesOf, policyOf } from '../load.ts';

/** This many rules, each with its own condition. */
function policy(count: number, when: (at: number) => string, rest = 'then: { action: 2 }'): string {
  const rules = Array.from(
    { length: count },
    (_, at) => `  - { reason: ${at + 1}, name: rule ${at}, when: '${when(at)}', on: [operation], ${rest} }\n`,
  );
  return `rules:\n${rules.join('')}`;
}

/** A pattern that visits each of its steps after every character. */
const dear = (at: number): string => `transaction.category.matches("[ab]*a[ab]{130}[cd](${at})?")`;
const ordinary = (at: number): string =>
  `transaction.type == "t${at % 40}" && order.amount > ${at} && transaction.description.plain().contains("gift")`;

describe('the cost of a policy for one event', () => {
  it('is refused if it is too high, with the most expensive parts and a remedy', () => {
    const text = `${policy(30, dear)}features:
  many: { count: true, by: client.id, over: 1d, where: '${dear(99)} || ${dear(98)}' }
`;
    expect(mistakesOf(text.replace('"rule 0"', 'first'))).toEqual([
      expect.stringMatching(
        /^33:3 the policy costs too much per operation: up to \d{7} steps, 2\d{5} of them for features; the most expensive parts are feature many 2\d{5}, rule 1 1\d{5}, rule 2 1\d{5} => at most 2000000: /,
      ),
    ]);
  });

  it('has a smaller bound in a development workspace, which the message names', () => {
    const files = (rules: number): readonly PolicyFile[] => [{ path: 'policy.yaml', text: policy(rules, dear) }];
    const [fits, isTooMuch] = [files(6), files(12)];
    for (const some of [fits, isTooMuch]) expect(loadPolicy(some).ok).toBe(true);
    expect(loadPolicy(fits, { costMax: developmentCostMax }).ok).toBe(true);
    const refused = loadPolicy(isTooMuch, { costMax: developmentCostMax });
    expect(refused.ok ? undefined : refused.errors[0]).toMatchObject({
      message: expect.stringMatching(/^the policy costs too much per operation: up to \d{7} steps/),
      suggestion: expect.stringMatching(/^at most 1200000 in a development workspace \(2000000 in production\): /),
    });
  });

  it('counts shared conditions once, and rules that are off not at all', () => {
    expect(policyOf(policy(1_000, () => dear(1))).cost).toBeLessThan(policyCostMax / 10);
    expect(policyOf(policy(30, dear, 'then: { action: 2 }, mode: off')).cost).toBe(0);
    const parts = (at: number): string => `order.amount > ${at} && (${dear(1)} || ${dear(2)})`;
    expect(policyOf(policy(1_000, parts)).cost).toBeLessThan(policyCostMax / 5);
  });

  it('counts a text once that a thousand rules search for different words', () => {
    const then =
      'then: { action: 3, message: "A payment of {{order.amount}} {{order.currency}}: {{transaction.description}}" }';
    const words = (at: number): string => `transaction.description.plain().contains("word ${at}")`;
    const { cost } = policyOf(policy(1_000, words, then));
    expect(cost).toBeGreaterThan(1_600_000);
    expect(cost).toBeLessThan(1_700_000);
    // The conversion of a separate text is not shared.
    const others = (at: number): string => `transaction.description.replace("${at}", "").plain().contains("gift")`;
    expect(mistakesOf(policy(1_000, others))).toEqual([expect.stringContaining('the policy costs too much')]);
  });

  it('does not count the parts of a shared value twice', () => {
    const inner = 'transaction.description.replace("0", "")';
    const one = policyOf(policy(1, () => `${inner}.plain().contains("a")`)).cost;
    const all = [`${inner}.plain().contains("a")`, `${inner}.plain().contains("b")`, `${inner}.contains("c")`];
    const three = policyOf(policy(3, (at) => all[at]!)).cost;
    expect(three - one).toBeLessThan(3 * 1_100);
  });

  it('counts a value again that changes between two rules', () => {
    const scored = (at: number): string => `event.score > 5 && ${dear(0)} || event.score + ${at} > 5`;
    const once = policyOf(policy(2, scored, 'score: 5, then: { action: 2 }')).cost;
    const volatile = (at: number): string => `(${dear(0)} ? event.score : 3) > ${at * 0}`;
    const twice = policyOf(policy(2, volatile, 'score: 5, then: { action: 2 }')).cost;
    expect(twice).toBeGreaterThan(1.9 * once);
  });

  it('is that of the most expensive kind of event', () => {
    const [first, second] = [policy(10, dear), policy(10, (at) => `user.matches("[ab]*a[ab]{130}[cd](${at})?")`)];
    const logins = second
      .replace('rules:\n', '')
      .replaceAll('[operation]', '[login]')
      .replaceAll('reason: ', 'reason: 9');
    const both = policyOf(first + logins.replaceAll('name: rule', 'name: login'));
    expect(both.cost).toBe(policyOf(first).cost);
  });

  it('counts messages, because all rules can fire for one event', () => {
    const values = Array.from({ length: 50 }, () => '{{ account.email.replace("a", "b") }}').join(' ');
    const then = `then: { action: 3, message: "${values.replaceAll('"', '\\"')}" }`;
    expect(mistakesOf(policy(100, (at) => `order.amount > ${at}`, then))).toEqual([
      expect.stringContaining('the policy costs too much per operation'),
    ]);
  });

  it('accepts ordinary rules, a thousand of them estimated from two hundred', () => {
    const then =
      'then: { action: 3, message: "A payment of {{order.amount}} {{order.currency}}: {{transaction.description}}" }';
    expect(policyOf(policy(200, ordinary, then)).cost).toBeLessThan(policyCostMax / 10);
    const patterns = (at: number): string => `transaction.reference.matches("^[A-Z]{3}${at}[0-9]+$")`;
    expect(policyOf(policy(200, patterns, then)).cost).toBeLessThan(policyCostMax / 5);
  });

  describe('of features', () => {
    const kept = (count: number, kind: string, rest = ''): string =>
      Array.from({ length: count }, (_, at) => `  f${at}: { ${kind}, by: channelId, over: ${at + 1}h${rest} }\n`).join(
        '',
      );
    const readAll = (count: number, rest = 'then: { action: 2 }'): string =>
      policy(count, (at) => `f${at} == ${at}.125`, rest);

    it('counts all rows of an entity for each, by its kind', () => {
      const costOf = (kind: string): number =>
        policyOf(`features:\n${kept(2, kind)}${readAll(2)}`).cost -
        policyOf(`features:\n${kept(1, kind)}${readAll(1)}`).cost;
      const kinds = ['sum', 'max', 'stddev', 'median'].map((kind) => `${kind}: order.amount`);
      for (const [at, steps] of [5, 5, 8, 15].entries()) {
        expect(costOf(kinds[at]!)).toBeGreaterThanOrEqual(steps * exactRows);
        expect(costOf(kinds[at]!)).toBeLessThan(steps * exactRows + 100);
      }
    });

    it('accepts 97 counts or sums, and refuses 200 medians with a remedy', () => {
      for (const kind of ['count: true', 'sum: order.amount'])
        expect(policyOf(`features:\n${kept(97, kind)}${readAll(97)}`).cost).toBeLessThan(policyCostMax);
      expect(mistakesOf(`features:\n${kept(200, 'median: order.amount')}${readAll(200)}`)).toEqual([
        '2:3 the policy costs too much per operation: up to 12288600 steps, 12288000 of them for features; ' +
          'the most expensive parts are feature f0 61440, feature f1 61440, feature f2 61440 => at most 2000000: ' +
          'use fewer features of the expensive kinds (median, percentile, topShare, habit, stddev), shorter patterns, ' +
          'lists.words.exists(…) to search for many words, and mode: off for rules that are not needed',
      ]);
    });

    it('counts the features that a rule for that kind of event reads, in its condition, its messages or as part of a ratio', () => {
      const two = kept(2, 'median: order.amount');
      const costOf = (when: string, then: string, ratio = ''): number =>
        policyOf(
          `features:\n${two}${ratio}rules:\n  - { reason: 1, name: one, on: [operation], when: '${when}', ${then} }\n`,
        ).cost;
      const plain = costOf('order.amount > 1', 'then: { action: 2 }');
      expect(plain).toBeLessThan(exactRows);
      expect(costOf('f0 > 1', 'then: { action: 2 }')).toBeGreaterThan(15 * exactRows);
      expect(costOf('order.amount > 1', 'then: { action: 3, message: "{{f1}}" }')).toBeGreaterThan(15 * exactRows);
      expect(costOf('r > 1', 'then: { action: 2 }', '  r: { ratio: f0, to: f1 }\n')).toBeGreaterThan(30 * exactRows);
      expect(costOf('f0 > 1', 'then: { action: 2 }, mode: off')).toBe(0);
    });
  });
});
