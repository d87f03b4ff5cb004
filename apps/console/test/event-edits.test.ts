import { describe, expect, it } from 'vitest';
import { membersOf, patchOf } from '../src/pages/event/event-edits.ts';

const body = {
  channelId: 1,
  order: { amount: 10.5, currency: 'MXN' },
  account: { client: 'a•••' },
  list: [1],
  flag: true,
  gone: null,
};
const never = (): boolean => false;

describe('an event that is edited', () => {
  it('lists its scalar members by dotted path', () => {
    expect(membersOf(body)).toEqual([
      { path: 'channelId', value: 1 },
      { path: 'order.amount', value: 10.5 },
      { path: 'order.currency', value: 'MXN' },
      { path: 'account.client', value: 'a•••' },
      { path: 'flag', value: true },
      { path: 'gone', value: null },
    ]);
  });

  it('becomes a merge patch of the changed members', () => {
    const members = membersOf(body);
    expect(patchOf(members, new Map(), never)).toEqual({});
    expect(
      patchOf(
        members,
        new Map([
          ['order.amount', '25000'],
          ['account.client', undefined],
          ['flag', 'false'],
          ['accountTo.bank', '12'],
          ['order.currency', '12'],
        ]),
        never,
      ),
    ).toEqual({
      order: { amount: 25_000, currency: '12' },
      account: { client: null },
      flag: false,
      accountTo: { bank: '12' },
    });
  });

  it('is sent with every typed digit', () => {
    const sent = (amount: string): string =>
      JSON.stringify(patchOf(membersOf(body), new Map([['order.amount', amount]]), never));
    expect(sent('123456789012345678.123456')).toBe('{"order":{"amount":123456789012345678.123456}}');
    expect(sent('-90071992547409.931')).toBe('{"order":{"amount":-90071992547409.931}}');
    expect(sent('0000000000000000.5')).toBe('{"order":{"amount":0.5}}');
  });

  it('sends invalid numbers unchanged, so that the service reports the error', () => {
    expect(patchOf(membersOf(body), new Map([['order.amount', 'much']]), never)).toEqual({ order: { amount: 'much' } });
    expect(patchOf([], new Map([['order.amount', '7']]), (path) => path === 'order.amount')).toEqual({
      order: { amount: 7 },
    });
  });
});
