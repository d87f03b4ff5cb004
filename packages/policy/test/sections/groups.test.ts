import { describe, expect, it } from 'vitest';
import { mistakesOf, policyOf } from '../load.ts';

const rule = (fields: string): string =>
  `rules:\n  - { reason: 1, name: one, on: [operation], when: order.amount > 1, ${fields} }\n`;
const then = 'then: { action: 2 }';

describe('groups', () => {
  it('are in the order of evaluation', () => {
    const policy = policyOf(
      `groups: { later: { priority: 20 }, b: { priority: 3, match: first }, a: { priority: 3 } }\n${rule(`${then}, group: later`)}`,
    );
    expect(policy.groups).toEqual([
      { name: 'a', priority: 3, match: 'all' },
      { name: 'b', priority: 3, match: 'first' },
      { name: 'later', priority: 20, match: 'all' },
    ]);
    expect(policy.rules[0]!.group).toBe('later');
  });

  it.each([
    [
      'groups: { a: { match: all } }',
      '1:14 the group a has no priority => priority: 10; groups with smaller numbers are evaluated first',
    ],
    ['groups: { a: { priority: 0 } }', '1:26 priority is 0 => a whole number from 1 to 1000'],
    ['groups: { lists: { priority: 1 } }', '1:11 lists already has a meaning => another name, such as lists24h'],
    ['groups: { a: { priority: 1, match: any } }', '1:36 match is never any => one of all, first'],
  ])('%s', (groups, mistake) => {
    expect(mistakesOf(`${groups}\n${rule(then)}`)).toContain(mistake);
  });

  it('must exist if a rule names them', () => {
    expect(mistakesOf(`groups: { early: { priority: 1 } }\n${rule(`${then}, group: erly`)}`)).toEqual([
      '3:98 there is no group erly => early',
    ]);
  });
});

describe('the score', () => {
  it("can't be read by a feature", () => {
    const mistakes = mistakesOf(
      `features:\n  a: { count: true, by: client.id, over: 1h, where: event.score > 1 }\n  b: { sum: event.score, by: client.id, over: 1h }\n${rule(then)}`,
    );
    expect(mistakes).toEqual([
      '2:53 event.score is computed by the rules, and features are counted before any rule is evaluated',
      '3:13 event.score is computed by the rules, after features are counted => another fact',
    ]);
  });

  it('is always 0 if no rule has a score', () => {
    const reading = (group: string): string =>
      `groups: { late: { priority: 5 } }\n${rule(`${then}, score: 10`)}  - { reason: 2, name: two, on: [operation], when: event.score > 5, ${then}${group} }\n`;
    expect(mistakesOf(reading(', group: late'))).toEqual([]);
    expect(mistakesOf(reading(''))).toEqual([
      '1:11 warning: no rule is in group late => group: late in a rule, or remove the group',
      '3:3 warning: rule 2 reads event.score, but no rule of an earlier group has a score => a group with a larger priority',
    ]);
  });
});

describe('the limits of a rule', () => {
  it.each([
    ['10%', 1_000],
    ['0.5%', 50],
    ['100%', 10_000],
    ['12.34%', 1_234],
  ])('a share of %s', (text, share) => {
    expect(policyOf(rule(`${then}, share: ${text}`)).rules[0]!.share).toBe(share);
  });

  it.each(['0%', '101%', '10', 'half', '1.234%'])('%s is not a share', (text) => {
    expect(mistakesOf(rule(`${then}, share: ${text}`))).toEqual([
      expect.stringContaining(`share is ${text} => a percentage of clients from 0.01% to 100%, such as 10%`),
    ]);
  });

  it('are a cap of the rule, one per client, or both', () => {
    const capsOf = (text: string): unknown => {
      const { maxActions, maxActionsPerClient } = policyOf(rule(`${then}, maxActions: ${text}`)).rules[0]!;
      return [maxActions, maxActionsPerClient];
    };
    const perHour = { count: 100, perMs: 3_600_000 };
    const perDay = { count: 3, perMs: 86_400_000 };
    expect(capsOf('100 per hour')).toEqual([perHour, undefined]);
    expect(capsOf('3 per day per client')).toEqual([undefined, perDay]);
    expect(capsOf('[3 per day per client, 100 per hour]')).toEqual([perHour, perDay]);
    expect(mistakesOf(rule(`${then}, maxActions: [1 per hour, 2 per day]`))[0]).toContain(
      'has two caps of the same kind',
    );
    expect(mistakesOf(rule(`${then}, maxActions: 101 per day per client`))[0]).toContain('at most 100');
  });
});

describe('an action', () => {
  it('can be given by its name', () => {
    const asked = (action: string): unknown =>
      policyOf(`actions: { 6: Step-up }\n${rule(`then: { action: ${action} }`)}`).rules[0]!.then[0]!.action;
    expect(asked('Step-up')).toBe(6);
    expect(asked('Close session')).toBe(2);
    expect(mistakesOf(`actions: { 6: Step-up }\n${rule('then: { action: step-up }')}`)[0]).toContain(
      'there is no action "step-up" => Step-up',
    );
  });
});

it('a policy that uses none of it keeps its canonical text', () => {
  expect(policyOf(rule(then)).canonical).toBe(
    '{"features":[],"lists":[],"rules":[{"reason":1,"name":"one","on":["operation"],"when":"order.amount > 1","actions":[{"action":2,"format":"text","message":""}],"mode":"live"}]}',
  );
});
