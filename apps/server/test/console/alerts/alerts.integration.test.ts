import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commentsMax } from '../../../src/console/alerts/comments.ts';
import { loggedIn, type Browser } from '../../access/accounts/support/browser.ts';
import { consoleKit, type ConsoleKit } from '../support/console-kit.ts';
import { login, payment, problemOf } from '../../api/support/management-kit.ts';

let kit: ConsoleKit;
let mara: Browser;
let luis: Browser;
let viewer: Browser;

beforeAll(async () => {
  kit = await consoleKit();
  [mara, luis, viewer] = await Promise.all([
    loggedIn(kit, { email: 'mara@bank.example', roles: ['analyst'] }),
    loggedIn(kit, { email: 'luis@bank.example', roles: ['analyst'] }),
    loggedIn(kit, { email: 'vera@bank.example', roles: ['viewer'] }),
  ]);
});

afterAll(() => kit.close());

interface Alert {
  readonly id: string;
  readonly state: string;
  readonly decisions: number;
  readonly risk: number;
  readonly client?: string;
  readonly clientRef: string;
  readonly claimedBy?: string;
  readonly outcome?: string;
  readonly decidedInSeconds?: number;
}

const path = (rest: string): string => `/workspaces/${kit.workspace.id}/${rest}`;
const post = (window: Browser, rest: string, body?: object) =>
  window.call('POST', path(rest), body === undefined ? {} : { body });
const alerts = async (query = '', window = viewer): Promise<readonly Alert[]> =>
  (await window.call('GET', path(`alerts${query}`))).json<{ items: Alert[] }>().items;

let sessions = 0;

/** Consecutive payments on which a rule of the starter policy acts, once per session. */
async function burst(client: string): Promise<void> {
  const session = `s-${client}-${++sessions}`;
  await kit.send('login', login(client, session));
  for (let i = 0; i < 7; i++) await kit.send('operation', payment(client, randomUUID(), session));
}

async function alertOf(client: string): Promise<Alert> {
  const items = (await kit.at('GET', 'alerts?limit=200')).json<{ items: Alert[] }>().items;
  return items.find((alert) => alert.client === client)!;
}

/** Another connection could change the alert now. */
async function expectNotLocked(id: string): Promise<void> {
  const free = await kit.pool.query(`select 1 from alert where id = $1 for update skip locked`, [id]);
  expect(free.rowCount).toBe(1);
}

async function audited(action: string): Promise<readonly { actor: string; target: string | null }[]> {
  const found = await kit.pool.query<{ actor: string; target: string | null }>(
    `select actor, target from audit_entry where action = $1 order by seq`,
    [action],
  );
  return found.rows;
}

describe('an alert', () => {
  it('contains the decisions of one client, masked for people without the right to see them', async () => {
    await burst('ana');
    await burst('ben');
    await kit.fed();
    const items = await alerts();
    expect(items.map(({ client }) => client).toSorted((a, b) => (a! < b! ? -1 : 1))).toEqual(['a•••', 'b•••']);
    expect(items.every(({ decisions, risk }) => decisions >= 1 && risk > 0)).toBe(true);
    const { id } = await alertOf('ana');
    const detail = await viewer.call('GET', path(`alerts/${id}`));
    expect(detail.json<{ events: unknown[] }>().events.length).toBe((await alertOf('ana')).decisions);
    expect(detail.body).not.toContain('"ana"');
    expect((await mara.call('GET', path(`alerts/${id}?show=true`))).body).toContain('"ana"');
    expect(await audited('personalData.show')).toEqual([{ actor: 'mara@bank.example', target: id }]);
  });

  it('is found by the name and by the reference of its client', async () => {
    const { id, clientRef } = await alertOf('ana');
    const found = async (query: string): Promise<readonly string[]> =>
      (await alerts(`?${query}`)).map((alert) => alert.id);
    expect(await found('client=ana')).toEqual([id]);
    expect(await found(`clientRef=${clientRef}`)).toEqual([id]);
    expect(await found(`client=ana&clientRef=${clientRef}`)).toEqual([id]);
    expect(await found(`client=ben&clientRef=${clientRef}`)).toEqual([]);
    expect(await found(`client=${clientRef}`)).toEqual([]);
    expect(await found('client=nobody')).toEqual([]);
  });

  it('grows with the next decision of its client', async () => {
    const before = await alertOf('ana');
    await burst('ana');
    await kit.fed();
    const after = await alertOf('ana');
    expect(after.id).toBe(before.id);
    expect(after.decisions).toBeGreaterThan(before.decisions);
  });
});

describe('working on alerts', () => {
  it('requires the role of an analyst', async () => {
    const { id } = await alertOf('ana');
    expect(problemOf(await post(viewer, `alerts/${id}/claim`)).code).toBe('right.missing');
    expect(problemOf(await post(viewer, 'alerts/next')).code).toBe('right.missing');
  });

  it('claims an alert for half an hour, during which no other analyst gets it', async () => {
    const { id } = await alertOf('ana');
    expect((await post(mara, `alerts/${id}/claim`)).json()).toMatchObject({ claimedBy: 'mara@bank.example' });
    const taken = await post(luis, `alerts/${id}/claim`);
    expect(problemOf(taken).code).toBe('state.conflict');
    expect(problemOf(taken).detail).toContain('mara@bank.example');
    expect(problemOf(await post(luis, `alerts/${id}/close`, { outcome: 'fraud' })).code).toBe('state.conflict');
    expect((await alerts('?assigned=me', mara)).map((alert) => alert.id)).toEqual([id]);
    expect((await alerts('?assigned=none')).map((alert) => alert.id)).not.toContain(id);
    expect((await post(mara, `alerts/${id}/release`)).json()).not.toHaveProperty('claimedBy');
    expect((await post(luis, `alerts/${id}/claim`)).statusCode).toBe(200);
  });

  it('assigns one to another person with access', async () => {
    const { id } = await alertOf('ana');
    expect(problemOf(await post(luis, `alerts/${id}/hand-over`, { to: 'vera@bank.example' })).code).toBe(
      'thing.unknown',
    );
    const may = (await luis.call('GET', path('analysts'))).json<{ items: { email: string }[] }>().items;
    expect(may.map(({ email }) => email)).toEqual(expect.arrayContaining(['luis@bank.example', 'mara@bank.example']));
    expect(may.map(({ email }) => email)).not.toContain('vera@bank.example');
    const handed = await post(luis, `alerts/${id}/hand-over`, { to: 'MARA@bank.example' });
    expect(handed.json()).toMatchObject({ claimedBy: 'mara@bank.example' });
  });

  it('stores comments encrypted, and masks them like everything about the client', async () => {
    const { id } = await alertOf('ana');
    const text = 'Called Ana on her landline: it was not her.';
    expect((await post(mara, `alerts/${id}/comments`, { text })).statusCode).toBe(204);
    const detail = (await viewer.call('GET', path(`alerts/${id}`))).json<{ comments: object[] }>();
    expect(detail.comments).toMatchObject([{ author: 'mara@bank.example', text: 'Ca•••r.' }]);
    const shown = (await mara.call('GET', path(`alerts/${id}?show=true`))).json<{ comments: object[] }>();
    expect(shown.comments).toMatchObject([{ author: 'mara@bank.example', text }]);
    const rows = await kit.pool.query<{ sealed: Buffer }>(`select sealed from alert_comment`);
    const fill = `insert into alert_comment (workspace_id, alert_id, at, author, sealed)
                  select workspace_id, alert_id, at, 'filled', sealed from alert_comment, generate_series(2, ${commentsMax})`;
    await kit.pool.query(fill);
    expect((await post(mara, `alerts/${id}/comments`, { text })).json()).toMatchObject({ code: 'state.conflict' });
    await kit.pool.query(`delete from alert_comment where author = 'filled'`);
    expect(rows.rows[0]!.sealed.toString('latin1')).not.toContain('landline');
  });

  it('decides one; the time it took is recorded, and the next decision opens another', async () => {
    const { id } = await alertOf('ana');
    const closed = await post(mara, `alerts/${id}/close`, { outcome: 'fraud', comment: 'Confirmed.' });
    expect(closed.json()).toMatchObject({ state: 'closed', outcome: 'fraud', closedBy: 'mara@bank.example' });
    expect(problemOf(await post(mara, `alerts/${id}/close`, { outcome: 'legitimate' })).code).toBe('state.conflict');
    expect((await alerts('?state=closed')).map((alert) => alert.id)).toEqual([id]);
    await kit.fed();
    const labels = (await kit.at('GET', 'labels')).json<{ items: { label: string; event: string }[] }>().items;
    expect(labels.length).toBe((await kit.at('GET', `alerts/${id}`)).json<{ events: object[] }>().events.length);
    expect(new Set(labels.map(({ label }) => label))).toEqual(new Set(['fraud']));
    const numbers = (await viewer.call('GET', path('alerts/numbers'))).json();
    expect(numbers).toMatchObject({ open: 1, claimed: 0, fraud: 1, legitimate: 0 });
    await burst('ana');
    await kit.fed();
    expect((await alertOf('ana')).id).not.toBe(id);
    expect(await audited('closeAlert')).toEqual([{ actor: 'mara@bank.example', target: id }]);
  });

  it('changes the outcome of a closed one: its events get new labels', async () => {
    await burst('dan');
    await kit.fed();
    const { id } = await alertOf('dan');
    expect(problemOf(await post(mara, `alerts/${id}/correct`, { outcome: 'fraud' })).code).toBe('state.conflict');
    await post(mara, `alerts/${id}/close`, { outcome: 'fraud' });
    expect(problemOf(await post(luis, `alerts/${id}/correct`, { outcome: 'fraud' })).code).toBe('state.conflict');
    const comment = 'She called back: it was her.';
    const corrected = await post(luis, `alerts/${id}/correct`, { outcome: 'legitimate', comment });
    expect(corrected.json()).toMatchObject({ state: 'closed', outcome: 'legitimate', closedBy: 'luis@bank.example' });
    await kit.fed();
    const { events, comments } = (await kit.at('GET', `alerts/${id}`)).json<{
      events: { id: string }[];
      comments: object[];
    }>();
    expect(comments).toMatchObject([{ author: 'luis@bank.example', text: comment }]);
    const labels = (await kit.at('GET', 'labels')).json<{ items: { label: string; event: string }[] }>().items;
    // Newest first: the last one counts.
    const newest = events.map(({ id: of }) => labels.find(({ event }) => event === of)?.label);
    expect(newest).toEqual(events.map(() => 'legitimate'));
    expect(await audited('correctAlert')).toEqual([{ actor: 'luis@bank.example', target: id }]);
  });

  it('closes many: one that is refused does not stop the others, and is named', async () => {
    const ids = (await alerts()).map(({ id }) => id);
    expect(ids.length).toBe(2);
    await post(luis, `alerts/${ids[1]}/claim`);
    const body = { alerts: [...ids, 'alr_aaaaaaaaaaaa'], outcome: 'legitimate' };
    const answer = (await post(mara, 'alerts/close', body)).json<{ changed: number; refused: { alert: string }[] }>();
    expect(answer.changed).toBe(1);
    expect(answer.refused.toSorted(({ alert }) => (alert === ids[1] ? -1 : 1))).toMatchObject([
      { alert: ids[1], code: 'state.conflict', detail: expect.stringContaining('luis@bank.example') },
      { alert: 'alr_aaaaaaaaaaaa', code: 'thing.unknown' },
    ]);
    expect((await alerts()).map(({ id }) => id)).toEqual([ids[1]]);
    await post(luis, `alerts/${ids[1]}/release`);
    expect((await post(mara, 'alerts/close', { ...body, alerts: [ids[1]] })).json()).toMatchObject({
      changed: 1,
      refused: [],
    });
    expect(await alerts()).toHaveLength(0);
  });

  it('is not locked while its events are labelled, and they are not labelled twice after a failure', async () => {
    await burst('gil');
    await kit.fed();
    const { id } = await alertOf('gil');
    const told = async (): Promise<number> => (await kit.at('GET', 'labels')).json<{ items: object[] }>().items.length;
    const before = await told();
    const body = { alerts: [id], outcome: 'fraud', comment: 'One of a ring.' };
    const append = kit.deps.log.append.bind(kit.deps.log);
    // The last step fails after the labels were appended.
    await kit.pool.query(`alter table alert_comment rename to alert_comment_away`);
    const failing = vi.spyOn(kit.deps.log, 'append').mockImplementation(async (...record) => {
      await expectNotLocked(id);
      return append(...record);
    });
    expect((await post(mara, 'alerts/close', body)).statusCode).toBe(500);
    failing.mockRestore();
    await kit.pool.query(`alter table alert_comment_away rename to alert_comment`);
    await kit.fed();
    const labelled = await told();
    expect(labelled).toBeGreaterThan(before);
    expect((await post(mara, 'alerts/close', body)).json()).toMatchObject({ changed: 1 });
    await kit.fed();
    expect(await told()).toBe(labelled);
  });

  it('refuses to comment on one of many whose client was erased, and labels its events not', async () => {
    for (const client of ['ian', 'jil']) await burst(client);
    await kit.fed();
    const [ian, jil] = await Promise.all(['ian', 'jil'].map(async (client) => (await alertOf(client)).id));
    await kit.at('POST', 'clients/erase', { body: { client: 'jil' } });
    const body = { alerts: [ian, jil], outcome: 'fraud', comment: 'Both of one ring.' };
    const answer = (await post(mara, 'alerts/close', body)).json();
    expect(answer).toMatchObject({
      changed: 1,
      refused: [{ alert: jil, code: 'state.conflict', detail: expect.stringContaining('erased') }],
    });
    await kit.fed();
    const { events } = (await kit.at('GET', `alerts/${jil}`)).json<{ events: { id: string }[] }>();
    const labels = (await kit.at('GET', 'labels')).json<{ items: { event: string }[] }>().items;
    expect(labels.filter(({ event }) => events.some(({ id }) => id === event))).toEqual([]);
    expect((await post(mara, 'alerts/close', { alerts: [jil], outcome: 'legitimate' })).json()).toMatchObject({
      changed: 1,
    });
  });

  it('is decided by one of two concurrent analysts, and its events have the label of that one', async () => {
    await burst('kai');
    await kit.fed();
    const { id } = await alertOf('kai');
    const decide = (window: Browser, outcome: string) => post(window, `alerts/${id}/close`, { outcome });
    // The second request arrives while the first appends the labels, and would finish first.
    const append = kit.deps.log.append.bind(kit.deps.log);
    let second: ReturnType<typeof decide> | undefined;
    const appending = vi.spyOn(kit.deps.log, 'append').mockImplementation(async (...record) => {
      if (second === undefined) {
        second = decide(luis, 'legitimate');
        await second;
      }
      return append(...record);
    });
    const first = await decide(mara, 'fraud');
    appending.mockRestore();
    expect(problemOf((await second)!)).toMatchObject({
      code: 'state.conflict',
      detail: `Another person is deciding alert ${id} at this moment.`,
    });
    expect(first.json()).toMatchObject({ id, state: 'closed', outcome: 'fraud' });
    await kit.fed();
    const { events } = (await kit.at('GET', `alerts/${id}`)).json<{ events: { id: string }[] }>();
    const labels = (await kit.at('GET', 'labels')).json<{ items: { label: string; event: string }[] }>().items;
    const told = labels.filter(({ event }) => events.some((one) => one.id === event)).map(({ label }) => label);
    expect(new Set(told)).toEqual(new Set(['fraud']));
    expect(problemOf(await decide(luis, 'legitimate')).detail).toBe(`Alert ${id} was closed by mara@bank.example.`);
  });

  it('opens none for a suppressed client, and opens one again after the suppression', async () => {
    await burst('eva');
    await kit.fed();
    const { id } = await alertOf('eva');
    const unsaid = await post(mara, `alerts/${id}/suppress`, { hours: 24, why: ' ' });
    expect(problemOf(unsaid)).toMatchObject({ code: 'request.invalid', errors: [{ expected: 'a reason' }] });
    const made = await post(mara, `alerts/${id}/suppress`, { hours: 24, why: 'payroll day' });
    expect(made.statusCode).toBe(201);
    await burst('eva');
    await kit.fed();
    expect(await alerts()).toHaveLength(0);
    const listed = (await viewer.call('GET', path('alert-suppressions'))).json<{ items: { id: string }[] }>().items;
    expect(listed).toMatchObject([{ client: 'e•••', why: 'payroll day', madeBy: 'mara@bank.example' }]);
    expect((await mara.call('GET', path('alert-suppressions?show=true'))).json()).toMatchObject({
      items: [{ client: 'eva' }],
    });
    expect(problemOf(await viewer.call('GET', path('alert-suppressions?show=true'))).code).toBe('right.missing');
    expect((await mara.call('DELETE', path(`alert-suppressions/${listed[0]!.id}`))).statusCode).toBe(204);
    await burst('eva');
    await kit.fed();
    expect(await alerts()).toHaveLength(1);
  });
});

describe('the queue', () => {
  it('gives every analyst another alert, however many ask concurrently, and the first ones first', async () => {
    for (const client of ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8']) await burst(client);
    await kit.fed();
    const queue = await alerts('?assigned=none');
    const windows = [mara, luis];
    const asked = await Promise.all(
      Array.from({ length: queue.length + 4 }, (_, i) => post(windows[i % 2]!, 'alerts/next')),
    );
    const got = asked.map((response) => response.json<{ alert?: Alert }>().alert);
    const given = got.flatMap((alert) => alert ?? []).map(({ id }) => id);
    expect(new Set(given).size).toBe(given.length);
    expect(given.length).toBe(queue.length);
    expect((await alerts('?assigned=none')).length).toBe(0);
    kit.pass(31 * 60_000);
    const again = await loggedIn(kit, { email: 'nora@bank.example', roles: ['analyst'] });
    expect((await post(again, 'alerts/next')).json<{ alert: Alert }>().alert.id).toBe(queue[0]!.id);
  });

  it('compares money with the ordinary amount of its currency, not with other currencies', async () => {
    const order = (
      client: string,
      money: { readonly amount: number; readonly currency: string },
      session?: string,
    ) => ({
      ...payment(client, randomUUID(), session),
      order: money,
    });
    // Ordinary amounts: some thousands of yen, some tens of dollars.
    for (let i = 0; i < 10; i++) {
      await kit.send('operation', order('ordinary', { amount: 6_000, currency: 'JPY' }));
      await kit.send('operation', order('ordinary', { amount: 60, currency: 'USD' }));
    }
    for (const money of [
      { amount: 6_000, currency: 'JPY' },
      { amount: 900, currency: 'USD' },
    ]) {
      const client = `with-${money.currency}`;
      await kit.send('login', login(client, `s-${client}`));
      for (let i = 0; i < 7; i++) await kit.send('operation', order(client, money, `s-${client}`));
    }
    await kit.fed();
    const ranks = await kit.pool.query<{ currency: string; rank: number; risk: number }>(
      `select currency, rank, risk from alert where state = 'open' and currency in ('JPY', 'USD')`,
    );
    /** The rank without risk: money, and the time of opening. */
    const money = (wanted: string): number => {
      const { rank, risk } = ranks.rows.find(({ currency }) => currency === wanted)!;
      return rank / 65_536 / 1_000 - risk;
    };
    // 900 dollars are more than a digit above 60; 6,000 yen are ordinary.
    expect(money('USD') - money('JPY')).toBeGreaterThan(5);
    expect(money('USD') - money('JPY')).toBeLessThan(7);
  });

  it('is paged in its order', async () => {
    const fresh = await loggedIn(kit, { email: 'olga@bank.example', roles: ['viewer'] });
    const all = await alerts('?limit=200', fresh);
    const first = (await fresh.call('GET', path('alerts?limit=3'))).json<{ items: Alert[]; next: string }>();
    const second = await alerts(`?limit=200&cursor=${first.next}`, fresh);
    expect([...first.items, ...second].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });

  it('belongs to one workspace', async () => {
    const other = await kit.addWorkspace();
    await kit.deps.registry.refresh();
    const listed = await kit.call('GET', `/workspaces/${other.id}/alerts`);
    expect(listed.json()).toEqual({ items: [] });
  });
});

it('are searched some thousand at a time for rare matches: a page can be empty and have a next one', async () => {
  await kit.pool.query(
    `insert into alert (workspace_id, id, state, rank, risk, decisions, reasons, first_offset, last_offset, opened_at, last_at,
                        outcome, closed_by, closed_at)
     select $1, 'alr_' || case when i <= 1 then 'b' else 'a' end || translate(lpad(to_hex(i), 11, '0'), '0123456789', 'ghijklmnop'), 'closed', i, 1, 1,
            array[case when i <= 1 then 7001 else 7002 end], i, i, now(), now(), 'legitimate', 'x', now()
       from generate_series(1, 55000) i`,
    [kit.workspace.id],
  );
  const page = async (query: string) =>
    (await kit.at('GET', `alerts?state=closed&${query}`)).json<{ items: Alert[]; next?: string }>();
  expect((await page('reason=7002')).items).toHaveLength(50);
  const first = await page('reason=7001');
  expect(first).toEqual({ items: [], next: expect.any(String) });
  const second = await page(`reason=7001&cursor=${first.next}`);
  expect(second.items.map(({ id }) => id)).toEqual([expect.stringMatching(/^alr_b/)]);
  expect(second.next).toBeUndefined();
});
