import { expect, it } from 'vitest';
import { definitionsOf } from '../src/pages/policy/definitions.ts';
import { policyChanges } from '../src/pages/policy/policy-changes.ts';

const before = [
  {
    path: 'rules.yaml',
    text: `params:
  many: { type: int, default: 6 }
  unread: { type: int, default: 1 }
lists:
  mules: { of: payee.id, items: [B1/666] }
features:
  paid: { count: true, by: client.id, over: 7d }
rules:
  - { reason: 11, name: Often, when: paid > params.many, then: { action: 2 } }
`,
  },
];
const after = [
  {
    path: 'rules.yaml',
    text: `actions: { 6: Call the client }
params:
  many: { type: int, default: 5 }
  unread: { type: int, default: 1 }
lists:
  mules: { of: payee.id, items: [B1/666] }
features:
  paid: { count: true, by: client.id, over: 7d }
  # What a client moves to mules.
  toMules:
    sum: order.amount
    by: client.id
    over: 1h
    where: payee.id in lists.mules
rules:
  - { reason: 11, name: Often, when: paid > params.many, then: { action: 2 } }
  - { reason: 12, name: To mules, when: toMules > 100, then: { action: 6 } }
`,
  },
];

it('shows each new or changed definition, and what the changed rules read', async () => {
  const found = await definitionsOf(before, after, [12]);
  expect(found?.map(({ kind, name, state, rules }) => [kind, name, state, rules])).toEqual([
    ['feature', 'toMules', 'added', [12]],
    ['param', 'many', 'changed', [11]],
    ['list', 'mules', 'same', [12]],
  ]);
  const [feature] = found!;
  expect(feature?.text).toBe(
    'toMules:\n  sum: order.amount\n  by: client.id\n  over: 1h\n  where: payee.id in lists.mules',
  );
  expect(feature?.parts).toEqual([
    ['kind', 'sum'],
    ['of', 'order.amount'],
    ['by', 'client.id'],
    ['over', '1h'],
    ['where', 'payee.id in lists.mules'],
    ['events', 'operation'],
  ]);
  expect(await definitionsOf(before, [{ path: 'a.yaml', text: 'rules: 1' }], [])).toBeUndefined();
});

it('names the actions of changed rules', () => {
  const actions = policyChanges(before, after)?.rules.flatMap(({ parts }) =>
    parts.filter(({ part }) => part === 'actions'),
  );
  expect(actions).toEqual([{ part: 'actions', was: '', is: 'Call the client (6)' }]);
  const [first, second] = [before[0]!.text, before[0]!.text.replace('{ action: 2 }', '{ action: 1 }')];
  const spanish = (action: number): string => ['Bloquear al usuario', 'Cerrar la sesión'][action - 1]!;
  const of = (text: string) => [{ path: 'rules.yaml', text }];
  expect(policyChanges(of(first), of(second), spanish)?.rules[0]?.parts).toEqual([
    { part: 'actions', was: 'Cerrar la sesión (2)', is: 'Bloquear al usuario (1)' },
  ]);
});
