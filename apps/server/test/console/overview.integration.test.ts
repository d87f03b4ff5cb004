import { dayMs } from '@ringfence/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browser, loggedIn, type Browser } from '../access/accounts/support/browser.ts';
import { login, payment, problemOf } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

let kit: ConsoleKit;
let viewer: Browser;
let analyst: Browser;

beforeAll(async () => {
  kit = await consoleKit();
  await kit.send('login', login('ana'));
  for (let i = 0; i < 8; i++) await kit.send('operation', payment('ana', `ref-${i}`));
  await kit.send('login', { ...login('ben'), publicIp: '2001:DB8::7' });
  await kit.send('operation', payment('ben'));
  await kit.send('operation', payment('nobody-logged-in'));
  await kit.fed();
  viewer = await loggedIn(kit, { email: 'viewer@bank.example', roles: ['viewer'] });
  analyst = await loggedIn(kit, { email: 'analyst@bank.example', roles: ['analyst'] });
});

afterAll(() => kit.close());

interface Overview {
  readonly engine: { readonly newLife?: { readonly since: string; readonly keptUntil: string } };
  readonly deliveries: { readonly endpoint?: string };
  readonly bucketSeconds: number;
  readonly buckets: readonly { readonly at: string; readonly events: number }[];
  readonly totals: Readonly<Record<string, number>>;
  readonly activeSessions: number;
  readonly rules: readonly { readonly key: string; readonly count: number }[];
  readonly shadowRules: readonly { readonly key: string; readonly count: number }[];
  readonly countries: readonly object[];
  readonly mismatches: readonly { readonly key: string; readonly count: number }[];
}

const get = (window: Browser, path: string) => window.call('GET', `/workspaces/${kit.workspace.id}/${path}`);
const lookFor = (text: string) => viewer.call('POST', `/workspaces/${kit.workspace.id}/search`, { body: { text } });

describe('the overview', () => {
  it('counts arrivals and decisions, in buckets without gaps', async () => {
    const overview: Overview = (await get(viewer, 'overview')).json();
    expect(overview.totals).toMatchObject({ events: 12, logins: 2, operations: 10, logouts: 0 });
    const counted = await kit.pool.query<{ fired: number }>(
      `select count(*) as fired from event where workspace_id = $1 and fired <> '{}'`,
      [kit.workspace.id],
    );
    expect(overview.totals['fired']).toBe(counted.rows[0]!.fired);
    expect(overview.totals['fired']).toBeGreaterThan(0);
    expect(overview.bucketSeconds).toBe(900);
    expect(overview.buckets.length).toBeGreaterThanOrEqual(96);
    expect(overview.buckets.reduce((sum, { events }) => sum + events, 0)).toBe(12);
    const gaps = overview.buckets
      .slice(1)
      .map(({ at: one }, i) => Date.parse(one) - Date.parse(overview.buckets[i]!.at));
    expect(new Set(gaps)).toEqual(new Set([900_000]));
    expect(overview.activeSessions).toBe(3);
    expect(overview.mismatches).toEqual([{ key: 'noLogin', count: 1 }]);
    expect(overview.rules.length).toBeGreaterThan(0);
  });

  it('counts every event once, however often the feed runs and in however many processes', async () => {
    await kit.send('operation', payment('ana'));
    await kit.settled();
    await Promise.all([kit.feed.round(), kit.feed.round(), kit.feed.round()]);
    await kit.feed.round();
    const overview: Overview = (await get(viewer, 'overview')).json();
    expect(overview.totals).toMatchObject({ events: 13 });
  });

  it('reports a failing webhook before it is given up, and nothing once it answers', async () => {
    const failures = (count: number) =>
      kit.pool.query(
        `insert into endpoint (workspace_id, failures) values ($1, $2)
         on conflict (workspace_id) do update set failures = excluded.failures`,
        [kit.workspace.id, count],
      );
    const endpoint = async () => (await get(viewer, 'overview')).json<Overview>().deliveries.endpoint;
    expect(await endpoint()).toBeUndefined();
    await failures(3);
    expect(await endpoint()).toBe('failing');
    await failures(0);
    expect(await endpoint()).toBeUndefined();
  });

  it('reports for a week that the database failed over: acknowledged events may be missing', async () => {
    const newLife = async () => (await get(viewer, 'overview')).json<Overview>().engine.newLife;
    const began = (daysAgo: number, offset: number) =>
      kit.pool.query(
        `insert into new_life (workspace_id, "offset", since, kept_until)
         values ($1, $2, now() - $3 * interval '1 day', now() - $3 * interval '1 day' - interval '1 minute')`,
        [kit.workspace.id, offset, daysAgo],
      );
    expect(await newLife()).toBeUndefined();
    await began(8, 1);
    expect(await newLife()).toBeUndefined();
    await began(3, 2);
    await began(1, 3);
    const { since, keptUntil } = (await newLife())!;
    expect(Date.parse(since) - Date.parse(keptUntil)).toBe(60_000);
    expect(Date.now() - Date.parse(since)).toBeLessThan(2 * dayMs);
  });

  it('counts an operation that waited for its login when it is decided', async () => {
    await kit.call('PATCH', `/workspaces/${kit.workspace.id}`, { body: { settings: { sessionGraceSeconds: 30 } } });
    await kit.send('operation', payment('late'));
    const waiting = async () => (await kit.pool.query(`select 1 from event where status = 'waiting'`)).rowCount;
    await expect.poll(waiting).toBe(1);
    await kit.feed.round();
    const before: Overview = (await get(viewer, 'overview')).json();
    await kit.send('login', login('late'));
    await kit.fed();
    const after: Overview = (await get(viewer, 'overview')).json();
    const decided = async () =>
      (
        await kit.pool.query<{ sum: number }>(
          `select sum(count)::bigint as sum from console_count where span = 60 and name = 'decision'`,
        )
      ).rows[0]!.sum;
    expect(before.totals['events']).toBe(14);
    expect(after.totals['events']).toBe(15);
    expect(await decided()).toBe(15);
    expect((await kit.pool.query(`select 1 from console_waiting`)).rowCount).toBe(0);
  });

  it('lists all rules that fired, and omits rare values of everything else', async () => {
    await kit.pool.query(
      `insert into console_count (workspace_id, span, at, name, key, count)
       select $1, 60, date_trunc('minute', now()), name, n::text, 1
         from generate_series(9001, 9030) n, unnest(array['rule', 'shadow', 'country']) name`,
      [kit.workspace.id],
    );
    const overview: Overview = (await get(viewer, 'overview')).json();
    const added = (list: readonly { readonly key: string }[]): number =>
      list.filter(({ key }) => Number(key) > 9000).length;
    expect([added(overview.rules), added(overview.shadowRules)]).toEqual([30, 30]);
    expect(overview.countries.length).toBeLessThanOrEqual(10);
  });

  it('takes a range', async () => {
    const overview: Overview = (await get(viewer, 'overview?from=2020-01-01&to=2020-02-01')).json();
    expect(overview.totals['events']).toBe(0);
    expect(overview.bucketSeconds).toBe(21_600);
    expect(overview.buckets).toHaveLength(124);
  });
});

interface Hits {
  readonly items: readonly { readonly kind: string; readonly ref: string; readonly events: number }[];
}

describe('the search', () => {
  const find = async (text: string): Promise<Hits['items']> => (await lookFor(text)).json<Hits>().items;

  it.each([
    ['ana', 'client'],
    ['s-ana', 'session'],
    ['203.0.113.7', 'ip'],
    ['2001:db8::7', 'ip'],
    ['B1/42', 'payee'],
    ['42', 'payee'],
    ['ref-3', 'reference'],
  ])('finds %s, a %s, by its keyed hash', async (text, kind) => {
    const hits = await find(text);
    expect(hits.map((hit) => hit.kind)).toEqual([kind]);
    expect(hits[0]!.events).toBeGreaterThan(0);
    const listed = await get(viewer, `events?about=${kind}:${hits[0]!.ref}`);
    expect(listed.json<{ items: unknown[] }>().items).toHaveLength(hits[0]!.events);
  });

  it('finds an event by its id, but nothing by a part of a value or for an unknown value', async () => {
    const events = (await get(viewer, 'events')).json<{ items: { id: string }[] }>().items;
    expect(await find(events[0]!.id)).toMatchObject([{ kind: 'event', ref: events[0]!.id }]);
    for (const text of ['an', 'evt_1_999', 'evt_', 'act_no', "' or 1=1 --"]) expect(await find(text)).toEqual([]);
  });

  it('finds nothing of another workspace', async () => {
    const other = await kit.addWorkspace();
    await kit.deps.registry.refresh();
    const elsewhere = await kit.call('POST', `/workspaces/${other.id}/search`, { body: { text: 'ana' } });
    expect(elsewhere.json()).toEqual({ items: [] });
  });
});

describe('an entity', () => {
  interface Entity {
    readonly value?: string;
    readonly events: number;
    readonly links: readonly { readonly kind: string; readonly value?: string; readonly events: number }[];
  }

  it('shows its neighbours, masked for people without the right to see them', async () => {
    const [ana] = (await lookFor('ana')).json<Hits>().items;
    const masked: Entity = (await get(viewer, `entities/client/${ana!.ref}`)).json();
    expect(masked.value).toBe('a•••');
    expect(JSON.stringify(masked)).not.toMatch(/ana|113\.7|B1\/42/);
    expect(masked.links.map(({ kind }) => kind)).toContain('payee');
    expect(masked.links.find(({ kind }) => kind === 'ip')).toMatchObject({ value: '203.0.•.•', events: 1 });

    expect(problemOf(await get(viewer, `entities/client/${ana!.ref}?show=true`)).code).toBe('right.missing');
    const shown: Entity = (await get(analyst, `entities/client/${ana!.ref}?show=true`)).json();
    expect(shown.value).toBe('ana');
    expect(shown.links.find(({ kind }) => kind === 'payee')).toMatchObject({ value: 'B1/42', events: 9 });
    const audited = await kit.pool.query(`select actor, target from audit_entry where action = 'personalData.show'`);
    expect(audited.rows).toEqual([{ actor: 'analyst@bank.example', target: `client:${ana!.ref}` }]);
  });

  it('connects the clients of one address', async () => {
    const [ip] = (await lookFor('203.0.113.7')).json<Hits>().items;
    const entity: Entity = (await get(analyst, `entities/ip/${ip!.ref}?show=true`)).json();
    const clients = entity.links.filter(({ kind }) => kind === 'client').map(({ value }) => value);
    expect(new Set(clients)).toEqual(new Set(['ana', 'late']));
  });

  it.each([
    'entities/client/aaaaaaaaaaaaaaaa',
    'entities/ip/AAAAAAAAAAAAAAAAAAAAAA',
    'entities/ip/x',
    'entities/client/ANA',
  ])('is unknown at %s', async (path) => {
    expect(problemOf(await get(viewer, path)).code).toBe('thing.unknown');
  });
});

describe('events for people', () => {
  interface Listed {
    readonly items: readonly {
      readonly id: string;
      readonly client?: string;
      readonly amount?: string;
      readonly kind: string;
    }[];
  }

  it('are masked, in lists and individually; a program sees them unmasked', async () => {
    const masked: Listed = (await get(viewer, 'events?kind=operation')).json();
    expect(masked.items[0]).toMatchObject({ client: 'l•••', amount: '10.5', currency: 'MXN' });
    const { id } = masked.items.at(-1)!;
    const detail = (await get(viewer, `events/${id}`)).body;
    expect(detail).not.toMatch(/"ana"|s-ana|ref-0|"42"/);
    expect(JSON.parse(detail)).toMatchObject({
      received: { order: { amount: 10.5 }, transaction: { category: 'transfer' } },
    });
    expect((await get(analyst, `events/${id}?show=true`)).body).toContain('s-ana');
    expect((await kit.at('GET', `events/${id}`)).body).toContain('s-ana');
  });

  it.each([
    ['amountMin=10&amountMax=11&currency=MXN', true],
    ['amountMin=10.6', false],
    ['currency=USD', false],
    ['channel=1', true],
    ['channel=2', false],
  ])('are found by %s', async (query, isThere) => {
    const found: Listed = (await get(viewer, `events?kind=operation&${query}`)).json();
    expect(found.items.length > 0).toBe(isThere);
  });

  it('are refused without authentication', async () => {
    expect(problemOf(await get(browser(kit), 'events')).code).toBe('session.missing');
  });
});

it('the search finds an operation by the full text of a reference that is stored masked', async () => {
  const [sent, alike] = ['4111111000071111', '4111111000151111'];
  const id = await kit.send('operation', payment('mia', sent));
  await kit.send('operation', payment('mia', alike));
  await kit.fed();
  const find = async (text: string): Promise<Hits['items']> => (await lookFor(text)).json<Hits>().items;
  expect(await find(sent)).toMatchObject([{ kind: 'event', ref: id, events: 1 }]);
  expect(await find('411111******1111')).toMatchObject([{ kind: 'reference', events: 2 }]);
});
