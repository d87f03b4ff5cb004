import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendDueDecisions } from '../../src/holds/decide-hold.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { loggedIn, type Browser } from '../access/accounts/support/browser.ts';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

let kit: ConsoleKit;
let base: string;
let mara: Browser;

beforeAll(async () => {
  kit = await consoleKit();
  await kit.app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(kit.app.server.address() as AddressInfo).port}/management/v1`;
  mara = await loggedIn(kit, { email: 'mara@bank.example', roles: ['analyst'] });
});

afterAll(() => kit.close());

interface Told {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Page {
  /** Reads until a wanted event; earlier ones are collected in `told`. */
  until(isWanted: (told: Told) => boolean): Promise<Told>;
  readonly told: readonly Told[];
  readonly isOver: () => Promise<boolean>;
  close(): void;
}

async function open(window: Browser, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
  const stop = new AbortController();
  const response = await fetch(`${base}/workspaces/${kit.workspace.id}/live`, {
    headers: { cookie: window.cookie!, ...headers },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const told: Told[] = [];
  let rest = '';
  const more = async (): Promise<boolean> => {
    const { value, done } = await reader.read();
    if (done) return false;
    rest += value;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const part = rest.slice(0, end);
      rest = rest.slice(end + 2);
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
      const event = field('event');
      if (event !== undefined) told.push({ event, id: field('id'), data: JSON.parse(field('data')!) as Told['data'] });
    }
    return true;
  };
  return {
    told,
    until: async (isWanted) => {
      for (;;) {
        const found = told.find(isWanted);
        if (found !== undefined) return found;
        if (!(await more())) throw new Error(`the stream ended: ${JSON.stringify(told)}`);
      }
    },
    isOver: async () => {
      while (await more());
      return true;
    },
    close: () => stop.abort(),
  };
}

async function burst(client: string): Promise<void> {
  const session = randomUUID();
  await kit.send('login', login(client, session));
  for (let i = 0; i < 7; i++) await kit.send('operation', payment(client, randomUUID(), session));
  await kit.fed();
}

describe('an open page', () => {
  it('is notified of decided events on which nothing fired', async () => {
    const page = await open(mara);
    const numbers = await page.until(({ event }) => event === 'numbers');
    expect(numbers.data).toMatchObject({ behind: 0, paused: false });
    await kit.send('login', login('quiet', randomUUID()));
    await kit.fed();
    expect(await page.until(({ event }) => event === 'moved')).toEqual({ event: 'moved', id: undefined, data: {} });
    expect(page.told.some(({ event }) => event === 'decision')).toBe(false);
    page.close();
  });

  it('is notified why nothing is decided while this release refuses the policy', async () => {
    const { id } = kit.workspace;
    await kit.pool.query(`insert into engine_pause (workspace_id, version, error) values ($1, 1, 'rules.yaml:3: no')`, [
      id,
    ]);
    const page = await open(mara);
    const numbers = await page.until(({ event }) => event === 'numbers');
    expect(numbers.data).toMatchObject({ refusedPolicy: 'rules.yaml:3: no' });
    page.close();
    await kit.pool.query(`delete from engine_pause where workspace_id = $1`, [id]);
  });

  it('is notified of decisions and alerts, without personal data', async () => {
    const page = await open(mara);
    await page.until(({ event }) => event === 'numbers');
    await burst('ana');
    const acted = ({ event, data }: Told): boolean => event === 'decision' && (data['fired'] as number[]).length > 0;
    expect((await page.until(acted)).data).toMatchObject({ kind: 'operation', channelId: 1 });
    const alert = await page.until(({ event }) => event === 'alert');
    expect(alert.data).toMatchObject({ change: 'opened' });
    expect(JSON.stringify(page.told)).not.toContain('"ana"');
    page.close();
  });

  it('misses nothing and gets nothing twice after a reconnect', async () => {
    const page = await open(mara);
    await burst('ben');
    const first = await page.until(({ event }) => event === 'decision');
    page.close();
    await burst('eva');
    const back = await open(mara, { 'last-event-id': first.id! });
    await back.until(({ event }) => event === 'numbers');
    const ids = back.told.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
    const stored = await kit.pool.query<{ seq: number }>(
      `select seq from console_live where workspace_id = $1 and seq > $2 order by seq`,
      [kit.workspace.id, Number(first.id)],
    );
    expect(ids).toEqual(stored.rows.map(({ seq }) => seq));
    expect(back.told.some(({ event }) => event === 'gap')).toBe(false);
    back.close();
  });

  it('gets a request to reload after a long absence', async () => {
    const back = await open(mara, { 'last-event-id': '999999' });
    expect((await back.until(({ event }) => event === 'gap')).data).toEqual({});
    back.close();
  });

  it('ends when an administrator ends the session', async () => {
    const window = await loggedIn(kit, { email: 'luis@bank.example', roles: ['viewer'] });
    const { account } = (await window.call('GET', '/session')).json<{ account: { id: string } }>();
    const page = await open(window);
    await page.until(({ event }) => event === 'numbers');
    await kit.call('POST', `/accounts/${account.id}/sessions/end`);
    await page.until(({ event }) => event === 'end');
    expect(await page.isOver()).toBe(true);
  });

  it('is notified when an analyst claims an alert', async () => {
    const page = await open(mara);
    const taken = await mara.call('POST', `/workspaces/${kit.workspace.id}/alerts/next`);
    const { id } = taken.json<{ alert: { id: string } }>().alert;
    const told = await page.until(({ event, data }) => event === 'alert' && data['change'] === 'claimed');
    expect(told.data).toMatchObject({ id, claimedBy: 'mara@bank.example' });
    page.close();
  });

  it('is refused without a session', async () => {
    expect((await fetch(`${base}/workspaces/${kit.workspace.id}/live`)).status).toBe(401);
  });

  it('is notified of each change of held payments, and after a reconnect', async () => {
    const { id: workspace } = kit.workspace;
    const rules = `actions:
  7: { name: Hold, hold: { release: 8, reject: 9, within: 30m, otherwise: keep } }
  8: { name: Release, message: released }
  9: { name: Reject, message: rejected }
rules:
  - { reason: 900, name: Payments of Leo, on: [operation], when: client.id == "leo", then: { action: 7 } }
`;
    const files = [{ path: 'rules.yaml', text: rules }];
    await applyPolicy(kit.deps, workspace, { files, author: 'test', comment: '', actor: 'api' });
    await kit.settled();
    const decider = await loggedIn(kit, { email: 'dora@bank.example', roles: ['decider'] });
    const page = await open(decider);
    await page.until(({ event }) => event === 'numbers');
    let heard = 0;
    /** The next notification after those heard before. */
    const changed = async (): Promise<void> => {
      let seen = 0;
      await page.until(({ event }) => event === 'hold' && ++seen > heard);
      heard++;
    };
    await kit.send('operation', payment('leo', randomUUID()));
    await changed();
    await kit.settled();
    const { items } = await kit.get<{ items: readonly { id: string }[] }>('holds?client=leo');
    const decide = (path: string, body?: object) =>
      decider.call(
        'POST',
        `/workspaces/${workspace}/holds/${items[0]!.id}/${path}`,
        body === undefined ? {} : { body },
      );
    expect((await decide('decision', { decision: 'reject' })).statusCode).toBe(202);
    await changed();
    expect((await decide('undo')).statusCode).toBe(204);
    await changed();
    expect((await decide('decision', { decision: 'reject' })).statusCode).toBe(202);
    await changed();
    kit.pass(31_000);
    await sendDueDecisions(kit.deps, (id) => kit.deps.registry.byId(id), kit.deps.now());
    await changed();
    await kit.settled();
    expect(
      (await kit.get<{ items: readonly { state: string }[] }>('holds?client=leo&state=ended')).items,
    ).toMatchObject([{ state: 'rejected' }]);
    page.close();
    const back = await open(decider, { 'last-event-id': '0' });
    await back.until(({ event }) => event === 'hold');
    back.close();
  });
});
