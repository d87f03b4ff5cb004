/**
 * A condition finds the events in the log on which a rule with that condition would have fired, with features as of
 * then.
 */
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loggedIn } from '../../access/accounts/support/browser.ts';
import { applyPolicy } from '../../../src/policies/policy-store.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from '../../api/support/management-kit.ts';
import { readStream, type Told } from './support/read-stream.ts';

let kit: ManagementKit;
let base: string;

const policy = `features:
  clientPayments: { count: true, by: client.id, over: 1h, on: [operation] }
  lastPayee: { previous: payee.id, by: client.id, over: 1h }
rules:
  - reason: 101
    name: Third payment
    on: [operation]
    when: clientPayments >= 3
    then: { action: 4, message: Look at it }
`;
const asProgram = { authorization: 'Bearer rf_admin_token-of-the-tests-of-management' };

beforeAll(async () => {
  kit = await managementKit();
  const files = [{ path: 'rules.yaml', text: policy }];
  await applyPolicy(kit.deps, kit.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  const host = kit.startHost();
  await host.ready;
  for (const client of ['ana', 'ben']) {
    await kit.send('login', { ...login(client), publicIp: '189.203.1.1' });
    for (let i = 0; i < (client === 'ana' ? 5 : 2); i++) await kit.send('operation', payment(client));
  }
  await kit.settled();
  await host.stop();
  await kit.deps.registry.refresh();
  await kit.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = kit.app.server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}/management/v1/workspaces/${kit.workspace.id}`;
});

afterAll(() => kit.close());

interface Found {
  readonly counts: { readonly events: number };
  readonly money: readonly { readonly currency: string; readonly unlabelled: string }[];
  readonly series: readonly { readonly count: number }[];
  readonly tops: Readonly<
    Record<string, readonly { readonly value: string; readonly count: number; readonly ref?: string }[]>
  >;
  readonly events: readonly { readonly id: string; readonly client?: string; readonly fired: readonly number[] }[];
}

async function search(body: object, headers: Readonly<Record<string, string>> = asProgram): Promise<Found> {
  const response = await fetch(`${base}/events/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const told: Told[] = [];
  for await (const one of readStream(response)) told.push(one);
  const last = told.at(-1);
  expect(last, JSON.stringify(told)).toMatchObject({ event: 'done' });
  return (last!.data as { readonly found: Found }).found;
}

describe('a condition over the log', () => {
  it('finds events by features as of then, and counts them', async () => {
    const found = await search({ condition: 'clientPayments >= 2' });
    expect(found.counts.events).toBe(5);
    expect(found.events).toHaveLength(5);
    expect(found.events.filter(({ client }) => client === 'ana')).toHaveLength(4);
    expect(found.tops['client']).toMatchObject([
      { value: 'ana', count: 4, ref: expect.stringMatching(/^[a-z2-7]{16}$/) },
      { value: 'ben', count: 1 },
    ]);
    expect(found.tops['payee']).toMatchObject([{ value: 'B1/42', count: 5 }]);
    expect(found.tops['rule']).toEqual([{ value: '101', count: 3 }]);
    expect(found.money).toMatchObject([{ currency: 'MXN', unlabelled: '52.5' }]);
    expect(found.series.reduce((sum, { count }) => sum + count, 0)).toBe(5);
  });

  it('finds what the policy’s own rule fired on, and nothing outside the period', async () => {
    const found = await search({ condition: 'clientPayments >= 3' });
    expect(found.events.every(({ fired }) => fired.includes(101))).toBe(true);
    expect((await search({ condition: 'clientPayments >= 3', to: '2020-01-01' })).counts.events).toBe(0);
  });

  it('reports errors at their position in the condition', async () => {
    const response = await kit.at('POST', 'events/search', { body: { condition: 'true &&\n order.amonut > 1' } });
    expect(problemOf(response)).toMatchObject({
      code: 'request.invalid',
      errors: [
        { pointer: '/condition', detail: '2:2: there is no fact or feature order.amonut', expected: 'order.amount' },
      ],
    });
  });

  it('shows masked values to people, and removes what they may not see', async () => {
    const viewer = await loggedIn(kit, { email: 'vera@bank.example', roles: ['viewer'] });
    const asViewer = { cookie: viewer.cookie!, 'x-csrf-token': viewer.csrf!, origin: new URL(base).origin };
    const found = await search({ condition: 'clientPayments >= 3' }, asViewer);
    expect(found.tops['client']).toMatchObject([{ value: 'a•••' }]);
    expect(JSON.stringify(found)).not.toMatch(/"ana"|B1\/42/);
    const path = `/workspaces/${kit.workspace.id}/events/export`;
    const events = found.events.map(({ id }) => id);
    const taken = await viewer.call('POST', path, { body: { events } });
    expect(taken.json<{ items: Found['events'] }>().items).toMatchObject(events.map((id) => ({ id, client: 'a•••' })));
    expect(problemOf(await viewer.call('POST', path, { body: { events, show: true } })).code).toBe('right.missing');
    const audited = await kit.call('GET', '/audit');
    expect(audited.json<{ items: readonly object[] }>().items).toContainEqual(
      expect.objectContaining({ action: 'events.export', detail: { events: events.length, masked: true } }),
    );
  });

  it('restricts people with masked values to whole values, and is audited', async () => {
    const viewer = await loggedIn(kit, { email: 'vito@bank.example', roles: ['viewer'] });
    const asViewer = { cookie: viewer.cookie!, 'x-csrf-token': viewer.csrf!, origin: new URL(base).origin };
    expect((await search({ condition: 'client.id == "ana" && clientPayments > 1' }, asViewer)).counts.events).toBe(4);
    const audited = await kit.call('GET', '/audit');
    expect(audited.json<{ items: readonly object[] }>().items).toContainEqual(
      expect.objectContaining({
        action: 'events.search',
        actor: 'vito@bank.example',
        detail: { facts: ['client.id'] },
      }),
    );
    const path = `/workspaces/${kit.workspace.id}/events/search`;
    for (const condition of ['client.id.startsWith("a")', 'payee.id < "C"', 'lastPayee.contains("B1")']) {
      const problem = problemOf(await viewer.call('POST', path, { body: { condition } }));
      expect(problem.code).toBe('right.missing');
      expect(problem.detail).toMatch(/parts of (client\.id|payee\.id|lastPayee)\..*the right "show"/);
    }
    const analyst = await loggedIn(kit, { email: 'anna@bank.example', roles: ['analyst'] });
    const asAnalyst = { cookie: analyst.cookie!, 'x-csrf-token': analyst.csrf!, origin: new URL(base).origin };
    const shown = await search({ condition: 'client.id.startsWith("a") && clientPayments > 1', show: true }, asAnalyst);
    expect(shown.counts.events).toBe(4);
  });

  it('is limited to two at a time, and ends when the caller disconnects', async () => {
    const wanted = { condition: 'true', fromMs: undefined, toMs: undefined };
    const asked = { workspace: kit.workspace, inquiry: { kind: 'search', wanted }, by: 'anna' } as const;
    const begin = () => kit.deps.inquiries.begin(asked, () => {});
    // A finished query counts until its thread has ended.
    const begun = () => vi.waitFor(begin, { timeout: 20_000, interval: 100 });
    const stops = [await begun(), await begun()];
    expect(begin).toThrow('rate.limited');
    for (const stop of stops) stop();
    (await begun())();
  });

  it('does not give one person two places while another has none', async () => {
    const wanted = { condition: 'true', fromMs: undefined, toMs: undefined };
    const heard: string[] = [];
    const ask = (by: string, name: string) =>
      kit.deps.inquiries.begin({ workspace: kit.workspace, inquiry: { kind: 'search', wanted }, by }, (one) => {
        if (one.kind === 'failed') heard.push(`${name}: ${one.code}`);
      });
    const askTwo = (): readonly (() => void)[] => {
      const first = ask('vito', 'first');
      try {
        return [first, ask('vito', 'second')];
      } catch (error) {
        first();
        throw error;
      }
    };
    // Earlier ones count until their threads have ended.
    const stops = await vi.waitFor(askTwo, { timeout: 20_000, interval: 100 });
    const stop = ask('anna', 'third');
    expect(heard).toEqual(['second: rate.limited']);
    expect(() => ask('anna', 'fourth')).toThrow('rate.limited');
    expect(() => ask('carl', 'fifth')).toThrow('rate.limited');
    for (const one of [...stops, stop]) one();
  });

  it('yields to a third person after some time, who learns which people have the places', async () => {
    kit.standStill();
    const wanted = { condition: 'true', fromMs: undefined, toMs: undefined };
    const heard: string[] = [];
    const ask = (by: string, workspace = kit.workspace) =>
      kit.deps.inquiries.begin({ workspace, inquiry: { kind: 'search', wanted }, by }, (one) => {
        if (one.kind === 'failed') heard.push(`${by}: ${one.code}`);
      });
    const askTwo = (): readonly (() => void)[] => {
      const first = ask('vito');
      try {
        return [first, ask('vera')];
      } catch (error) {
        first();
        throw error;
      }
    };
    const stops = await vi.waitFor(askTwo, { timeout: 20_000, interval: 100 });
    kit.pass(299_000);
    const refused = (by: string, workspace?: ManagementKit['workspace']): unknown => {
      try {
        ask(by, workspace)();
        return undefined;
      } catch (error) {
        return error;
      }
    };
    expect(refused('anna')).toMatchObject({
      code: 'rate.limited',
      retryAfterSeconds: 1,
      detail: expect.stringContaining('(vito, for 299 s; vera, for 299 s)'),
    });
    const elsewhere = { ...kit.workspace, id: 'elsewhere' };
    expect(refused('anna', elsewhere)).not.toMatchObject({ detail: expect.stringMatching(/vito|vera/) });
    kit.pass(1_000);
    expect(heard).toEqual([]);
    const stop = ask('anna');
    expect(heard).toEqual(['vito: rate.limited']);
    for (const one of [...stops, stop]) one();
  });
});
