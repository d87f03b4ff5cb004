import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exactJson } from '../../src/records/exact-json.ts';
import type { EventDetail, EventSummary } from '../../src/api/events/event-schema.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

interface Listed {
  readonly items: readonly EventSummary[];
  readonly next?: string;
}

let kit: ManagementKit;
let first: string;
beforeAll(async () => {
  kit = await managementKit();
  await kit.startHost().ready;
  first = await kit.send('login', login('ana'));
  for (let i = 0; i < 6; i++) await kit.send('operation', payment('ana', `ana-${i}`));
  await kit.send('login', login('eva'));
  await kit.send('operation', payment('eva', 'eva-1'));
  await kit.send('operation', { ...payment('', 'nobody-1'), account: { session: 's-none' } });
  await kit.send('logout', { channelId: 1, user: 'eva', session: 's-eva' });
  await kit.settled();
});
afterAll(() => kit.close());

async function idsOf(query: string, list = 'events'): Promise<readonly string[]> {
  return (await kit.get<Listed>(`${list}?${query}`)).items.map(({ id }) => id);
}

/** Reads every item of a list, page by page; `between` runs between two pages. */
async function pagesOf(query: string, between: () => Promise<unknown> = async () => undefined): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  for (;;) {
    const page = await kit.get<Listed>(`events?${query}${cursor}`);
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === undefined) return ids;
    cursor = `&cursor=${page.next}`;
    await between();
  }
}

describe('the list of events', () => {
  it('contains decided events, newest first', async () => {
    const { items, next } = await kit.get<Listed>('events');
    expect(next).toBeUndefined();
    expect(items.map(({ kind }) => kind)).toEqual([
      'logout',
      'operation',
      'operation',
      'login',
      ...Array<string>(6).fill('operation'),
      'login',
    ]);
    expect(items.at(-1)).toMatchObject({ id: first, client: 'ana', session: 's-ana', channelId: 1, status: 'decided' });
    expect(items[4]).toMatchObject({ client: 'ana', matched: true, fired: [301] });
    expect(items[1]).not.toHaveProperty('client');
    expect(items[1]).toMatchObject({ session: 's-none', matched: false, mismatch: 'noLogin' });
  });

  it.each([
    ['client=ana', 7],
    ['client=eva', 3],
    ['client=ANA', 0],
    ['client=nobody-ever', 0],
    ['session=s-eva', 3],
    ['session=s-none', 1],
    ['client=ana&session=s-eva', 0],
    ['kind=login', 2],
    ['kind=logout', 1],
    ['client=eva&kind=operation', 1],
    ['status=decided', 11],
    ['status=repeat', 0],
    ['reason=301', 1],
    ['reason=301&policyVersion=1', 1],
    ['reason=301&policyVersion=2', 0],
    ['reason=9999', 0],
    ['from=2020-01-01', 11],
    ['to=2020-01-01', 0],
    ['from=2020-01-01T00:00:00Z&to=2099-12-31', 11],
    ['from=2099-01-01', 0],
  ])('filtered by %s has %i items', async (query, count) => {
    expect(await idsOf(query)).toHaveLength(count);
  });

  it('filtered by an instant includes `from` and excludes `to`', async () => {
    const { items } = await kit.get<Listed>('events?client=eva&kind=login');
    const { id, loggedAt } = items[0]!;
    const later = new Date(Date.parse(loggedAt) + 1).toISOString();
    expect(await idsOf(`from=${loggedAt}&to=${later}`)).toContain(id);
    expect(await idsOf(`to=${loggedAt}`)).not.toContain(id);
    expect(await idsOf(`from=${later}`)).not.toContain(id);
  });

  it('accepts a time zone, with its plus sign encoded or not', async () => {
    const { items } = await kit.get<Listed>('events?kind=logout');
    const { id, loggedAt } = items[0]!;
    const local = new Date(Date.parse(loggedAt) + 2 * 3_600_000).toISOString().replace('Z', '');
    for (const sign of ['%2B', '+']) expect(await idsOf(`from=${local}${sign}02:00`)).toContain(id);
  });

  it.each(['from=2026-01-31T09:30:00', 'from=31.01.2026', 'from=1790000000', 'to=2026-02-30T00:00:00Z'])(
    'refuses %s',
    async (query) => {
      expect(problemOf(await kit.at('GET', `events?${query}`)).errors?.[0]?.expected).toContain('ISO 8601');
    },
  );

  it('refuses a time range that ends before it begins', async () => {
    const response = await kit.at('GET', 'events?from=2026-01-02&to=2026-01-01');
    expect(problemOf(response).errors).toMatchObject([{ pointer: '/to', expected: 'an instant after `from`' }]);
  });
});

describe('the list of decisions', () => {
  it('contains only events on which a rule fired', async () => {
    const { items } = await kit.get<Listed>('decisions');
    expect(items.length).toBeGreaterThan(0);
    for (const { fired, shadow } of items) expect(fired.length + shadow.length).toBeGreaterThan(0);
    expect(await idsOf('reason=301', 'decisions')).toHaveLength(1);
    expect(await idsOf('status=accepted', 'decisions')).toEqual([]);
  });
});

describe('pages', () => {
  it.each([1, 2, 3, 10, 11, 200])('of %i contain each event once', async (limit) => {
    const all = await idsOf('limit=200');
    expect(await pagesOf(`limit=${limit}`)).toEqual(all);
  });

  it('neither repeat nor miss an event while others are added', async () => {
    const before = await idsOf('limit=200&client=ana');
    let count = 0;
    const found = await pagesOf('limit=2&client=ana', async () => {
      await kit.send('operation', payment('ana', `between-${++count}`));
      await kit.settled();
    });
    expect(count).toBeGreaterThan(2);
    expect(found).toEqual(before);
  });

  it.each(['nonsense', 'YWN0aW9uOjU', 'ZXZlbnQ6LTE', ''])('refuse the cursor "%s"', async (cursor) => {
    expect(problemOf(await kit.at('GET', `events?cursor=${cursor}`)).errors).toMatchObject([{ pointer: '/cursor' }]);
  });

  it('have at most 200 items', async () => {
    expect(problemOf(await kit.at('GET', 'events?limit=201')).code).toBe('request.invalid');
  });
});

describe('one event', () => {
  it('shows what was received and derived, why rules fired, and its actions', async () => {
    const [id] = await idsOf('reason=301');
    const event = await kit.get<EventDetail>(`events/${id}`);
    expect(event).toMatchObject({
      id,
      received: { account: { client: 'ana' }, order: { currency: 'MXN' } },
      rules: expect.arrayContaining([
        expect.objectContaining({ reason: 301, facts: { clientPaid5m: '6', 'order.amount': '10.5' } }),
      ]),
      actions: [{ event: id, reason: 301, action: 2, client: 'ana' }],
    });
    expect((await kit.get<EventDetail>(`events/${first}`)).derived).toMatchObject({ 'ip.valid': true });
  });

  it('keeps the digits of its numbers as sent', async () => {
    const body = JSON.stringify(payment('ana', 'digits')).replace('10.5', '1250.500');
    const id = await kit.send('operation', exactJson(body) as object);
    await kit.settled();
    const response = await kit.at('GET', `events/${id}`);
    expect(response.body).toContain('"order":{"amount":1250.500,"currency":"MXN"}');
  });

  it('that repeats another refers to it by the epoch of that event', async () => {
    const body = payment('eva', 'twice');
    const original = await kit.send('operation', body);
    await kit.pool.query(`update log_partition set life = 'another' where partition = $1`, [kit.workspace.id]);
    const again = await kit.send('operation', body);
    await kit.settled();
    expect(again.split('_')[1]).not.toBe(original.split('_')[1]);
    expect(await kit.get<EventDetail>(`events/${again}`)).toMatchObject({ status: 'repeat', repeatOf: original });
    expect((await kit.get<Listed>('events?status=repeat')).items).toMatchObject([{ repeatOf: original }]);
  });

  it.each(['evt_1_1', 'evt_1790000000_999999', 'nonsense', 'act_x'])('%s is 404', async (id) => {
    expect(problemOf(await kit.at('GET', `events/${id}`)).code).toBe('thing.unknown');
  });

  it('is not found under another epoch, nor in another workspace', async () => {
    const [, epoch, offset] = first.split('_');
    expect((await kit.at('GET', `events/evt_${Number(epoch) + 1}_${offset}`)).statusCode).toBe(404);
    const other = await kit.call('POST', '/workspaces', { body: { name: 'other', environment: 'production' } });
    const { id }: { id: string } = other.json();
    expect((await kit.call('GET', `/workspaces/${id}/events/${first}`)).statusCode).toBe(404);
    expect((await kit.call('GET', `/workspaces/${id}/events?client=ana`)).json()).toEqual({ items: [] });
  });

  it('with damaged stored bytes is shown as far as possible, and does not break lists', async () => {
    const id = await kit.send('operation', payment('ana', 'damaged'));
    await kit.settled();
    const offset = Number(id.split('_')[2]);
    // The last byte of an encrypted payload; events that are sent one by one are stored in separate blocks.
    await kit.pool.query(
      `update log_block set frames = set_byte(frames, length(frames) - 1, 255 - get_byte(frames, length(frames) - 1))
       where first_offset = $1`,
      [offset],
    );
    const event = await kit.get<EventDetail>(`events/${id}`);
    expect(event).toMatchObject({ id, status: 'decided' });
    expect(event).not.toHaveProperty('received');
    expect(event).not.toHaveProperty('client');
    expect(await idsOf('limit=5')).toContain(id);
  });
});
