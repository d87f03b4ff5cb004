import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventDetail } from '../../src/api/events/event-schema.ts';
import { loggedIn } from '../access/accounts/support/browser.ts';
import { managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

interface Version {
  readonly version: number;
  readonly active: boolean;
  readonly author: string;
}

const rule = (reason: number): string => `
rules:
  - reason: ${reason}
    name: Every operation
    on: [operation]
    when: order.amount > 0
    then: { action: 3, message: "hello" }
`;
const folder = (text: string): object => ({ files: [{ path: 'rules.yaml', text }] });

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
  await kit.startHost().ready;
});
afterAll(() => kit.close());

async function versions(): Promise<readonly Version[]> {
  return (await kit.get<{ items: Version[] }>('policies')).items;
}

async function firedNow(): Promise<readonly number[]> {
  const id = await kit.send('operation', payment('ana'));
  await kit.settled();
  return (await kit.get<EventDetail>(`events/${id}`)).fired;
}

describe('a policy', () => {
  it('is applied, takes effect, and an older version can be activated again', async () => {
    const body = { ...folder(rule(700)), author: 'mara', comment: 'everything' };
    const applied = await kit.at('POST', 'policies', { body });
    expect([applied.statusCode, applied.json()]).toEqual([
      200,
      { version: 2, changed: true, folding: false, warnings: [] },
    ]);
    expect(await firedNow()).toEqual([700]);
    expect((await kit.at('POST', 'policies', { body })).json()).toMatchObject({ version: 2, changed: false });
    expect(await versions()).toMatchObject([
      {
        version: 2,
        active: true,
        author: 'mara',
        comment: 'everything',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      { version: 1, active: false },
    ]);
    expect((await kit.call('GET', `/workspaces/${kit.workspace.id}`)).json()).toMatchObject({ policyVersion: 2 });

    expect((await kit.at('GET', 'policies/2/diff')).json<{ items: object[] }>().items).toContainEqual({
      of: 'rule 700',
      change: 'is added, live: Every operation, when order.amount > 0',
    });
    expect((await kit.at('GET', 'policies/2/diff?from=2')).json()).toEqual({ from: 2, items: [] });
    expect((await kit.at('POST', 'policies/1/activate')).statusCode).toBe(204);
    expect(await firedNow()).not.toContain(700);
    expect((await versions()).map(({ active }) => active)).toEqual([false, true]);
  });

  it('can be activated again with a comment and a history for its new features', async () => {
    const feature = 'features: { paid: { count: true, by: client.id, over: 7d } }\n';
    const files = [{ path: 'rules.yaml', text: `${feature}${rule(700).replace('order.amount > 0', 'paid > 0')}` }];
    const applied = await kit.at('POST', 'policies', { body: { files, author: 'mara' } });
    const { version } = applied.json<{ version: number }>();
    expect((await kit.at('POST', 'policies/1/activate', { body: { comment: 'too strict' } })).statusCode).toBe(204);
    const again = await kit.at('POST', `policies/${version}/activate`, { body: { warmFrom: {}, comment: 'better' } });
    expect(again.statusCode).toBe(204);
    expect((await kit.get<{ items: object[] }>('policy-starts')).items).toMatchObject([{ version }]);
    const audited = await kit.pool.query<{ detail: string }>(
      `select detail from audit_entry where action = 'activatePolicy' order by seq desc limit 2`,
    );
    expect(audited.rows.map(({ detail }) => JSON.parse(detail) as object)).toEqual([
      { before: 1, after: version, comment: 'better' },
      { before: version, after: 1, comment: 'too strict' },
    ]);
    const missing = await kit.at('POST', 'policies/1/activate', { body: { warmFrom: { history: ['no such'] } } });
    expect(problemOf(missing).code).toBe('thing.unknown');
    expect((await kit.at('POST', 'policies/1/activate')).statusCode).toBe(204);
  });

  it('is read as it was sent', async () => {
    expect(await kit.get('policies/2')).toEqual({ version: 2, ...folder(rule(700)) });
  });

  it('can be checked without being stored', async () => {
    const before = await versions();
    const checked = await kit.at('POST', 'policies/check', { body: folder(rule(701)) });
    expect([checked.statusCode, checked.json()]).toEqual([200, { warnings: [] }]);
    expect(await versions()).toEqual(before);
  });

  it('with an unused feature gets a warning', async () => {
    const text = `features:\n  idle: { count: true, by: account.client, over: 1h }\n${rule(702)}`;
    const checked = await kit.at('POST', 'policies/check', { body: folder(text) });
    expect(checked.json()).toMatchObject({ warnings: [{ file: 'rules.yaml', line: 2, severity: 'warning' }] });
  });

  it.each(['policies/check', 'policies'])('with mistakes is refused with every position (%s)', async (path) => {
    const before = await versions();
    const text = rule(703).replace('order.amount', 'order.amuont').replace('action: 3', 'action: 0');
    const response = await kit.at('POST', path, {
      body: { ...folder(text), ...(path === 'policies' ? { author: 'mara' } : {}) },
    });
    const { code, errors = [] } = problemOf(response);
    expect(code).toBe('policy.invalid');
    expect(errors.length).toBeGreaterThan(1);
    for (const { pointer, detail } of errors) {
      expect(pointer).toBe('/files/0');
      expect(detail).toMatch(/^rules\.yaml:\d+:\d+: /);
    }
    expect(errors.some(({ detail }) => detail.includes('order.amount'))).toBe(true);
    expect(await versions()).toEqual(before);
  });

  it.each([
    [{}, '/files'],
    [{ files: [] }, '/files'],
    [{ files: [{ path: 'a.yaml' }] }, '/files/0/text'],
    [{ files: [{ path: '', text: '' }] }, '/files/0/path'],
  ])('is not %j', async (body, pointer) => {
    expect(problemOf(await kit.at('POST', 'policies/check', { body })).errors).toMatchObject([{ pointer }]);
  });

  it('needs an author', async () => {
    const response = await kit.at('POST', 'policies', { body: folder(rule(704)) });
    expect(problemOf(response).errors).toMatchObject([{ pointer: '/author' }]);
  });

  it.each([
    ['GET', 'policies/99', 'thing.unknown'],
    ['POST', 'policies/99/activate', 'thing.unknown'],
    ['GET', 'policies/0', 'request.invalid'],
    ['GET', 'policies/latest', 'request.invalid'],
  ])('%s %s is refused', async (method, path, code) => {
    expect(problemOf(await kit.at(method, path)).code).toBe(code);
  });

  it('is not applied if another version is active than its author saw', async () => {
    const active = (await versions()).find((one) => one.active)!.version;
    const body = { ...folder(rule(705)), author: 'mara' };
    const late = await kit.at('POST', 'policies', { body: { ...body, ifVersion: active + 7 } });
    expect(problemOf(late)).toMatchObject({
      code: 'state.conflict',
      detail: expect.stringContaining(`Version ${active}`),
    });
    expect((await versions()).find((one) => one.active)?.version).toBe(active);
    const seen = await kit.at('POST', 'policies', { body: { ...body, ifVersion: active } });
    const { version, changed } = seen.json<{ version: number; changed: boolean }>();
    expect(changed).toBe(true);
    // The same request again, as after a lost answer, succeeds.
    const again = await kit.at('POST', 'policies', { body: { ...body, ifVersion: active } });
    expect(again.json()).toMatchObject({ version, changed: false });
  });

  it('is not activated if another version is active than it was compared with', async () => {
    const active = (await versions()).find((one) => one.active)!.version;
    const late = await kit.at('POST', 'policies/1/activate', { body: { ifVersion: active + 7 } });
    expect(problemOf(late)).toMatchObject({
      code: 'state.conflict',
      detail: expect.stringContaining(`Version ${active}`),
    });
    expect((await versions()).find((one) => one.active)?.version).toBe(active);
    const seen = { body: { ifVersion: active } };
    expect((await kit.at('POST', 'policies/1/activate', seen)).statusCode).toBe(204);
    // The same request again, as after a lost answer, succeeds.
    expect((await kit.at('POST', 'policies/1/activate', seen)).statusCode).toBe(204);
  });
});

it('a policy of a person has their account as author, whatever name the request gives', async () => {
  const window = await loggedIn(kit, { email: 'pol@bank.example', roles: ['author'] });
  const body = { ...folder(rule(699)), author: 'the boss' };
  const path = `/workspaces/${kit.workspace.id}`;
  expect((await window.call('POST', `${path}/policies`, { body })).statusCode).toBe(200);
  expect((await versions())[0]).toMatchObject({ author: 'pol@bank.example', active: true });
  const tried = await window.call('POST', `${path}/backtests`, { body });
  expect(tried.json()).toMatchObject({ author: 'pol@bank.example' });
  expect((await kit.at('POST', 'policies/1/activate')).statusCode).toBe(204);
});
