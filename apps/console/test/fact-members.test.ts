import { loadPolicy } from '@ringfence/policy';
import { expect, it } from 'vitest';
import { factMembers } from '../src/policy/fact-members.ts';

const text = `features:
  paid: { sum: order.amount, by: account.client, over: 24h }
  tries: { count: true, by: account.client, on: [operation], over: 24h }
  mean: { ratio: paid, to: tries }
  whoPaysIt: { distinct: client.id, by: payee.id, on: [operation], over: 24h }
rules:
  - reason: 1
    name: Odd
    on: [operation]
    when: paid > 1 && tries > 1 && mean > 1 && whoPaysIt > 1
    then: { action: 2, message: Hm }
`;

it.each([
  ['order.currency', ['order.currency']],
  ['order.amountText', ['order.amount']],
  ['paid', ['account.client', 'order.amount']],
  ['mean', ['account.client', 'order.amount', 'account.client']],
  ['whoPaysIt', ['accountTo.bank', 'accountTo.accountNumber', 'creditTo.bank', 'creditTo.account', 'account.client']],
  ['session.age', ['account.session', 'channelId']],
  ['ip.country', ['account.session']],
  ['event.score', []],
])('tells of which members %s comes', (path, members) => {
  const loaded = loadPolicy([{ path: 'a.yaml', text }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  expect(factMembers('operation', path, loaded.policy)).toEqual(members);
});

it('finds the members of a login itself', () => {
  expect(factMembers('login', 'client.logins')).toEqual(['user']);
  expect(factMembers('login', 'travel.kmh')).toEqual(['publicIp']);
  expect(factMembers('login', 'device.isNew')).toEqual(['data']);
});
