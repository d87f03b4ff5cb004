import { hourMs } from '@ringfence/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventDetail } from '../../src/management/schemas/event-schema.ts';
import { managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

const policy = `
lists:
  mules: { of: payee.id, live: true, max: 3, items: [B1/1] }
  pairs: { of: [payee.id, client.id], live: true }
  offices: { of: publicIp }
rules:
  - { reason: 700, name: mule, on: [operation], when: payee.id in lists.mules, then: { action: 3, message: mule } }
  - { reason: 701, name: pair, on: [operation], when: '[payee.id, client.id] in lists.pairs', then: { action: 3, message: pair } }
  - { reason: 702, name: any, on: [operation], when: order.amount > 0, then: { action: 3, message: any }, maxActions: 1 per day }
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

describe('a live list', () => {
  it('is changed while the policy stays, and decides from then on', async () => {
    expect(await firedFor('ana', '2')).toEqual([]);
    expect((await change('mules', { put: [{ parts: ['B1/2'] }] })).statusCode).toBe(202);
    expect(await firedFor('ana', '2')).toEqual([700]);
    expect((await change('mules', { remove: [['B1/2']] })).statusCode).toBe(202);
    expect(await firedFor('ana', '2')).toEqual([]);
    expect((await change('pairs', { put: [{ parts: ['B1/9', 'ana'] }] })).statusCode).toBe(202);
    expect([await firedFor('ana', '9'), await firedFor('bob', '9')]).toEqual([[701], []]);
  });

  it('is shown with who put what there, why, and until when', async () => {
    const expiresAt = new Date(kit.deps.now() + hourMs).toISOString();
    await change('mules', { put: [{ parts: ['B1/5'], expiresAt }] });
    expect(await kit.get('lists')).toMatchObject({
      items: [
        { name: 'mules', live: true, max: 3, declared: 1, items: 1 },
        { name: 'offices', live: false, declared: 0 },
        { name: 'pairs', of: ['payee.id', 'client.id'], items: 1 },
      ],
    });
    expect(await kit.get('lists/mules/items')).toMatchObject({
      items: [{ parts: ['B1/5'], comment: 'told by a bank', expiresAt }],
    });
  });

  it('takes nothing that is no item of it', async () => {
    const past = '2020-01-01T00:00:00Z';
    const wrong = await change('pairs', { put: [{ parts: ['B1/9'] }, { parts: ['a', 'b'], expiresAt: past }] });
    expect(problemOf(wrong)).toMatchObject({ code: 'request.invalid' });
    expect(wrong.json<{ errors: object[] }>().errors).toHaveLength(2);
    const full = { put: ['6', '7', '8'].map((account) => ({ parts: [`B1/${account}`] })) };
    expect(problemOf(await change('mules', full))).toMatchObject({ code: 'state.conflict' });
    expect(problemOf(await change('offices', { put: [] }))).toMatchObject({ code: 'state.conflict' });
    expect(problemOf(await change('nobody', { put: [] }))).toMatchObject({ code: 'thing.unknown' });
  });
});

describe('a suppression', () => {
  const until = (): string => new Date(kit.deps.now() + hourMs).toISOString();

  it('keeps the firing, leaves its actions out, and ends', async () => {
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

  it('is about a client or a payee, for a while', async () => {
    const post = (body: object): ReturnType<ManagementKit['at']> =>
      kit.at('POST', 'suppressions', { body: { reason: 700, why: 'x', until: until(), ...body } });
    expect(problemOf(await post({}))).toMatchObject({ code: 'request.invalid' });
    expect(problemOf(await post({ client: 'nobody' }))).toMatchObject({ code: 'thing.unknown' });
    expect(problemOf(await post({ payee: 'B1/1', until: '2099-01-01T00:00:00Z' }))).toMatchObject({
      code: 'request.invalid',
    });
    expect((await post({ payee: 'B1/1' })).statusCode).toBe(202);
    expect(await firedFor('dan', '1')).toEqual([]);
  });
});

it('a held action that is dropped is a record of the log, with who and why', async () => {
  await decided('eva', '3');
  const { items } = await kit.get<{ items: { id: string }[] }>('actions?state=held&reason=702');
  expect(items.length).toBeGreaterThan(0);
  expect((await kit.at('POST', `actions/${items[0]!.id}/drop`)).json()).toEqual({ changed: 1 });
  const told = await kit.pool.query(`select kind, author, appended from directive where kind = 'held'`);
  expect(told.rows).toEqual([{ kind: 'held', author: expect.any(String), appended: true }]);
  const { end } = await kit.log.head(kit.workspace.id);
  const records = await kit.log.read(kit.workspace.id, 0, end);
  expect(records.filter(({ kind }) => kind === 'held')).toHaveLength(1);
});
