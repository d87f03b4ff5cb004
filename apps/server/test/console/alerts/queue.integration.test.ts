import { hourMs, minuteMs } from '@ringfence/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOrders } from '../../../src/console/alerts/alert-orders.ts';
import { viewsMax } from '../../../src/console/saved-views.ts';
import { loggedIn, password, type Browser } from '../../access/accounts/support/browser.ts';
import { consoleKit, type ConsoleKit } from '../support/console-kit.ts';
import { login, payment, problemOf } from '../../api/support/management-kit.ts';

let kit: ConsoleKit;
let mara: Browser;
let luis: Browser;
let viewer: Browser;

beforeAll(async () => {
  kit = await consoleKit();
  mara = await loggedIn(kit, { email: 'mara@bank.example', roles: ['analyst'] });
  luis = await loggedIn(kit, { email: 'luis@bank.example', roles: ['analyst'] });
  viewer = await loggedIn(kit, { email: 'vera@bank.example', roles: ['viewer'] });
  await fill();
});

afterAll(() => kit.close());

interface Alert {
  readonly id: string;
  readonly risk: number;
  readonly amount?: string;
  readonly currency?: string;
  readonly reasons: readonly number[];
  readonly channels: readonly number[];
  readonly openedAt: string;
  readonly dueAt?: string;
  readonly claimedBy?: string;
  readonly claimedUntil?: string;
  readonly handedOver?: { readonly by: string; readonly at: string; readonly note?: string };
}

interface Page {
  readonly items: readonly Alert[];
  readonly next?: string;
}

const path = (rest: string): string => `/workspaces/${kit.workspace.id}/${rest}`;
const post = (window: Browser, rest: string, body?: object) =>
  window.call('POST', path(rest), body === undefined ? {} : { body });
const page = async (query: string, window = viewer): Promise<Page> =>
  (await window.call('GET', path(`alerts?${query}`))).json<Page>();
const found = async (query: string, window = viewer): Promise<readonly string[]> =>
  (await page(`limit=200&${query}`, window)).items.map(({ id }) => id);

/** Lets time pass, which ends the sessions, and logs everybody in again. */
async function passed(ms: number): Promise<void> {
  kit.pass(ms);
  for (const [email, window] of Object.entries({ mara, luis, vera: viewer })) {
    const entered = await window.call('POST', '/session', { body: { email: `${email}@bank.example`, password } });
    expect(entered.statusCode).toBe(201);
  }
}

const count = 60;
const idOf = (n: number): string =>
  `alr_${String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26)).padStart(12, 'a')}`;

/** Alerts with few different values, so that many are equal in each order. Three were opened every ten minutes. */
async function fill(): Promise<void> {
  const { rows } = await kit.pool.query(
    `insert into alert (workspace_id, id, state, rank, risk, amount, currency, decisions, reasons, channels, first_offset,
                        last_offset, opened_at, last_at)
     select $1, ids.id, 'open', i % 7, (i % 5) * 20, case when i % 4 = 3 then null else (i % 3) * 100 end,
            case when i % 4 = 3 then null else (array['MXN', 'USD', 'EUR'])[1 + i % 4] end, 1,
            array[300 + i % 3, 400], array[1 + i % 2], i, i, $3::timestamptz - (i / 3) * interval '10 minutes', $3::timestamptz
       from unnest($2::text[]) with ordinality as ids (id, n), lateral (select (n - 1)::integer as i) numbered
     returning id`,
    [kit.workspace.id, Array.from({ length: count }, (_, n) => idOf(n)), new Date(kit.deps.now())],
  );
  expect(rows).toHaveLength(count);
}

const numbers = Array.from({ length: count }, (_, n) => n);
const idsWhere = (is: (n: number) => boolean): readonly string[] => numbers.filter(is).map(idOf);

describe('the orders of the queue', () => {
  /** What is compared, greatest first; equal ones by the time of storing, the newest first. */
  const keys: Readonly<Record<keyof typeof openOrders, (n: number) => readonly (number | string)[]>> = {
    queue: (n) => [n % 7, n],
    risk: (n) => [(n % 5) * 20, n % 7, n],
    money: (n) => (n % 4 === 3 ? ['', -1, n] : [['MXN', 'USD', 'EUR'][n % 4]!, (n % 3) * 100, n]),
    oldest: (n) => [Math.floor(n / 3), -n],
    newest: (n) => [-Math.floor(n / 3), n],
  };

  function descending(one: readonly (number | string)[], other: readonly (number | string)[]): number {
    const at = one.findIndex((part, i) => part !== other[i]);
    return at === -1 ? 0 : one[at]! > other[at]! ? -1 : 1;
  }

  it.each(Object.keys(keys) as (keyof typeof openOrders)[])('%s', async (sort) => {
    const expected = numbers.toSorted((a, b) => descending(keys[sort](a), keys[sort](b))).map(idOf);
    expect(await found(`sort=${sort}`)).toEqual(expected);
  });

  it.each(Object.keys(keys))('%s has no gap and no repeat between pages, however many are equal', async (sort) => {
    const whole = await found(`sort=${sort}`);
    const paged: string[] = [];
    let next: string | undefined = '';
    while (next !== undefined) {
      const one: Page = await page(`sort=${sort}&limit=7${next === '' ? '' : `&cursor=${next}`}`);
      paged.push(...one.items.map(({ id }) => id));
      next = one.next;
    }
    expect(paged).toEqual(whole);
  });

  it('keeps the place of a page while alerts are decided and opened', async () => {
    const whole = await found('sort=risk');
    const first = await page('sort=risk&limit=10');
    await kit.pool.query(`update alert set state = 'closed', outcome = 'legitimate', closed_at = now() where id = $1`, [
      whole[9],
    ]);
    await kit.pool.query(`update alert set risk = 100 where id = $1`, [whole[40]]);
    const rest = await page(`sort=risk&limit=200&cursor=${first.next}`);
    expect(rest.items.map(({ id }) => id)).toEqual(whole.slice(10).filter((id) => id !== whole[40]));
    await kit.pool.query(`update alert set state = 'open', outcome = null, closed_at = null where id = $1`, [whole[9]]);
    const before = numbers.find((n) => idOf(n) === whole[40])!;
    await kit.pool.query(`update alert set risk = $2 where id = $1`, [whole[40], (before % 5) * 20]);
  });

  it('refuses the cursor of another order', async () => {
    const { next } = await page('sort=risk&limit=2');
    const refused = await viewer.call('GET', path(`alerts?sort=money&cursor=${next}`));
    expect(problemOf(refused)).toMatchObject({ code: 'request.invalid', errors: [{ pointer: '/cursor' }] });
  });
});

describe('filters of the queue', () => {
  it.each([
    ['riskMin=60', (n: number) => (n % 5) * 20 >= 60],
    ['reason=301', (n: number) => n % 3 === 1],
    ['reason=400', () => true],
    ['channel=2', (n: number) => n % 2 === 1],
    ['currency=MXN', (n: number) => n % 4 === 0],
    ['currency=MXN&amountMin=100', (n: number) => n % 4 === 0 && n % 3 >= 1],
    ['amountMin=200', (n: number) => n % 4 !== 3 && n % 3 === 2],
    ['olderThan=95', (n: number) => n >= 30],
    ['riskMin=80&channel=1&reason=300', (n: number) => n % 5 === 4 && n % 2 === 0 && n % 3 === 0],
  ])('%s, in every order', async (query, is) => {
    const expected = idsWhere(is).toSorted();
    expect(expected.length).toBeGreaterThan(0);
    for (const sort of Object.keys(openOrders)) {
      expect((await found(`${query}&sort=${sort}`)).toSorted(), sort).toEqual(expected);
    }
  });

  it('by the person who has it', async () => {
    await post(mara, 'alerts/claim', { alerts: [idOf(0), idOf(1)] });
    await post(luis, 'alerts/claim', { alerts: [idOf(2), idOf(1)] });
    expect((await found('assigned=me', mara)).toSorted()).toEqual([idOf(0), idOf(1)]);
    expect(await found('assigned=luis@bank.example')).toEqual([idOf(2)]);
    expect((await found('assigned=any&sort=oldest')).toSorted()).toEqual([idOf(0), idOf(1), idOf(2)]);
    expect((await found('assigned=none')).length).toBe(count - 3);
    expect(await found('assigned=unknown@bank.example')).toEqual([]);
    const numbersOf = async (window: Browser): Promise<object> =>
      (await window.call('GET', path('alerts/numbers'))).json<object>();
    expect(await numbersOf(mara)).toMatchObject({ open: count, claimed: 3, mine: 2, overdue: 0 });
    await passed(31 * minuteMs);
    expect(await found('assigned=me', mara)).toEqual([]);
    expect(await numbersOf(mara)).toMatchObject({ claimed: 0, mine: 0 });
  });

  it('refuses words that name no person', async () => {
    const refused = await viewer.call('GET', path('alerts?assigned=everybody'));
    expect(problemOf(refused)).toMatchObject({ code: 'request.invalid', errors: [{ pointer: '/assigned' }] });
  });
});

it('an alert knows the channels of its events', async () => {
  await kit.send('login', login('ana', 's-ana'));
  for (let i = 0; i < 7; i++)
    await kit.send('operation', payment('ana', `00000000-0000-4000-8000-00000000000${i}`, 's-ana'));
  await kit.fed();
  const { items } = await page('client=ana');
  expect(items).toMatchObject([{ channels: [1] }]);
  await kit.pool.query(`delete from alert_event where alert_id = $1`, [items[0]!.id]);
  await kit.pool.query(`delete from alert where id = $1`, [items[0]!.id]);
});

describe('the due time of alerts', () => {
  const change = (alerts: object | null) =>
    kit.call('PATCH', `/workspaces/${kit.workspace.id}`, { body: { settings: { alerts } } });

  it('is told with each, filters, and follows the setting at once', async () => {
    expect((await page('limit=1')).items[0]).not.toHaveProperty('dueAt');
    expect(await found('due=over')).toEqual([]);
    expect((await change({ dueMinutes: 125 })).statusCode).toBe(200);
    await kit.deps.registry.refresh();
    const { items } = await page('limit=200&sort=oldest');
    for (const { openedAt, dueAt } of items) expect(Date.parse(dueAt!) - Date.parse(openedAt)).toBe(125 * minuteMs);
    // Half an hour has passed since they were filled in: those that were 100 minutes old then are due.
    expect((await found('due=over')).toSorted()).toEqual(idsWhere((n) => n >= 30).toSorted());
    expect((await viewer.call('GET', path('alerts/numbers'))).json()).toMatchObject({ overdue: 30 });
    await change({ dueMinutes: 300 });
    await kit.deps.registry.refresh();
    expect(await found('due=over')).toEqual([]);
    expect((await change(null)).statusCode).toBe(200);
    await kit.deps.registry.refresh();
    expect((await page('limit=1')).items[0]).not.toHaveProperty('dueAt');
  });

  it.each([
    [{ dueMinutes: 0 }, '/settings/alerts/dueMinutes'],
    [
      { dueMinutes: 60, businessHours: { days: [], from: '09:00', to: '18:00' } },
      '/settings/alerts/businessHours/days',
    ],
    [
      { dueMinutes: 60, businessHours: { days: ['mon', 'mon'], from: '09:00', to: '18:00' } },
      '/settings/alerts/businessHours/days',
    ],
    [
      { dueMinutes: 60, businessHours: { days: ['mon'], from: '9:00', to: '18:00' } },
      '/settings/alerts/businessHours/from',
    ],
    [
      { dueMinutes: 60, businessHours: { days: ['mon'], from: '09:00', to: '09:30' } },
      '/settings/alerts/businessHours/to',
    ],
    [
      { dueMinutes: 60, businessHours: { days: ['mon'], from: '22:00', to: '06:00' } },
      '/settings/alerts/businessHours/to',
    ],
  ])('is not set by %o', async (alerts, pointer) => {
    expect(problemOf(await change(alerts))).toMatchObject({ code: 'request.invalid', errors: [{ pointer }] });
  });
});

describe('handing over', () => {
  const alert = idOf(5);
  const read = async (window = mara, show = false): Promise<Alert> =>
    (await window.call('GET', path(`alerts/${alert}${show ? '?show=true' : ''}`))).json<Alert>();

  it('lists people who can log in and may work here', async () => {
    const disabled = await loggedIn(kit, { email: 'nora@bank.example', roles: ['analyst'] });
    const accounts = (await kit.call('GET', '/accounts')).json<{ items: { id: string; email: string }[] }>().items;
    const idOfAccount = accounts.find(({ email }) => email === 'nora@bank.example')!.id;
    expect((await kit.call('PATCH', `/accounts/${idOfAccount}`, { body: { disabled: true } })).statusCode).toBe(200);
    expect((await disabled.call('GET', path('alerts'))).statusCode).toBe(401);
    // Invited, and never came.
    const invited = {
      email: 'olaf@bank.example',
      name: 'Olaf',
      roles: [{ workspace: kit.workspace.id, roles: ['analyst'] }],
    };
    expect((await kit.call('POST', '/accounts', { body: invited })).statusCode).toBe(201);
    const { items } = (await mara.call('GET', path('analysts'))).json<{ items: { email: string }[] }>();
    expect(items.map(({ email }) => email)).toEqual(['luis@bank.example', 'mara@bank.example']);
    for (const to of ['nora@bank.example', 'olaf@bank.example', 'vera@bank.example', 'admin token']) {
      expect(problemOf(await post(mara, `alerts/${alert}/hand-over`, { to })).code, to).toBe('thing.unknown');
    }
    const toSelf = await post(mara, `alerts/${alert}/hand-over`, { to: 'mara@bank.example' });
    expect(problemOf(toSelf).code).toBe('state.conflict');
  });

  it('tells the receiver who gave it and why, encrypted in the database and masked for others', async () => {
    const note = 'Call Ana Lopez after five.';
    const handed = await post(mara, `alerts/${alert}/hand-over`, { to: 'luis@bank.example', note });
    expect(handed.json<Alert>()).toMatchObject({
      claimedBy: 'luis@bank.example',
      handedOver: { by: 'mara@bank.example' },
    });
    expect((await read(luis, true)).handedOver).toMatchObject({ by: 'mara@bank.example', note });
    expect((await read(viewer)).handedOver!.note).toBe('Ca•••e.');
    const { rows } = await kit.pool.query<{ handed_note: Buffer }>(`select handed_note from alert where id = $1`, [
      alert,
    ]);
    expect(rows[0]!.handed_note.toString('latin1')).not.toContain('Ana');
  });

  it('lasts for a day, also if the receiver claims it meanwhile', async () => {
    const { claimedUntil, handedOver } = await read();
    expect(Date.parse(claimedUntil!) - Date.parse(handedOver!.at)).toBe(24 * hourMs);
    const claimed = (await post(luis, `alerts/${alert}/claim`)).json<Alert>();
    expect(claimed.claimedUntil).toBe(claimedUntil);
    expect(claimed.handedOver).toMatchObject({ by: 'mara@bank.example' });
  });

  it('is taken back by the giver alone, while the receiver has it', async () => {
    expect(problemOf(await post(luis, `alerts/${alert}/take-back`)).code).toBe('state.conflict');
    const back = (await post(mara, `alerts/${alert}/take-back`)).json<Alert>();
    expect(back.claimedBy).toBe('mara@bank.example');
    expect(back).not.toHaveProperty('handedOver');
    expect(problemOf(await post(mara, `alerts/${alert}/take-back`)).code).toBe('state.conflict');
    await post(mara, `alerts/${alert}/hand-over`, { to: 'luis@bank.example' });
    expect((await post(luis, `alerts/${alert}/release`)).json()).not.toHaveProperty('handedOver');
    expect(problemOf(await post(mara, `alerts/${alert}/take-back`)).code).toBe('state.conflict');
    await post(mara, `alerts/${alert}/hand-over`, { to: 'luis@bank.example' });
    await passed(24 * hourMs + 1);
    expect(await read()).not.toHaveProperty('handedOver');
    expect(problemOf(await post(mara, `alerts/${alert}/take-back`)).code).toBe('state.conflict');
  });

  it('takes several at once, and names those that are refused', async () => {
    await post(luis, `alerts/${idOf(7)}/claim`);
    const body = { alerts: [idOf(6), idOf(7), idOf(8)], to: 'luis@bank.example', note: 'One ring.' };
    expect((await post(mara, 'alerts/hand-over', body)).json()).toMatchObject({
      changed: 2,
      refused: [{ alert: idOf(7), code: 'state.conflict' }],
    });
    expect((await found('assigned=me', luis)).toSorted()).toEqual([idOf(6), idOf(7), idOf(8)]);
  });
});

it('several alerts are suppressed for their clients, and one without a client is named', async () => {
  for (const client of ['bea', 'cyd']) {
    await kit.send('login', login(client, `s-${client}`));
    for (let i = 0; i < 7; i++) await kit.send('operation', payment(client, crypto.randomUUID(), `s-${client}`));
  }
  await kit.fed();
  const ids = [...(await found('client=bea')), ...(await found('client=cyd'))];
  const body = { alerts: [...ids, idOf(9)], hours: 2, why: 'payroll day' };
  expect((await post(mara, 'alerts/suppress', body)).json()).toMatchObject({
    changed: 2,
    refused: [{ alert: idOf(9), code: 'state.conflict' }],
  });
  expect(await found(`riskMin=0`)).not.toEqual(expect.arrayContaining(ids));
  const listed = (await viewer.call('GET', path('alert-suppressions'))).json<{ items: object[] }>().items;
  expect(listed).toHaveLength(2);
});

describe('views of the queue', () => {
  interface View {
    readonly id: string;
    readonly name: string;
    readonly filters: object;
    readonly changedBy: string;
  }
  const views = async (window = viewer): Promise<readonly View[]> =>
    (await window.call('GET', path('alert-views'))).json<{ items: View[] }>().items;
  const add = (window: Browser, name: string, filters: object) => post(window, 'alert-views', { name, filters });

  it('are shared by the people of a workspace, renamed and deleted by those who work there', async () => {
    const made = await add(mara, 'Large', { sort: 'money', currency: 'MXN', amountMin: 50_000 });
    expect(made.statusCode).toBe(201);
    const { id } = made.json<View>();
    const filters = { state: 'open', sort: 'money', currency: 'MXN', amountMin: 50_000 };
    expect(await views(luis)).toMatchObject([{ id, name: 'Large', filters, changedBy: 'mara@bank.example' }]);
    const renamed = await luis.call('PATCH', path(`alert-views/${id}`), { body: { name: 'Large transfers' } });
    expect(renamed.json()).toMatchObject({ name: 'Large transfers', filters, changedBy: 'luis@bank.example' });
    const other = await luis.call('PATCH', path(`alert-views/${id}`), { body: { filters: { assigned: 'me' } } });
    expect(other.json()).toMatchObject({ name: 'Large transfers', filters: { state: 'open', assigned: 'me' } });
    expect((await mara.call('DELETE', path(`alert-views/${id}`))).statusCode).toBe(204);
    expect(await views()).toEqual([]);
    expect(problemOf(await mara.call('DELETE', path(`alert-views/${id}`))).code).toBe('thing.unknown');
    const audited = await kit.pool.query<{ action: string; actor: string }>(
      `select distinct action, actor from audit_entry where target = $1 order by action, actor`,
      [id],
    );
    expect(audited.rows).toEqual([
      { action: 'addAlertView', actor: 'mara@bank.example' },
      { action: 'changeAlertView', actor: 'luis@bank.example' },
      { action: 'removeAlertView', actor: 'mara@bank.example' },
    ]);
  });

  it('are not changed by people who only look', async () => {
    expect(problemOf(await add(viewer, 'Mine', {})).code).toBe('right.missing');
  });

  it('name no client', async () => {
    expect(problemOf(await add(mara, 'Ana', { client: 'ana' })).code).toBe('request.invalid');
  });

  it('have different names, and are not too many', async () => {
    expect((await add(mara, 'Night', {})).statusCode).toBe(201);
    expect(problemOf(await add(luis, 'NIGHT', {})).detail).toBe('There is already a view with the name "NIGHT".');
    for (let n = 1; n < viewsMax; n++) expect((await add(mara, `View ${n}`, {})).statusCode).toBe(201);
    expect(problemOf(await add(mara, 'One more', {})).code).toBe('state.conflict');
    const [first] = await views();
    const taken = await mara.call('PATCH', path(`alert-views/${first!.id}`), { body: { name: 'view 1' } });
    expect(problemOf(taken).code).toBe('state.conflict');
  });

  it('belong to one workspace', async () => {
    const other = await kit.addWorkspace();
    await kit.deps.registry.refresh();
    expect((await kit.call('GET', `/workspaces/${other.id}/alert-views`)).json()).toEqual({ items: [] });
  });
});
