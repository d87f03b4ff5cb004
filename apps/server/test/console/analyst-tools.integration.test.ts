/** Tools of analysts besides the queue: notes, actions triggered by hand, and the timeline of a client's events. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loggedIn, type Browser } from '../access/accounts/support/browser.ts';
import { login, payment, problemOf } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

let kit: ConsoleKit;
let analyst: Browser;
let viewer: Browser;
let event: string;
let nameless: string;
let client: string;

interface Listed {
  readonly items: readonly {
    readonly id: string;
    readonly clientRef: string;
    readonly label?: string;
    readonly actions?: readonly { readonly id: string; readonly action: number; readonly state: string }[];
  }[];
}

beforeAll(async () => {
  kit = await consoleKit();
  await kit.send('login', login('ana', 'ana-1'));
  event = await kit.send('operation', payment('ana', 'ref-1', 'ana-1'));
  nameless = await kit.send('operation', { ...payment('ana', 'ref-2'), account: {} });
  await kit.fed();
  analyst = await loggedIn(kit, { email: 'analyst@bank.example', roles: ['analyst'] });
  viewer = await loggedIn(kit, { email: 'viewer@bank.example', roles: ['viewer'] });
  const { items } = (await get(viewer, 'events?client=ana')).json<Listed>();
  client = items[0]!.clientRef;
});

afterAll(() => kit.close());

const get = (window: Browser, path: string) => window.call('GET', `/workspaces/${kit.workspace.id}/${path}`);
const post = (window: Browser, path: string, body: object) =>
  window.call('POST', `/workspaces/${kit.workspace.id}/${path}`, { body });
const wanted = { action: 2, reason: 301, message: 'Your session was closed.' };

it('stores notes about a client, encrypted under its key and masked', async () => {
  const text = 'Called on Friday: lost the telephone.';
  expect((await post(analyst, `clients/${client}/notes`, { text })).statusCode).toBe(204);
  const { items } = (await get(viewer, `clients/${client}/notes`)).json<{ items: readonly object[] }>();
  expect(items).toMatchObject([{ author: 'analyst@bank.example', text: 'Ca•••e.' }]);
  const shown = (await get(analyst, `clients/${client}/notes?show=true`)).json<{ items: readonly object[] }>();
  expect(shown.items).toMatchObject([{ author: 'analyst@bank.example', text }]);
  const { rows } = await kit.pool.query<{ sealed: Buffer }>(`select sealed from client_note`);
  expect(rows[0]!.sealed.includes('Friday')).toBe(false);
});

it('refuses notes by viewers and about unknown clients', async () => {
  expect(problemOf(await post(viewer, `clients/${client}/notes`, { text: 'no' })).code).toBe('right.missing');
  const unknown = await post(analyst, `clients/${'a'.repeat(16)}/notes`, { text: 'no' });
  expect(problemOf(unknown).code).toBe('thing.unknown');
});

it('sends an action triggered by a person, a new one each time, and shows it in the timeline', async () => {
  const first = await post(analyst, `events/${event}/actions`, wanted);
  expect(first.statusCode).toBe(201);
  const second = (await post(analyst, `events/${event}/actions`, wanted)).json<{ readonly id: string }>();
  const { id } = first.json<{ readonly id: string }>();
  expect(second.id).not.toBe(id);
  const stored = await kit.deps.deliveries.find(kit.workspace.id, id);
  expect(stored).toMatchObject({ action: 2, reason: 301, position: 1_000, state: 'due' });

  await post(analyst, 'labels', { labels: [{ event, label: 'fraud' }] });
  await kit.fed();
  const { items } = (await get(viewer, `events?about=client:${client}`)).json<Listed>();
  expect(items.find((one) => one.id === event)).toMatchObject({
    label: 'fraud',
    actions: [{ id, action: 2 }, { id: second.id }],
  });
  const { items: plain } = (await get(viewer, 'events')).json<Listed>();
  expect(plain.some((one) => one.actions !== undefined)).toBe(false);
});

it('records the author in the audit log', async () => {
  const { rows } = await kit.pool.query<{ detail: object }>(
    `select detail from audit_entry where action = 'triggerAction' order by seq limit 1`,
  );
  expect(JSON.stringify(rows[0]!.detail)).toContain(event);
});

it('refuses actions by viewers, for unknown events, and for events without a client', async () => {
  expect(problemOf(await post(viewer, `events/${event}/actions`, wanted)).code).toBe('right.missing');
  expect(problemOf(await post(analyst, 'events/evt_1_999/actions', wanted)).code).toBe('thing.unknown');
  expect(problemOf(await post(analyst, `events/${nameless}/actions`, wanted)).code).toBe('state.conflict');
});
