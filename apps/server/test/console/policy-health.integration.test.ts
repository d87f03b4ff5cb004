/** How the rules of a version performed, the results of its tests, and the origins of clients. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from '../api/support/management-kit.ts';

let kit: ManagementKit;
let version: number;

const rules = `rules:
  - reason: 101
    name: Second payment
    on: [operation]
    when: client.operations == 2
    then: { action: 4, message: Look at it }
  - reason: 102
    name: Needs a type
    on: [operation]
    when: transaction.type == "x"
    then: { action: 4, message: Look at it }
    mode: shadow
  - reason: 103
    name: Large
    on: [operation]
    when: order.amount > 100
    then: { action: 4, message: Look at it }
tests:
  - name: a large payment
    given:
      - { at: +0s, login: { channelId: 1, user: ana, session: s, publicIp: 203.0.113.7, data: x } }
      - { at: +1s, operation: { channelId: 1, account: { client: ana, session: s }, order: { amount: 101, currency: MXN } } }
    expect: [{ reason: 103 }]
  - name: a small payment, of which too much is expected
    given:
      - { at: +0s, operation: { channelId: 1, account: { client: ana, session: s }, order: { amount: 1, currency: MXN } } }
    expect: [{ reason: 103 }]
`;
const files = [{ path: 'rules.yaml', text: rules }];

beforeAll(async () => {
  kit = await managementKit();
  version = (await applyPolicy(kit.deps, kit.workspace.id, { files, author: 'test', comment: '', actor: 'api' }))
    .version;
  const host = kit.startHost();
  await host.ready;
  await kit.send('login', { ...login('ana'), publicIp: '1.1.1.1' });
  await kit.send('operation', payment('ana'));
  const second = await kit.send('operation', payment('ana'));
  await kit.settled();
  const told = await kit.at('POST', 'labels', {
    body: { labels: [{ event: second, label: 'fraud' }] },
  });
  if (told.statusCode >= 300) throw new Error(told.body);
  await kit.settled();
  await host.stop(); // with its last checkpoint
});

afterAll(() => kit.close());

describe('the health of rules', () => {
  it('is how often each fired, missed a fact, and was right', async () => {
    const { keptAt, items } = await kit.get<{ keptAt: string; items: readonly object[] }>(`policies/${version}/health`);
    expect(Date.parse(keptAt)).toBeLessThanOrEqual(Date.now());
    expect(items).toEqual([
      { reason: 101, fired: 1, shadow: 0, suppressed: 0, missing: 0, fraud: 1, legitimate: 0 },
      { reason: 102, fired: 0, shadow: 0, suppressed: 0, missing: 2, fraud: 0, legitimate: 0 },
    ]);
    expect(problemOf(await kit.at('GET', 'policies/99/health')).code).toBe('thing.unknown');
  });
});

describe('the tests of a policy', () => {
  it('report differences, and the rules that they do not cover', async () => {
    const answer = await kit.at('POST', 'policies/test', { body: { files } });
    expect(answer.json()).toMatchObject({
      tests: [
        { name: 'a large payment', passed: true, differences: [], fired: [103], file: 'rules.yaml' },
        {
          passed: false,
          differences: [expect.stringContaining('rule 103')],
          fired: [],
          missed: expect.arrayContaining([103]),
        },
      ],
      unfired: [101, 102],
    });
  });

  it('are not run for a policy with errors', async () => {
    const broken = [{ path: 'rules.yaml', text: rules.replace('order.amount >', 'order.amonut >') }];
    expect(problemOf(await kit.at('POST', 'policies/test', { body: { files: broken } })).code).toBe('policy.invalid');
  });
});

describe('places', () => {
  it('are the countries of logins', async () => {
    const { items } = await kit.get<{ items: readonly { readonly clientRef: string }[] }>('events');
    const { clientRef } = items[0]!;
    const places = await kit.get<{ items: readonly object[] }>(`entities/client/${clientRef}/places`);
    expect(places.items).toMatchObject([{ country: expect.stringMatching(/^[A-Z]{2}$/), events: 1, fired: 0 }]);
  });
});
