import { assert } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { rulesReading } from '../../src/explain/list-readers.ts';
import { loadPolicy } from '../../src/check/load-policy.ts';

const text = `
lists:
  mules: { of: payee.id, live: true }
  muleBanks: { of: accountTo.bank, items: [B9] }
features:
  toMules: { count: true, by: account.client, over: 24h, on: [operation], where: payee.id in lists.mules }
  payments: { count: true, by: account.client, over: 24h, on: [operation] }
  muleShare: { ratio: toMules, to: payments }
rules:
  - { reason: 1, name: a, on: [operation], when: payee.id in lists.mules, then: { action: 2 } }
  - { reason: 2, name: b, on: [operation], when: toMules > 3, then: { action: 2 } }
  - { reason: 3, name: c, on: [operation], when: muleShare > 0.5, then: { action: 2 } }
  - { reason: 4, name: d, on: [operation], when: 'transaction.type == "lists.mules" || payments > 9', then: { action: 2 } }
  - { reason: 5, name: e, on: [operation], when: accountTo.bank in lists.muleBanks, then: { action: 2 } }
`;

it('names the rules that read a list, directly or by a feature', () => {
  const read = loadPolicy([{ path: 'rules.yaml', text }]);
  assert(read.ok, 'the policy checks');
  expect(rulesReading(read.policy, 'mules')).toEqual([1, 2, 3]);
  expect(rulesReading(read.policy, 'muleBanks')).toEqual([5]);
  expect(rulesReading(read.policy, 'mule')).toEqual([]);
});
