/** Finding events by what they name besides client and session, and searches that are stored. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, loggedIn } from '../access/accounts/support/browser.ts';
import { login, payment, problemOf } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

interface Found {
  readonly id: string;
  readonly kind: string;
  readonly client?: string;
  readonly payee?: string;
  readonly payeeRef?: string;
  readonly payeeBank?: string;
  readonly country?: string;
  readonly label?: string;
}

let kit: ConsoleKit;
let viewer: Browser;
let analyst: Browser;

const inMexico = '189.240.1.1';
const inSpain = '80.58.61.250';

beforeAll(async () => {
  kit = await consoleKit();
  await kit.send('login', { ...login('ana'), publicIp: inMexico });
  await kit.send('login', { ...login('ben'), publicIp: inSpain });
  await kit.send('operation', payment('ana', 'ref-a'));
  await kit.send('operation', { ...payment('ben', 'ref-b'), accountTo: { bank: 'B2', accountNumber: '42' } });
  await kit.send('operation', { ...payment('ben', 'ref-c'), accountTo: undefined });
  await kit.fed();
  viewer = await loggedIn(kit, { email: 'viewer@bank.example', roles: ['viewer'] });
  analyst = await loggedIn(kit, { email: 'analyst@bank.example', roles: ['analyst'] });
});

afterAll(() => kit.close());

const path = (rest: string): string => `/workspaces/${kit.workspace.id}/${rest}`;
const found = async (query: string, list = 'events'): Promise<readonly Found[]> =>
  (await viewer.call('GET', path(`${list}?${query}`))).json<{ items: Found[] }>().items;

describe('events', () => {
  it('show payee, its bank and the country, also that of their session; the payee is masked', async () => {
    const events = await found('kind=operation');
    expect(events).toMatchObject([
      { client: 'b•••', country: 'ES' },
      { client: 'b•••', country: 'ES', payee: 'B•••', payeeBank: 'B2' },
      { client: 'a•••', country: 'MX', payee: 'B•••', payeeBank: 'B1' },
    ]);
    expect(events[0]).not.toHaveProperty('payee');
    const shown = await analyst.call('GET', path('events?kind=operation&show=true'));
    expect(shown.json<{ items: Found[] }>().items.map(({ payee }) => payee)).toEqual([undefined, 'B2/42', 'B1/42']);
  });

  it.each([
    ['payee=B1/42', ['ana']],
    ['payee=42', ['ben', 'ana']],
    ['payee=43', []],
    ['payee=42&payeeBank=B2', ['ben']],
    ['payeeBank=B1', ['ana']],
    ['payeeBank=B3', []],
    ['country=MX', ['ana', 'ana']],
    ['country=ES&kind=operation&amountMin=10', ['ben', 'ben']],
    ['country=FR', []],
  ])('are found by %s', async (query, clients) => {
    const masked = (await found(query)).map(({ client }) => client);
    expect(masked).toEqual(clients.map((name) => `${name[0]}•••`));
  });

  it('of an unreadable country are refused with what is expected', async () => {
    const problem = problemOf(await viewer.call('GET', path('events?country=Mexico')));
    expect(problem.errors).toMatchObject([{ pointer: '/country', expected: 'two capital letters, such as MX' }]);
  });

  it('are exported with payee and label', async () => {
    const [event] = await found('payee=B1/42');
    const label = await analyst.call('POST', path('labels'), {
      body: { labels: [{ event: event!.id, label: 'fraud' }] },
    });
    expect(label.statusCode).toBeLessThan(300);
    await kit.fed();
    const exported = await viewer.call('POST', path('events/export'), { body: { events: [event!.id] } });
    expect(exported.json()).toMatchObject({ items: [{ id: event!.id, payee: 'B•••', label: 'fraud' }] });
  });
});

describe('searches of events', () => {
  const add = (window: Browser, name: string, filters: object) =>
    window.call('POST', path('event-views'), { body: { name, filters } });
  const wrong = async (filters: object) => problemOf(await add(analyst, 'Wrong', filters));

  it('are shared by the people of a workspace, by filters or by a condition', async () => {
    const condition = 'order.amount > 10 && ip.country != "MX"';
    expect((await add(analyst, 'Abroad', { condition })).statusCode).toBe(201);
    expect((await add(analyst, 'Bank B2', { payeeBank: 'B2', fired: true })).statusCode).toBe(201);
    const listed = (await viewer.call('GET', path('event-views'))).json<{ items: object[] }>().items;
    expect(listed).toMatchObject([
      { name: 'Abroad', filters: { condition }, changedBy: 'analyst@bank.example' },
      { name: 'Bank B2', filters: { payeeBank: 'B2', fired: true } },
    ]);
    expect(problemOf(await add(viewer, 'Mine', {})).code).toBe('right.missing');
  });

  it('name no client, in filters or in the condition, and hold a valid condition', async () => {
    expect((await wrong({ client: 'ana' })).code).toBe('request.invalid');
    expect((await wrong({ payee: 'B1/42' })).code).toBe('request.invalid');
    expect(await wrong({ condition: 'client.id == "ana"' })).toMatchObject({
      code: 'request.invalid',
      errors: [{ pointer: '/filters/condition', detail: 'It reads client.id.' }],
    });
    expect(await wrong({ condition: 'order.amonut > 1' })).toMatchObject({ errors: [{ expected: 'order.amount' }] });
  });
});
