import { randomUUID } from 'node:crypto';
import { dayMs, hourMs } from '@ringfence/contract';
import { suppressionsMax } from '@ringfence/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, loggedIn } from '../access/accounts/support/browser.ts';
import { openDirective } from '../../src/policies/directives/directives.ts';
import { removeEndedItems } from '../../src/policies/directives/list-item-rows.ts';
import { endRuleSuppression, suppressRule } from '../../src/policies/directives/rule-suppressions.ts';
import { readWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import type { EventDetail } from '../../src/api/events/event-schema.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

const policy = `
lists:
  mules: { of: payee.id, live: true, max: 3, items: [B1/1] }
  pairs: { of: [payee.id, client.id], live: true }
  offices: { of: publicIp }
  vips: { of: client.id, live: true }
  homes: { of: publicIp, live: true }
rules:
  - { reason: 700, name: mule, on: [operation], when: payee.id in lists.mules, then: { action: 3, message: mule } }
  - { reason: 701, name: pair, on: [operation], when: '[payee.id, client.id] in lists.pairs', then: { action: 3, message: pair } }
  - { reason: 702, name: any, on: [operation], when: order.amount > 0, then: { action: 3, message: any }, maxActions: 1 per day }
  - { reason: 601, name: home, on: [login], when: publicIp in lists.homes, then: { action: 3, message: home } }
  - { reason: 600, name: vip, on: [operation], when: client.id in lists.vips, then: { action: 3, message: vip } }
`;

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
  await kit.startHost().ready;
  const body = { files: [{ path: 'rules.yaml', text: policy }], author: 'mara', comment: 'lists' };
  await kit.at('POST', 'policies', { body });
});
afterAll(() => kit.close());

async function decided(client: string, account: string): Promise<EventDetail> {
  const id = await kit.send('operation', {
    ...payment(client),
    accountTo: { bank: 'B1', accountNumber: account },
  });
  await kit.settled();
  return kit.get<EventDetail>(`events/${id}`);
}

async function firedFor(client: string, account: string): Promise<readonly number[]> {
  return (await decided(client, account)).fired.filter((reason) => reason < 702);
}

const change = (list: string, body: object): ReturnType<ManagementKit['at']> =>
  kit.at('POST', `lists/${list}/items`, { body: { comment: 'told by a bank', ...body } });

interface ItemPage {
  readonly items: readonly { readonly ref: string; readonly parts: readonly string[] }[];
  readonly next?: string;
}

const items = async (list: string, query = ''): Promise<ItemPage['items']> =>
  (await kit.get<ItemPage>(`lists/${list}/items?${query}`)).items;

describe('a live list', () => {
  it('changes without a new policy version, and affects decisions from then on', async () => {
    expect(await firedFor('ana', '2')).toEqual([]);
    expect((await change('mules', { put: [{ parts: ['B1/2'] }] })).statusCode).toBe(202);
    expect(await firedFor('ana', '2')).toEqual([700]);
    expect((await change('mules', { remove: [['B1/2']] })).statusCode).toBe(202);
    expect(await firedFor('ana', '2')).toEqual([]);
    expect((await change('pairs', { put: [{ parts: ['B1/9', 'ana'] }] })).statusCode).toBe(202);
    expect([await firedFor('ana', '9'), await firedFor('bob', '9')]).toEqual([[701], []]);
  });

  it('shows who added which item, why, and until when', async () => {
    const expiresAt = new Date(kit.deps.now() + hourMs).toISOString();
    await change('mules', { put: [{ parts: ['B1/5'], expiresAt }] });
    expect(await kit.get('lists')).toMatchObject({
      items: [
        { name: 'homes', live: true, rules: [601] },
        { name: 'mules', live: true, max: 3, declared: 1, items: 1, rules: [700], changedBy: expect.any(String) },
        { name: 'offices', live: false, declared: 0 },
        { name: 'pairs', of: ['payee.id', 'client.id'], items: 1, rules: [701] },
        { name: 'vips', of: ['client.id'], items: 0, rules: [600] },
      ],
    });
    expect(await kit.get('lists/mules/items')).toMatchObject({
      items: [{ parts: ['B1/5'], state: 'present', comment: 'told by a bank', expiresAt }],
    });
  });

  it('reports items to remove that it did not contain', async () => {
    const [ref] = (await items('mules')).map((item) => item.ref);
    const told = await change('mules', { remove: [['B1/77'], ['B1/5']], removeRefs: [ref] });
    expect(told.json()).toEqual({ status: 'accepted', absent: ['/remove/0'] });
    expect((await change('mules', { removeRefs: [ref] })).json()).toMatchObject({ absent: ['/removeRefs/0'] });
    expect((await change('mules', { put: [{ parts: ['B1/5'] }] })).json()).toMatchObject({ absent: [] });
  });

  it('of addresses contains each address once, in whatever notation', async () => {
    const loginFrom = async (publicIp: string): Promise<readonly number[]> => {
      const id = await kit.send('login', { ...login('ana', randomUUID()), publicIp });
      await kit.settled();
      return (await kit.get<EventDetail>(`events/${id}`)).fired;
    };
    await change('homes', { put: [{ parts: ['2001:DB8:0::1'] }, { parts: ['::ffff:203.0.113.9'] }] });
    expect((await items('homes')).map(({ parts }) => parts[0])).toEqual(['203.0.113.9', '2001:db8::1']);
    expect(await loginFrom('2001:db8:0:0::1')).toEqual([601]);
    const body = { remove: [['2001:DB8::1'], ['203.0.113.9']] };
    expect((await change('homes', body)).json()).toMatchObject({ absent: [] });
    expect(await items('homes')).toEqual([]);
    expect(await loginFrom('2001:db8::1')).toEqual([]);
  });

  it('shows ended items for a while, and restores one by its ref', async () => {
    await change('mules', { put: [{ parts: ['B1/6'], expiresAt: new Date(kit.deps.now() + hourMs).toISOString() }] });
    await change('mules', { remove: [['B1/5']], comment: 'was honest' });
    kit.pass(2 * hourMs);
    expect(await items('mules')).toEqual([]);
    const ended = await items('mules', 'state=ended');
    expect(ended).toMatchObject([
      { parts: ['B1/6'], state: 'expired' },
      { parts: ['B1/5'], state: 'removed', removedBy: expect.any(String) },
      { parts: ['B1/2'], state: 'removed' },
    ]);
    const [expired, removed] = ended;
    await change('mules', { put: [{ ref: expired!.ref }, { ref: removed!.ref }] });
    expect(await items('mules')).toMatchObject([{ parts: ['B1/6'] }, { parts: ['B1/5'] }]);
    await change('mules', { removeRefs: [expired!.ref, removed!.ref] });
    expect(await items('mules')).toEqual([]);
    expect(problemOf(await change('mules', { put: [{ ref: 'x'.repeat(43) }] }))).toMatchObject({
      code: 'request.invalid',
    });
    kit.pass(31 * dayMs);
    await removeEndedItems(kit.pool, kit.deps.now());
    expect(await items('mules', 'state=ended')).toEqual([]);
  });

  it('is paged, and searched by a part of a value, an author or a comment', async () => {
    const put = Array.from({ length: 25 }, (_, at) => ({ parts: [`198.51.100.${at}`] }));
    await change('homes', { put });
    const first = await kit.get<ItemPage>('lists/homes/items?limit=20');
    const second = await kit.get<ItemPage>(`lists/homes/items?limit=20&cursor=${first.next}`);
    expect([first.items.length, second.items.length, second.next]).toEqual([20, 5, undefined]);
    expect((await items('homes', 'text=100.1')).length).toBe(11);
    expect((await items('homes', 'text=TOLD')).length).toBe(25);
    expect(await items('homes', 'text=nothing')).toEqual([]);
  });

  it('refuses invalid items', async () => {
    const past = '2020-01-01T00:00:00Z';
    const wrong = await change('pairs', { put: [{ parts: ['B1/9'] }, { parts: ['B1/8', 'b'], expiresAt: past }] });
    expect(problemOf(wrong)).toMatchObject({ code: 'request.invalid' });
    expect(wrong.json<{ errors: object[] }>().errors).toHaveLength(2);
    const unmatched = await change('mules', { put: [{ parts: ['123'] }] });
    expect(unmatched.json<{ errors: object[] }>().errors).toMatchObject([
      { pointer: '/put/0', detail: 'No event can ever match this item.', expected: 'BANK/123, or /123 without a bank' },
    ]);
    const full = { put: ['6', '7', '8', '9'].map((account) => ({ parts: [`B1/${account}`] })) };
    expect(problemOf(await change('mules', full))).toMatchObject({ code: 'state.conflict' });
    expect(problemOf(await change('offices', { put: [] }))).toMatchObject({ code: 'state.conflict' });
    expect(problemOf(await change('nobody', { put: [] }))).toMatchObject({ code: 'thing.unknown' });
  });
});

it('a live list is masked for people, who can then search for whole values only', async () => {
  await change('homes', { put: [{ parts: ['203.0.113.7'] }] });
  await change('pairs', { put: [{ parts: ['B1/987654', 'hana-lopez'] }] });
  const viewer = await loggedIn(kit, { email: 'viewer@bank.example', roles: ['viewer'] });
  const analyst = await loggedIn(kit, { email: 'analyst@bank.example', roles: ['analyst'] });
  const at = (rest: string): string => `/workspaces/${kit.workspace.id}/lists/${rest}`;
  const seen = async (window: Browser, rest: string): Promise<readonly (readonly string[])[]> =>
    (await window.call('GET', at(rest))).json<ItemPage>().items.map(({ parts }) => parts);
  expect(await seen(viewer, 'homes/items?limit=1')).toEqual([['203.0.•.•']]);
  expect(await seen(viewer, 'pairs/items?text=hana-lopez')).toEqual([['B1•••54', 'ha•••ez']]);
  expect(await seen(viewer, 'pairs/items?text=hana')).toEqual([]);
  expect(problemOf(await viewer.call('GET', at('pairs/items?show=true')))).toMatchObject({ code: 'right.missing' });
  expect(await seen(analyst, 'pairs/items?text=hana&show=true')).toEqual([['B1/987654', 'hana-lopez']]);
  const shown = await kit.pool.query(`select target from audit_entry where action = 'personalData.show'`);
  expect(shown.rows).toEqual([{ target: 'list:pairs' }]);

  const [{ ref }] = (await viewer.call('GET', at('pairs/items?text=hana-lopez'))).json<{
    readonly items: readonly [{ readonly ref: string }];
  }>().items;
  const body = { removeRefs: [ref], comment: 'moved away' };
  expect(problemOf(await viewer.call('POST', at('pairs/items'), { body }))).toMatchObject({ code: 'right.missing' });
  expect((await analyst.call('POST', at('pairs/items'), { body })).statusCode).toBe(202);
  expect(await seen(viewer, 'pairs/items?text=hana-lopez')).toEqual([]);
  const audited = await kit.pool.query(
    `select actor, target from audit_entry where action = 'changeList' and actor like '%@%'`,
  );
  expect(audited.rows).toEqual([{ actor: 'analyst@bank.example', target: 'pairs' }]);
});

describe('an item that names a client', () => {
  it("is removed with the client: from the list, the engine's state, and the record in the log", async () => {
    await decided('fay', '3');
    await change('vips', { put: [{ parts: ['fay'] }, { parts: ['gil'] }] });
    await change('pairs', { put: [{ parts: ['B1/3', 'fay'] }] });
    expect(await firedFor('fay', '3')).toEqual([600, 701]);
    await kit.at('POST', 'clients/erase', { body: { client: 'fay' } });
    expect((await items('vips')).map(({ parts }) => parts)).toEqual([['gil']]);
    expect(JSON.stringify(await items('pairs', 'limit=1000'))).not.toContain('"fay"');
    // A later client with this name is a different one.
    expect(await firedFor('fay', '3')).toEqual([]);
    expect(await firedFor('gil', '3')).toEqual([600]);

    const { end } = await kit.log.head(kit.workspace.id);
    const records = (await kit.log.read(kit.workspace.id, 0, end)).filter(({ kind }) => kind === 'list');
    const told = records.map((record) => JSON.stringify(openDirective(kit.workspace, record))).join('\n');
    expect(told).toContain('B1/2');
    expect(told).not.toMatch(/"(?:B1\/3\\u0000)?fay"/);
    expect(told).not.toMatch(/"gil"/);
    const kept = await kit.pool.query(`select 1 from list_item where list = 'vips'`);
    expect(kept.rowCount).toBe(1);
  });
});

describe('a suppression', () => {
  const until = (): string => new Date(kit.deps.now() + hourMs).toISOString();

  it('that was replaced cannot be ended with a clock that is behind', async () => {
    await kit.send('login', login('ugo'));
    await kit.settled();
    const workspace = await readWorkspace(kit.deps, kit.workspace.id);
    const subject = (await kit.deps.subjects.find(workspace, 'ugo'))!;
    const nowMs = kit.deps.logNow();
    const wanted = {
      reason: 700,
      client: 'ugo',
      untilMs: nowMs + hourMs,
      why: 'x',
      author: 'a',
    } as const;
    const first = await suppressRule(kit.deps, workspace, { ...wanted, madeAtMs: nowMs });
    const second = await suppressRule(kit.deps, workspace, { ...wanted, madeAtMs: nowMs + 2_000 });
    const told = async (): Promise<unknown> =>
      (await kit.pool.query(`select count(*)::integer as count from directive where kind = 'suppress'`)).rows[0];
    const before = await told();
    const end = { id: first.id, author: 'a', comment: '', nowMs };
    await expect(endRuleSuppression(kit.deps, workspace, end)).rejects.toThrow(
      `No suppression ${first.id} is in force.`,
    );
    expect(await told()).toEqual(before);
    await endRuleSuppression(kit.deps, workspace, { ...end, id: second.id, nowMs: nowMs + 2_001 });
    expect(await told()).not.toEqual(before);
    await kit.pool.query(`delete from suppression where subject = $1`, [subject]);
  });

  it('keeps the firing, suppresses its actions, and ends', async () => {
    await decided('cleo', '3');
    const body = { reason: 700, client: 'cleo', until: until(), why: 'payroll' };
    const stored = await kit.at('POST', 'suppressions', { body });
    expect(stored.statusCode).toBe(202);
    const held = await decided('cleo', '1');
    expect(held.fired).toEqual([702]);
    expect(held.rules.find(({ reason }) => reason === 700)).toMatchObject({ suppressed: 'suppression' });
    expect(held.actions.filter(({ reason }) => reason === 700)).toEqual([]);
    expect(await firedFor('ana', '1')).toEqual([700]);
    expect(await kit.get('suppressions')).toMatchObject({ items: [{ reason: 700, why: 'payroll' }] });

    const { id } = stored.json<{ id: string }>();
    expect((await kit.at('POST', `suppressions/${id}/end`)).statusCode).toBe(204);
    expect(await firedFor('cleo', '1')).toEqual([700]);
    expect(await kit.get('suppressions')).toEqual({ items: [] });
  });

  it('applies to a client or a payee, for a limited time', async () => {
    const post = (body: object): ReturnType<ManagementKit['at']> =>
      kit.at('POST', 'suppressions', { body: { reason: 700, why: 'x', until: until(), ...body } });
    expect(problemOf(await post({}))).toMatchObject({ code: 'request.invalid' });
    expect(problemOf(await post({ client: 'nobody' }))).toMatchObject({ code: 'thing.unknown' });
    expect(problemOf(await post({ payee: 'B1/1', reason: 703 }))).toMatchObject({
      code: 'request.invalid',
      status: 422,
      errors: [{ pointer: '/reason', expected: 'one of its rules; the nearest: 702, 701, 700' }],
    });
    expect(problemOf(await post({ payee: 'B1/1', until: '2099-01-01T00:00:00Z' }))).toMatchObject({
      code: 'request.invalid',
    });
    expect((await post({ payee: 'B1/1' })).statusCode).toBe(202);
    expect(await firedFor('dan', '1')).toEqual([]);
  });

  it("is refused at the engine's maximum, and accepted once another has ended", async () => {
    const made = await kit.pool.query<{ id: string }>(
      `insert into suppression (workspace_id, id, reason, subject, until, why, author, made_at)
       select $1, 'sup_' || n, 700, 'client-' || n, to_timestamp($2::float8 / 1000.0), 'x', 'x', now()
         from generate_series(1, $3::integer - (select count(*) from suppression
                                      where workspace_id = $1 and until > to_timestamp($4::float8 / 1000.0))) n
       returning id`,
      [kit.workspace.id, kit.deps.now() + hourMs, suppressionsMax, kit.deps.now()],
    );
    const body = { reason: 702, payee: 'B1/2', until: until(), why: 'x' };
    expect(problemOf(await kit.at('POST', 'suppressions', { body }))).toMatchObject({ code: 'state.conflict' });
    await kit.pool.query(`delete from suppression where id = $1`, [made.rows[0]!.id]);
    expect((await kit.at('POST', 'suppressions', { body })).statusCode).toBe(202);
    await kit.pool.query(`delete from suppression where id = any($1)`, [made.rows.map(({ id }) => id)]);
  });

  it('requires a reason', async () => {
    for (const why of ['', ' \n']) {
      const refused = await kit.at('POST', 'suppressions', {
        body: { reason: 700, payee: 'B1/1', until: until(), why },
      });
      expect(problemOf(refused)).toMatchObject({
        code: 'request.invalid',
        errors: [{ pointer: '/why', expected: 'a reason' }],
      });
    }
  });

  it('shows its client: to programs, and masked to people unless they request it, which is audited', async () => {
    const mara = await loggedIn(kit, { email: 'mara@bank.example', roles: ['analyst'] });
    await decided('fay', '5');
    const body = { reason: 701, until: until(), why: 'payroll' };
    await kit.at('POST', 'suppressions', { body: { ...body, client: 'fay' } });
    await kit.at('POST', 'suppressions', { body: { ...body, payee: 'BANK-A/123456' } });
    const listed = async (query = ''): Promise<object> =>
      (await mara.call('GET', `/workspaces/${kit.workspace.id}/suppressions${query}`)).json();
    const of701 = (items: readonly object[]): object => ({
      items: expect.arrayContaining(items.map((one) => expect.objectContaining(one))),
    });
    const whole = of701([{ client: 'fay' }, { payee: 'BANK-A/123456' }]);
    expect(await kit.get('suppressions')).toEqual(whole);
    const masked = await listed();
    expect(masked).toEqual(of701([{ client: 'f•••' }, { payee: 'BA•••56' }]));
    expect(JSON.stringify(masked)).not.toMatch(/fay|BANK-A/);
    expect(await listed('?show=true')).toEqual(whole);
    const { rows } = await kit.pool.query(`select target from audit_entry where action = 'personalData.show'`);
    expect(rows).toContainEqual({ target: 'suppressions' });
    await kit.at('POST', 'clients/erase', { body: { client: 'fay' } });
    expect(JSON.stringify(await kit.get('suppressions'))).not.toContain('fay');
  });
});

it('dropping a capped action appends a record to the log, with author and reason', async () => {
  await decided('eva', '3');
  const { items } = await kit.get<{ items: { id: string }[] }>('actions?state=capped&reason=702');
  expect(items.length).toBeGreaterThan(0);
  expect((await kit.at('POST', `actions/${items[0]!.id}/drop`)).json()).toEqual({ changed: 1 });
  const told = await kit.pool.query(`select kind, author, appended from directive where kind = 'held'`);
  expect(told.rows).toEqual([{ kind: 'held', author: expect.any(String), appended: true }]);
  const { end } = await kit.log.head(kit.workspace.id);
  const records = await kit.log.read(kit.workspace.id, 0, end);
  expect(records.filter(({ kind }) => kind === 'held')).toHaveLength(1);
});
