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
    const inControl = { controlFraud: 0, controlLegitimate: 0 };
    expect(items).toEqual([
      { reason: 101, fired: 1, shadow: 0, suppressed: 0, missing: 0, fraud: 1, legitimate: 0, ...inControl },
      { reason: 102, fired: 0, shadow: 0, suppressed: 0, missing: 2, fraud: 0, legitimate: 0, ...inControl },
    ]);
    expect(problemOf(await kit.at('GET', 'policies/99/health')).code).toBe('thing.unknown');
  });
});

describe('rules over time', () => {
  interface Rule {
    readonly reason: number;
    readonly days: readonly object[];
    readonly versions: readonly object[];
  }

  it('are counted by day, in the time zone of the workspace, and by version', async () => {
    const { pool, workspace } = kit;
    const today = new Date().toISOString().slice(0, 10);
    const count = (at: string, name: string, counted: number): Promise<unknown> =>
      pool.query(
        `insert into console_count (workspace_id, span, at, name, key, count) values ($1, 3600, $2, $3, '101', $4)`,
        [workspace.id, at, name, counted],
      );
    await count('2026-03-01T05:00:00Z', 'rule', 3);
    await count('2026-03-01T07:00:00Z', 'rule', 4);
    await count('2026-03-01T07:00:00Z', 'shadow', 2);
    await count('2026-03-02T05:00:00Z', 'rule', 1);
    await kit.call('PATCH', `/workspaces/${workspace.id}`, { body: { settings: { timezone: 'America/Mexico_City' } } });
    await kit.deps.registry.refresh();
    const range = 'from=2026-02-20T00:00:00Z&to=2026-03-10T00:00:00Z';
    const { items } = await kit.get<{ items: readonly Rule[] }>(`rule-history?${range}`);
    // Midnight in Mexico City is at six.
    expect(items.find(({ reason }) => reason === 101)).toEqual({
      reason: 101,
      days: [
        { at: '2026-02-28T06:00:00.000Z', fired: 3, shadow: 0, fraud: 0, legitimate: 0 },
        { at: '2026-03-01T06:00:00.000Z', fired: 5, shadow: 2, fraud: 0, legitimate: 0 },
      ],
      versions: [{ version, fired: 1, shadow: 0, suppressed: 0, missing: 0, fraud: 1, legitimate: 0 }],
    });
    await kit.call('PATCH', `/workspaces/${workspace.id}`, { body: { settings: { timezone: 'UTC' } } });
    await kit.deps.registry.refresh();
    // The label is on the day of its event. A longer range than a quarter begins later.
    const wide = await kit.get<{ from: string; to: string; items: readonly Rule[] }>(
      'rule-history?from=2020-01-01T00:00:00Z',
    );
    expect(Math.round((Date.parse(wide.to) - Date.parse(wide.from)) / 86_400_000)).toBe(92);
    expect(wide.items.find(({ reason }) => reason === 101)?.days.at(-1)).toEqual({
      at: `${today}T00:00:00.000Z`,
      fired: 0,
      shadow: 0,
      fraud: 1,
      legitimate: 0,
    });
  });

  it('are marked where a version changed them', async () => {
    const { id } = kit.workspace;
    const text = rules.replace('order.amount > 100', 'order.amount > 200');
    const next = await applyPolicy(kit.deps, id, {
      files: [{ path: 'rules.yaml', text }],
      author: 'test',
      comment: '',
      actor: 'api',
    });
    const { items } = await kit.get<{ items: readonly object[] }>('policy-activations');
    expect(items).toMatchObject([
      { version: next.version, before: version, rules: [103] },
      { version, before: 1 },
      { version: 1, rules: [] },
    ]);
    expect((await kit.get<{ items: readonly object[] }>('policy-activations?to=2020-01-01T00:00:00Z')).items).toEqual(
      [],
    );
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
