import { describe, expect, it } from 'vitest';
import { itemText, neverMatched, readItem } from '../../src/facts/item-text.ts';
import { mistakesOf, policyOf } from '../load.ts';

const rule = (when: string): string =>
  `rules:\n  - { reason: 1, name: one, on: [operation], when: '${when}', then: { action: 2 } }\n`;

describe('a live list', () => {
  it('describes itself', () => {
    const lists =
      '{ mules: { of: payee.id, live: true, items: [B1/1], description: known }, own: { of: publicIp }, pairs: { of: [payee.id, client.id], live: true, max: 5 } }';
    const policy = policyOf(`lists: ${lists}\n${rule('payee.id in lists.mules')}`);
    expect(policy.lists.map(({ live, ...list }) => ({ ...list, max: live?.max }))).toEqual([
      {
        name: 'mules',
        description: 'known',
        of: ['payee.id'],
        type: 'string',
        isAddress: false,
        declared: 1,
        max: 10_000,
      },
      {
        name: 'own',
        description: undefined,
        of: ['publicIp'],
        type: 'string',
        isAddress: true,
        declared: 0,
        max: undefined,
      },
      {
        name: 'pairs',
        description: undefined,
        of: ['payee.id', 'client.id'],
        type: 'string',
        isAddress: false,
        declared: 0,
        max: 5,
      },
    ]);
  });

  it.each([
    ['{ of: payee.id, max: 5 }', 'payee.id in lists.a', '1:34 only a live list has a max => live: true'],
    ['{ of: payee.id, live: maybe }', 'payee.id in lists.a', '1:35 live is never maybe => one of true, false'],
    [
      '{ of: [payee.id, order.amount], live: true }',
      'payee.id in lists.a',
      '1:19 order.amount is a decimal, but pairs consist of texts => [device.id, client.id]',
    ],
    ['{ of: [payee.id, client.id], live: true }', 'payee.id in lists.a', 'lists.a contains pairs'],
    [
      '{ of: channelId, live: true }',
      'order.amount in lists.a',
      'order.amount is a decimal, but lists.a contains values of type int',
    ],
    [
      '{ of: payee.id, live: true, max: 50000 }',
      'lists.a.exists(x, payee.id.contains(x))',
      'exists over 50000 items takes too long',
    ],
  ])('%s', (list, when, mistake) => {
    expect(mistakesOf(`lists: { a: ${list} }\n${rule(when)}`).join('\n')).toContain(mistake);
  });

  it('is not a constant: a condition over it alone is evaluated for each event', () => {
    const policy = policyOf(
      `lists: { a: { of: payee.id, live: true } }\n${rule('"B1/1" in lists.a && order.amount > 1')}`,
    );
    expect(policy.rules[0]!.text).toBe('"B1/1" in lists.a && order.amount > 1');
    const [condition] = policy.rules[0]!.conditions;
    expect(condition!.holds([])).toBe(false);
    const items = { has: (text: string) => text === 'B1/1', texts: () => [] };
    const facts: unknown[] = [];
    facts[policy.lists[0]!.live!.slot] = items;
    expect(condition!.holds(facts as never)).toBe(true);
  });
});

describe('an item', () => {
  const list = (of: readonly string[], type: 'string' | 'int' | 'decimal' | 'bool', isAddress = false) => ({
    of,
    type,
    isAddress,
  });

  it.each([
    [list(['payee.id'], 'string'), ['B1/1'], 'B1/1'],
    [list(['payee.id', 'client.id'], 'string'), ['B1/1', 'ana'], 'B1/1\u0000ana'],
    [list(['channelId'], 'int'), ['007'], '7'],
    [list(['order.amount'], 'decimal'), ['10.50'], '10.5'],
    [list(['ip.valid'], 'bool'), ['true'], 'true'],
    [list(['publicIp'], 'string', true), ['203.0.113.0/24'], '203.0.113.0/24'],
  ])('of %j: %j', (of, parts, text) => {
    expect(readItem(of, parts)).toEqual({ ok: true, text });
  });

  it.each([
    [list(['payee.id'], 'string'), ['']],
    [list(['payee.id'], 'string'), ['a', 'b']],
    [list(['payee.id', 'client.id'], 'string'), ['a\u0000b', 'c']],
    [list(['channelId'], 'int'), ['1.5']],
    [list(['order.amount'], 'decimal'), ['much']],
    [list(['ip.valid'], 'bool'), ['yes']],
    [list(['publicIp'], 'string', true), ['203.0.113.0/33']],
  ])('of %j is not %j', (of, parts) => {
    expect(readItem(of, parts)).toMatchObject({ ok: false });
  });

  it('has the text of its value', () => {
    expect(itemText(7, 'int')).toBe('7');
    expect(itemText(true, 'bool')).toBe('true');
  });
});

describe('a pair that is never on its list', () => {
  const warned = (pair: string): readonly string[] =>
    mistakesOf(
      `lists: { pairs: { of: [payee.id, client.id], live: true } }\nrules:\n  - { reason: 1, name: one, on: [operation], when: '${pair} in lists.pairs', then: { action: 2 } }`,
    );

  it.each([
    [
      '[client.id, payee.id]',
      'lists.pairs contains pairs of payee.id and client.id, in this order => [payee.id, client.id] in lists.pairs',
    ],
    [
      '[payee.id, channelId]',
      'pairs consist of texts, and channelId is not a text: this is never in lists.pairs => string(channelId)',
    ],
    ['[1, client.id]', 'pairs consist of texts, and 1 is not a text: this is never in lists.pairs => string(1)'],
  ])('%s is warned of', (pair, message) => {
    const own = warned(pair).filter((one) => one.includes('pairs'));
    expect(own).toHaveLength(1);
    expect(own[0]).toMatch(/^3:\d+ warning: /);
    expect(own[0]).toContain(message);
  });

  it.each([
    '[payee.id, client.id]',
    '[payee.id, account.client]',
    '["B1/2", client.id]',
    '[string(channelId), client.id]',
  ])('%s is not warned of', (pair) => expect(warned(pair)).toEqual([]));
});

it.each([
  [['ip.country'], ['UK'], '"GB"'],
  [['ip.country'], ['MX'], undefined],
  [['ip.country', 'order.currency'], ['MX', 'mxn'], 'the code in capitals, such as "MXN"'],
  [['payee.id'], ['123'], 'BANK/123, or /123 without a bank'],
  [['payee.id', 'client.id'], ['B/1', 'ana'], undefined],
  [['creditCard.hash'], ['5d41402abc4b2a76b9719d911017c592'], expect.stringContaining('filled from events')],
  [['creditCard.hash'], ['0123456789abcdef'.repeat(4)], undefined],
  [['publicIp'], ['203.0.113.0/24'], undefined],
])('an item of %j that no event can match is told: %j', (of, parts, instead) => {
  expect(neverMatched({ of }, parts)).toEqual(instead);
});
