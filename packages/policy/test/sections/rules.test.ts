/* oxlint-disable unicorn/no-thenable -- `then` is the policy's own word */
import { describe, expect, it } from 'vitest';
import { decimal } from '../evaluate.ts';
import { factsOf, mistakesOf, policyOf } from '../load.ts';

const minimal = { reason: '101', name: 'a rule', when: "'order.amount > 1'", then: '{ action: 2 }' };

/** A rule with some fields changed; `undefined` removes one. */
function rules(changed: Readonly<Record<string, string | undefined>>): string {
  const fields = Object.entries({ ...minimal, ...changed }).filter(([, value]) => value !== undefined);
  return `rules:\n  - { ${fields.map(([key, value]) => `${key}: ${value ?? ''}`).join(', ')} }\nactions:\n  6: Ask\n`;
}

describe('a rule', () => {
  it('has defaults for absent fields', () => {
    expect(policyOf(rules({})).rules[0]).toMatchObject({
      reason: 101,
      name: 'a rule',
      mode: 'live',
      text: 'order.amount > 1',
      cooldown: undefined,
      maxActions: undefined,
      description: undefined,
      then: [{ action: 2, format: 'text' }],
    });
  });

  it('fires on its facts', () => {
    const policy = policyOf(rules({}));
    const [rule] = policy.rules;
    expect(rule?.when(factsOf(policy, { 'order.amount': decimal('1.01') }))).toBe(true);
    expect(rule?.when(factsOf(policy, { 'order.amount': decimal('1') }))).toBe(false);
    expect(rule?.when(factsOf(policy, {}))).toBeUndefined();
    expect(rule?.reads).toEqual([{ path: 'order.amount', slot: policy.slots.of('order.amount'), type: 'decimal' }]);
  });

  it.each([
    ["'order.amount > 1'", undefined, ['operation']],
    ['\'publicIp == "x"\'', undefined, ['login', 'logout']],
    ["'client.known'", undefined, ['login', 'logout', 'operation']],
    ["'client.known'", 'logout', ['logout']],
    ["'has(order.amount) || client.known'", undefined, ['login', 'logout', 'operation']],
    ["'client.known'", '[operation, login]', ['login', 'operation']],
  ])('when %s on %s is evaluated on %s', (when, on, kinds) => {
    expect([...(policyOf(rules({ when, on })).rules[0]?.on ?? [])]).toEqual(kinds);
  });

  it.each([
    ['15m per session', { ms: 900_000, per: 'session' }],
    ['24h per client', { ms: 86_400_000, per: 'client' }],
  ])('cooldown %s', (cooldown, expected) => {
    expect(policyOf(rules({ cooldown })).rules[0]?.cooldown).toEqual(expected);
  });

  it.each([
    ['100 per hour', { count: 100, perMs: 3_600_000 }],
    ['1 per day', { count: 1, perMs: 86_400_000 }],
  ])('maxActions %s', (maxActions, expected) => {
    expect(policyOf(rules({ maxActions })).rules[0]?.maxActions).toEqual(expected);
  });

  it('has several actions', () => {
    const then =
      '[{ action: 1 }, { action: 6, message: m }, { action: 3, message: "<b>{{ user }}</b>", format: html }]';
    const [rule] = policyOf(rules({ when: "'client.known'", then })).rules;
    expect(rule?.then.map(({ action, format }) => [action, format])).toEqual([
      [1, 'text'],
      [6, 'text'],
      [3, 'html'],
    ]);
    expect(policyOf(rules({})).actions).toEqual(new Map([[6, 'Ask']]));
  });
});

describe('a rule that does not check', () => {
  it.each([
    [{ reason: undefined }, '2:5 the rule has no reason => reason: 101, the number that the webhook carries'],
    [{ reason: '"101"' }, '2:15 reason is 101 => 101, without quotes'],
    [{ reason: '1_000' }, '2:15 reason is 1_000 => 1000'],
    [{ reason: '1k' }, '2:15 reason is 1k => 1000'],
    [{ score: '0.5' }, '2:88 score is 0.5 => a whole number from 0 to 1000'],
    [{ reason: '0' }, '2:15 reason is 0 => a whole number from 1 to 2147483647'],
    [{ reason: '1.5' }, '2:15 reason is 1.5 => a whole number from 1 to 2147483647'],
    [{ reason: '"101"' }, '2:15 reason is 101 => 101, without quotes'],
    [{ name: undefined }, '2:5 the rule has no name => name: what it catches'],
    [{ name: '5' }, '2:26 name is a text => "5", in quotes'],
    [{ name: '""' }, '2:26 name is empty => a text'],
    [{ when: undefined }, '2:5 the rule has no condition => when: order.amount > 1000'],
    [{ when: '' }, '2:40 when is empty => a text'],
    [{ when: '[a]' }, '2:40 when is not a list or a mapping => a text'],
    [{ when: "'order.amount > 1 &&'" }, '2:60 the expression ends too early => a condition after it, or nothing'],
    [{ then: undefined }, '2:5 the rule has no action => then: { action: 2 }'],
    [{ then: '[]' }, '2:66 then is empty => { action: 2 }'],
    [{ then: '{ message: m }' }, '2:66 then has an entry without an action => action: 2'],
    [
      { then: '{ action: 7 }' },
      '2:76 action 7 is not declared => under actions: 7: its name; known are 1 Block user, 2 Close session, 3 Send e-mail, 4 Send SMS, 5 Send e-mail and SMS, 6 Ask',
    ],
    [{ then: '[{ action: 2 }, { action: 2 }]' }, '2:66 then has an action twice => each action once'],
    [
      { then: '{ action: 4 }' },
      '2:66 action 4 (Send SMS) needs a message => message: "A payment of {{order.amount}} was stopped."',
    ],
    [{ then: '{ action: 4, message: " " }' }, '2:88 message is empty => what the user reads'],
    [{ then: '{ action: 4, message: m, format: HTML }' }, '2:99 format is never HTML => html'],
    [{ mode: 'on' }, '2:87 mode is never on => one of live, shadow, off'],
    [{ cooldown: '15m' }, '2:91 the cooldown is 15m => 15m per session, or 24h per client'],
    [{ cooldown: '15m per user' }, '2:91 the cooldown is 15m per user => 15m per session, or 24h per client'],
    [{ cooldown: '100d per client' }, '2:91 the cooldown is 100d per client => from 1s to 90d'],
    [{ maxActions: '100' }, '2:93 maxActions is 100 => 100 per hour (or minute, or day), or 3 per day per client'],
    [
      { maxActions: '0 per hour' },
      '2:93 maxActions is 0 per hour => 100 per hour (or minute, or day), or 3 per day per client',
    ],
    [{ on: '[login]' }, '2:85 logins never have order.amount => on: [operation]'],
    [{ on: 'payment' }, '2:85 on is never payment => one of login, logout, operation'],
    [
      { when: '\'order.amount > 1 && publicIp == "x"\'' },
      '2:5 no event has all the facts that the condition reads => on: [operation]',
    ],
    [{ thn: '1' }, '2:81 a rule has no thn => then'],
    [
      { then: '{ action: 2, message: "{{publicIp}}" }' },
      '2:88 operations never have publicIp => a fact of these events',
    ],
  ])('%j', (changed, expected) => {
    expect(mistakesOf(rules(changed))).toContain(expected);
  });

  it('loads with a cap beyond the stored action times, and warns of it', () => {
    expect(policyOf(rules({ maxActions: '65537 per day' })).rules[0]?.maxActions?.count).toBe(65_537);
    expect(mistakesOf(rules({ maxActions: '65537 per day' }))).toEqual([
      '2:93 warning: maxActions of 65537 has the same effect as 65536 => at most 65536',
    ]);
    expect(mistakesOf(rules({ maxActions: '65536 per day' }))).toEqual([]);
  });

  it.each([
    [
      { mode: 'shadwo', group: 'x', cooldown: '15m by session', maxActions: '100 an hour', share: '110%', score: '-1' },
      ['mode is', 'there is no group x', 'the cooldown is', 'maxActions is', 'share is', 'score is'],
    ],
    [
      { then: '{ action: 99, message: "{{ordr.amount}}", format: htm }' },
      ['action 99 is', 'there is no fact or feature ordr.amount', 'format is'],
    ],
  ])('in several ways, which are all reported: %j', (changed, expected) => {
    const mistakes = mistakesOf(rules(changed));
    expect(mistakes).toHaveLength(expected.length);
    for (const start of expected) expect(mistakes).toContainEqual(expect.stringContaining(start));
  });

  it('with a reason or a name that is already used, whatever else is wrong', () => {
    const rule = (reason: number, name: string, mode: string): string =>
      `  - { reason: ${reason}, name: ${name}, when: 'client.known', then: { action: 2 }, mode: ${mode} }\n`;
    expect(mistakesOf(`rules:\n${rule(1, 'n', 'on')}${rule(1, 'm', 'live')}${rule(2, 'n', 'on')}`)).toEqual([
      '2:76 mode is never on => one of live, shadow, off',
      '3:5 reason 1 is already used by "n" (policy.yaml, line 2) => another number',
      '4:5 there are two rules "n": this one and policy.yaml, line 2 => another name',
      '4:76 mode is never on => one of live, shadow, off',
    ]);
    const nameless = rule(1, 'n', 'live').replace('name: n, ', '');
    expect(mistakesOf(`rules:\n${nameless}${rule(1, 'm', 'live')}`)).toContain(
      '3:5 reason 1 is already used by a rule without a name (policy.yaml, line 2) => another number',
    );
  });

  it('with a reason or a name that is already used', () => {
    const text = `rules:\n${[1, 2].map(() => "  - { reason: 1, name: n, when: 'client.known', then: { action: 2 } }").join('\n')}`;
    expect(mistakesOf(text)).toEqual(['3:5 reason 1 is already used by "n" (policy.yaml, line 2) => another number']);
    expect(mistakesOf(text.replace('reason: 1', 'reason: 2'))).toEqual([
      '3:5 there are two rules "n": this one and policy.yaml, line 2 => another name',
    ]);
  });

  it.each([
    ['2: Mine', '2:3 action 2 is "Close session" => custom actions begin at 6'],
    ['0: Mine', '2:3 0 is not the number of a custom action => a whole number from 6 to 9999'],
    ['x: Mine', '2:3 x is not the number of a custom action => a whole number from 6 to 9999'],
    ['6: 7', '2:6 the name of an action is a text => "7", in quotes'],
  ])('actions: %s', (entry, expected) => {
    expect(mistakesOf(`actions:\n  ${entry}`)).toContain(expected);
  });
});

it.each([
  ['1e3', 1_000],
  ['0x10', 16],
  ['007', 7],
])('warns of a reason that YAML reads as another number: %s', (reason, number) => {
  expect(mistakesOf(rules({ reason }))).toEqual([`2:15 warning: reason ${reason} is ${number} => ${number}`]);
  expect(policyOf(rules({ reason })).rules[0]?.reason).toBe(number);
});

it('warns of a condition that reads nothing', () => {
  expect(mistakesOf(rules({ when: 'true' }))).toEqual([
    '2:40 warning: the condition reads no fact: it is always true => a condition that reads a fact',
  ]);
});

describe('lists', () => {
  it('contain values of their fact', () => {
    const policy = policyOf(
      "lists:\n  ch: { of: channelId, items: [1, 2] }\n  am: { of: order.amount, items: [9.99] }\nrules:\n  - { reason: 1, name: r, when: 'channelId in lists.ch && order.amount in lists.am', then: { action: 2 } }",
    );
    expect(policy.rules[0]?.when(factsOf(policy, { channelId: 2, 'order.amount': decimal('9.990') }))).toBe(true);
    expect(policy.rules[0]?.when(factsOf(policy, { channelId: 3, 'order.amount': decimal('9.99') }))).toBe(false);
  });

  it.each([
    ['{ items: [a] }', '2:6 the list l has no of => of: payee.id'],
    ['{ of: payee, items: [a] }', '2:12 there is no fact payee'],
    ['{ of: transaction.details }', "2:12 transaction.details is a map, and a list can't contain that"],
    ['{ of: payee.id, items: [5] }', '2:30 an item is a text => "5", in quotes'],
    ['{ of: channelId, items: [a] }', '2:31 an item is a => a whole number'],
    ['{ of: order.amount, items: [1.0000000000001] }', '2:34 1.0000000000001 is not a number => such as 1000.50'],
    ['{ of: payee.id, itms: [a] }', '2:22 a list has no itms => items'],
  ])('%s', (fields, expected) => {
    expect(mistakesOf(`lists:\n  l: ${fields}`)).toContain(expected);
  });
});
