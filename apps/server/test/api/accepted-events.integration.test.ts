/** Tests for events that are stored but not processed by the engine yet: an integrator can find what was just sent. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EventSummary } from '../../src/api/events/event-schema.ts';
import { login, managementKit, type ManagementKit, payment } from './support/management-kit.ts';

interface Listed {
  readonly items: readonly EventSummary[];
  readonly next?: string;
}

let kit: ManagementKit;
beforeEach(async () => {
  kit = await managementKit();
});
afterEach(() => kit.close());

async function accepted(query = ''): Promise<Listed> {
  return kit.get<Listed>(`events?status=accepted${query}`);
}

it('an event can be found by its id as soon as it is acknowledged, and later with its decision', async () => {
  const id = await kit.send('operation', payment('ana', 'a-1'));
  expect(await kit.get(`events/${id}`)).toMatchObject({
    id,
    status: 'accepted',
    kind: 'operation',
    client: 'ana',
    session: 's-ana',
    received: { transaction: { reference: 'a-1' } },
    fired: [],
    actions: [],
  });
  expect((await kit.get<Listed>('events')).items).toEqual([]);
  kit.startHost();
  await kit.settled();
  expect(await kit.get(`events/${id}`)).toMatchObject({ id, status: 'decided' });
});

it('accepted events are listed with status=accepted, newest first, by client, session, kind and time', async () => {
  const ids: string[] = [];
  for (const name of ['ana', 'eva']) {
    ids.push(await kit.send('login', login(name)), await kit.send('operation', payment(name)));
  }
  const idsOf = async (query: string): Promise<readonly string[]> => (await accepted(query)).items.map(({ id }) => id);
  expect(await idsOf('')).toEqual(ids.toReversed());
  expect(await idsOf('&client=ana')).toEqual([ids[1], ids[0]]);
  expect(await idsOf('&client=nobody')).toEqual([]);
  expect(await idsOf('&session=s-eva')).toEqual([ids[3], ids[2]]);
  expect(await idsOf('&kind=login')).toEqual([ids[2], ids[0]]);
  expect(await idsOf('&from=2099-01-01')).toEqual([]);
  expect(await idsOf('&reason=301')).toEqual([]);
  kit.startHost();
  await kit.settled();
  expect(await idsOf('')).toEqual([]);
  expect((await kit.get<Listed>('events')).items.map(({ id }) => id)).toEqual(ids.toReversed());
});

it('the pages of accepted events contain each event once, even when a filter skips thousands', async () => {
  const wanted = [await kit.send('login', login('rare'))];
  const tick = { kind: 'tick', payload: Buffer.from('{}') } as const;
  await Promise.all(Array.from({ length: 2_500 }, () => kit.log.append(kit.workspace.id, tick)));
  for (let i = 0; i < 5; i++) wanted.push(await kit.send('operation', payment('rare', `r-${i}`)));
  const found: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined = ''; cursor !== undefined; pages++) {
    const page: Listed = await accepted(`&limit=2&client=rare${cursor}`);
    found.push(...page.items.map(({ id }) => id));
    cursor = page.next === undefined ? undefined : `&cursor=${page.next}`;
  }
  expect(found).toEqual(wanted.toReversed());
  expect(pages).toBeGreaterThan(3);
});

it('an accepted event of an erased client is marked as erased', async () => {
  const id = await kit.send('login', login('ana.ruiz'));
  expect((await kit.at('POST', 'clients/erase', { body: { client: 'ana.ruiz' } })).statusCode).toBe(200);
  const event = await kit.get(`events/${id}`);
  expect(event).toMatchObject({ id, status: 'accepted', erased: true });
  expect(JSON.stringify(event)).not.toContain('ana.');
});
