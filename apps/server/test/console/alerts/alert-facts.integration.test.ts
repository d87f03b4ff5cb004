import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loggedIn, type Browser } from '../../access/accounts/support/browser.ts';
import { login, payment, problemOf } from '../../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from '../support/console-kit.ts';

/** An alert told by its facts: what happened beside what is normal; and what is said of it when it is decided. */
let kit: ConsoleKit;
let mara: Browser;
let viewer: Browser;

beforeAll(async () => {
  kit = await consoleKit();
  [mara, viewer] = await Promise.all([
    loggedIn(kit, { email: 'mara@bank.example', roles: ['analyst'] }),
    loggedIn(kit, { email: 'vera@bank.example', roles: ['viewer'] }),
  ]);
});

afterAll(() => kit.close());

interface Known {
  readonly ref: string;
  readonly value?: string;
  readonly earlier: number;
}

interface Facts {
  readonly event: string;
  readonly kind: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly client?: string;
  readonly clientRef?: string;
  readonly payee?: Known;
  readonly address?: Known;
  readonly rules: readonly number[];
  readonly usual: {
    readonly events: number;
    readonly payments: readonly { readonly amount: string; readonly event: string }[];
    readonly paid: number;
    readonly payees: number;
    readonly hours: readonly number[];
  };
  readonly linked: readonly {
    readonly clientRef: string;
    readonly client?: string;
    readonly shares: readonly string[];
    readonly alert?: { readonly outcome?: string };
  }[];
  readonly earlier: readonly { readonly id: string; readonly outcome?: string; readonly fraudType?: string }[];
  readonly earlierCounts: Readonly<Record<string, number>>;
  readonly actions: readonly { readonly action: number; readonly state: string }[];
  readonly outcomes: readonly { readonly event: string; readonly outcome: string; readonly loss?: string }[];
}

const path = (rest: string): string => `/workspaces/${kit.workspace.id}/${rest}`;
const post = (rest: string, body: object, window = mara) => window.call('POST', path(rest), { body });
const factsOf = async (id: string): Promise<Facts> =>
  (await kit.get<{ facts: Facts }>(`alerts/${id}/facts?show=true`)).facts;

interface Alert {
  readonly id: string;
  readonly client?: string;
}

async function alertOf(client: string): Promise<Alert> {
  const { items } = await kit.get<{ items: Alert[] }>('alerts?limit=200&show=true');
  return items.find((alert) => alert.client === client)!;
}

const pay = (client: string, amount: number, { session, to = 'shop' }: { session: string; to?: string }) =>
  kit.send('operation', {
    ...payment(client, randomUUID(), session),
    order: { amount, currency: 'MXN' },
    accountTo: { bank: '012', accountNumber: to },
  });

const logIn = (client: string, session: string, publicIp: string) =>
  kit.send('login', { ...login(client, session), publicIp });

/** Payments within one session, on which a rule of the starter policy acts. */
async function burst(client: string, { session, to }: { session: string; to: string }): Promise<void> {
  await logIn(client, session, '203.0.113.77');
  for (let i = 0; i < 7; i++) await pay(client, 9_000, { session, to });
}

interface Label {
  readonly label: string;
  readonly event: string;
}

async function labelsOf(id: string): Promise<readonly (string | undefined)[]> {
  const { events } = await kit.get<{ events: { id: string }[] }>(`alerts/${id}`);
  const { items } = await kit.get<{ items: Label[] }>('labels?limit=200');
  return events.map((event) => items.find((label) => label.event === event.id)?.label);
}

describe('the facts of an alert', () => {
  it('stand beside what is normal for the client, without this event and its session', async () => {
    await logIn('ana', 'home', '198.51.100.7');
    for (const amount of [120, 80, 250]) await pay('ana', amount, { session: 'home' });
    await burst('ana', { session: 'stolen', to: 'mule' });
    await kit.fed();
    const { id } = await alertOf('ana');
    const facts = await factsOf(id);
    expect(facts).toMatchObject({ kind: 'operation', amount: '9000', currency: 'MXN', client: 'ana' });
    expect(facts.rules.length).toBeGreaterThan(0);
    // The burst itself, and its login, make nothing known.
    expect(facts.payee).toMatchObject({ value: '012/mule', earlier: 0 });
    expect(facts.address).toMatchObject({ value: '203.0.113.77', earlier: 0 });
    expect(facts.usual).toMatchObject({ events: 4, paid: 3, payees: 1 });
    expect(facts.usual.payments.map(({ amount }) => amount)).toEqual(['250', '80', '120']);
    expect(facts.usual.hours).toHaveLength(24);
    expect(facts.usual.hours.reduce((sum, count) => sum + count)).toBe(4);
    expect(facts.actions.length).toBeGreaterThan(0);
    expect(facts.earlier).toEqual([]);
  });

  it('name other clients with the same address and payee, with how their alerts ended', async () => {
    await burst('ben', { session: 's-ben', to: 'mule' });
    await kit.fed();
    const ben = await alertOf('ben');
    const facts = await factsOf(ben.id);
    expect(facts.usual).toMatchObject({ events: 0, paid: 0, payees: 0 });
    expect(facts.linked).toMatchObject([{ client: 'ana', shares: ['ip', 'payee'], alert: { state: 'open' } }]);
    await post(`alerts/${(await alertOf('ana')).id}/close`, { outcome: 'fraud' });
    expect((await factsOf(ben.id)).linked).toMatchObject([{ alert: { outcome: 'fraud' } }]);
  });

  it('are masked for people without the right to see personal data', async () => {
    const { id } = await alertOf('ben');
    const answer = await viewer.call('GET', path(`alerts/${id}/facts`));
    const { facts } = answer.json<{ facts: Facts }>();
    expect(facts).toMatchObject({ client: 'b•••', address: { value: '203.0.•.•' }, payee: { value: '01•••le' } });
    expect(facts.linked).toMatchObject([{ client: 'a•••' }]);
    expect(problemOf(await viewer.call('GET', path(`alerts/${id}/facts?show=true`))).code).toBe('right.missing');
  });

  it('are absent once the riskiest event was removed', async () => {
    const { id } = await alertOf('ben');
    const { rows } = await kit.pool.query<{ was: number }>(`select riskiest_offset as was from alert where id = $1`, [
      id,
    ]);
    const move = (offset: number) =>
      kit.pool.query(`update alert set riskiest_offset = $2 where id = $1`, [id, offset]);
    await move(1_000_000);
    expect(await kit.get(`alerts/${id}/facts`)).toEqual({});
    await move(rows[0]!.was);
  });
});

describe('a decision', () => {
  it('as fraud has a type, a loss and what was recovered, which count for its riskiest event', async () => {
    const { id } = await alertOf('ben');
    const fraud = { outcome: 'fraud', type: 'scam.bankImpostor', loss: '9000.00', recovered: '50', currency: 'MXN' };
    const closed = await post(`alerts/${id}/close`, fraud);
    expect(closed.json()).toMatchObject({
      outcome: 'fraud',
      fraudType: 'scam.bankImpostor',
      loss: '9000.00',
      recovered: '50',
      lossCurrency: 'MXN',
    });
    await kit.fed();
    expect(new Set(await labelsOf(id))).toEqual(new Set(['fraud']));
    const facts = await factsOf(id);
    const losses = facts.outcomes.filter(({ loss }) => loss !== undefined);
    expect(losses).toMatchObject([{ event: facts.event, outcome: 'fraud', loss: '9000.00' }]);
    // What it cost can be told later, and is then reported again.
    expect(problemOf(await post(`alerts/${id}/correct`, fraud)).code).toBe('state.conflict');
    const later = await post(`alerts/${id}/correct`, { ...fraud, recovered: '9000' });
    expect(later.json()).toMatchObject({ outcome: 'fraud', recovered: '9000' });
  });

  it('refuses an unknown type, a loss without its currency, and details of anything but fraud', async () => {
    await burst('cleo', { session: 's-cleo', to: 'other' });
    await kit.fed();
    const { id } = await alertOf('cleo');
    const refused = async (body: object) => {
      const { code, errors } = problemOf(await post(`alerts/${id}/close`, body));
      return { code, pointers: errors?.map(({ pointer }) => pointer) };
    };
    const wrong = (pointer: string) => ({ code: 'request.invalid', pointers: [pointer] });
    expect(await refused({ outcome: 'fraud', type: 'sim-swap' })).toEqual(wrong('/type'));
    expect(await refused({ outcome: 'fraud', loss: '5' })).toEqual(wrong('/currency'));
    expect(await refused({ outcome: 'fraud', currency: 'MXN' })).toEqual(wrong('/currency'));
    expect(await refused({ outcome: 'fraud', loss: '-5', currency: 'MXN' })).toEqual(wrong('/loss'));
    expect(await refused({ outcome: 'legitimate', loss: '5', currency: 'MXN' })).toEqual(wrong('/loss'));
    const fraudTypes = [{ code: 'sim-swap', name: 'SIM swap' }];
    const outcomes = { keyMayLabel: false, fraudCodes: [], fraudTypes };
    await kit.call('PATCH', `/workspaces/${kit.workspace.id}`, { body: { settings: { outcomes } } });
    expect((await post(`alerts/${id}/close`, { outcome: 'fraud', type: 'sim-swap' })).json()).toMatchObject({
      fraudType: 'sim-swap',
    });
  });

  it('as inconclusive gives no label, and counts as neither fraud nor legitimate', async () => {
    await burst('dora', { session: 's-dora', to: 'third' });
    await kit.fed();
    const { id } = await alertOf('dora');
    const before = await kit.get<{ fraud: number; legitimate: number; inconclusive: number }>('alerts/numbers');
    expect((await post(`alerts/${id}/close`, { outcome: 'inconclusive' })).json()).toMatchObject({
      state: 'closed',
      outcome: 'inconclusive',
    });
    await kit.fed();
    expect(new Set(await labelsOf(id))).toEqual(new Set([undefined]));
    expect(await kit.get('alerts/numbers')).toMatchObject({
      fraud: before.fraud,
      legitimate: before.legitimate,
      inconclusive: before.inconclusive + 1,
    });
    const { items } = await kit.get<{ items: Alert[] }>('alerts?state=closed&outcome=inconclusive');
    expect(items.map((alert) => alert.id)).toEqual([id]);
    await burst('dora', { session: 's-dora-2', to: 'third' });
    await kit.fed();
    expect(await factsOf((await alertOf('dora')).id)).toMatchObject({
      earlier: [{ id, outcome: 'inconclusive' }],
      earlierCounts: { inconclusive: 1 },
    });
  });

  it('corrected to inconclusive takes its labels back, and no one else’s', async () => {
    await burst('elsa', { session: 's-elsa', to: 'fourth' });
    await kit.fed();
    const { id } = await alertOf('elsa');
    await post(`alerts/${id}/close`, { outcome: 'legitimate' });
    await kit.fed();
    const { events } = await kit.get<{ events: { id: string }[] }>(`alerts/${id}`);
    await kit.at('POST', 'labels', { body: { labels: [{ event: events[0]!.id, label: 'fraud' }] } });
    await kit.fed();
    await post(`alerts/${id}/correct`, { outcome: 'inconclusive' });
    await kit.fed();
    expect(await labelsOf(id)).toEqual(['fraud', ...events.slice(1).map(() => undefined)]);
  });
});
