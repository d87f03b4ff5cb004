import { expect, it } from 'vitest';
import { explainFired } from '../src/policy/explain-fired.ts';
import { policyChanges } from '../src/pages/policy/policy-changes.ts';

const files = (when: string, mode = 'live') => [
  {
    path: 'rules.yaml',
    text: `rules:\n  - reason: 11\n    name: Large\n    on: [operation]\n    when: ${when}\n    then: { action: 2, message: Closed }\n    mode: ${mode}\n`,
  },
];

it('shows the value and result of each part of a condition', () => {
  const shown = explainFired(files('order.amount > 100 || order.currency == "EUR"'), {
    reason: 11,
    facts: { 'order.amount': '250.5' },
  });
  expect(shown?.conditions).toEqual([
    { text: 'order.amount > 100', holds: true, values: [{ path: 'order.amount', text: '250.5' }] },
    { text: 'order.currency == "EUR"', holds: undefined, values: [{ path: 'order.currency', text: undefined }] },
  ]);
});

it('returns undefined for a rule that the version lacks', () => {
  expect(explainFired(files('order.amount > 100'), { reason: 12, facts: {} })).toBeUndefined();
});

it('describes the differences of two policies', () => {
  const changes = policyChanges(files('order.amount > 100'), files('order.amount > 50', 'shadow'));
  expect(changes).toEqual({
    rules: [
      {
        reason: 11,
        name: 'Large',
        kind: 'changed',
        parts: [
          { part: 'when', was: 'order.amount > 100', is: 'order.amount > 50' },
          { part: 'mode', was: 'live', is: 'shadow' },
        ],
      },
    ],
    others: [],
    hasNewFeatures: false,
    raisesControl: false,
  });
  expect(policyChanges(files('order.amount > 100'), files('order.amonut > 50'))).toBeUndefined();
});

it('shows messages as written, with their formats', () => {
  const saying = (then: string) => [
    {
      path: 'rules.yaml',
      text: `rules:\n  - { reason: 11, name: Large, when: order.amount > 100, then: ${then} }\n`,
    },
  ];
  const partsBetween = (before: string, after: string) =>
    policyChanges(saying(before), saying(after))?.rules.flatMap(({ parts }) => parts);
  const masked = 'Paid from {{account.accountNumber.mask()}} to {{payee.id}}.';
  const bare = 'Paid from {{account.accountNumber}} to {{payee.id}}.';
  expect(partsBetween(`{ action: 3, message: "${masked}" }`, `{ action: 3, message: "${bare}" }`)).toEqual([
    { part: 'message', was: masked, is: bare },
  ]);
  expect(partsBetween('{ action: 3, message: Paid }', '{ action: 3, message: Paid, format: html }')).toEqual([
    { part: 'format', was: '', is: 'html' },
  ]);
  expect(
    partsBetween(
      '[{ action: 2 }, { action: 3, message: Paid }]',
      '[{ action: 2, message: Paid }, { action: 3, message: Paid }]',
    ),
  ).toEqual([{ part: 'message', was: 'Send e-mail (3): Paid', is: 'Close session (2): Paid\nSend e-mail (3): Paid' }]);
});

it('writes cooldowns, caps and shares in policy syntax', () => {
  const [rule] = files('order.amount > 100');
  const held = {
    ...rule!,
    text: `${rule!.text}    cooldown: 90m per session\n    maxActions: [200 per hour, 3 per day per client]\n    share: 0.5%\n`,
  };
  expect(policyChanges([rule!], [held])?.rules[0]?.parts).toEqual([
    { part: 'share', was: '', is: '0.5%' },
    { part: 'cooldown', was: '', is: '1h30m per session' },
    { part: 'cap', was: '', is: '200 per hour' },
    { part: 'clientCap', was: '', is: '3 per day' },
  ]);
});

it('includes changed messages, scores and features', () => {
  const feature = (over: string) => ({
    path: 'features.yaml',
    text: `features:\n  paid: { count: true, by: account.client, on: [operation], over: ${over} }\n`,
  });
  const [rule] = files('order.amount > 100');
  const said = { ...rule!, text: rule!.text.replace('message: Closed', 'message: Call us') + '    score: 30\n' };
  const changes = policyChanges([rule!, feature('1h')], [said, feature('2h')]);
  expect(changes?.rules[0]?.parts.map(({ part }) => part)).toEqual(['message', 'score']);
  expect(changes?.others).toContainEqual({ of: 'feature paid', change: 'window 1h to 2h' });
});

it('infers live list items from the fact that the rule fired', () => {
  const listed = (when: string, facts: Readonly<Record<string, string>>): unknown => {
    const [rule] = files(JSON.stringify(when));
    const lists = `lists:\n  mules: { of: payee.id, live: true }\n  trusted: { of: client.id, live: true }\n  words: { of: user, live: true, max: 9 }\n`;
    const shown = explainFired([{ ...rule!, text: `${lists}${rule!.text}` }], { reason: 11, facts });
    return shown?.conditions.map(({ holds }) => holds);
  };
  const facts = { 'payee.id': 'A/1', 'client.id': 'ana', 'order.amount': '5' };
  const [mule, trusted] = ['payee.id in lists.mules', 'client.id in lists.trusted'];
  expect(listed(`order.amount > 1 && ${mule}`, facts)).toEqual([true, true]);
  expect(listed(`${mule} && !(${trusted})`, facts)).toEqual([true, true]);
  expect(listed(`${mule} || order.amount > 9`, facts)).toEqual([true, false]);
  expect(listed(`${mule} || ${trusted}`, facts)).toEqual([undefined, undefined]);
  expect(listed(`${mule} || order.amount > 1`, facts)).toEqual([undefined, true]);
  expect(listed('lists.words.exists(word, client.id.contains(word))', facts)).toEqual([undefined]);
});
