/** Senders that ask for a status: a real ingest listener on a real database, and an engine here or in another process. */
import type { AddressInfo } from 'node:net';
import { type EventKind, type StatusAnswer, statusAnswerSchema } from '@ringfence/contract';
import { Check } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEvents } from '../../../src/console/event-index/find-events.ts';
import { StatusAnswerer } from '../../../src/decide/status-answerer.ts';
import { buildIngestServer } from '../../../src/ingest/ingest-server.ts';
import { LiveStatus, type OwnEngine } from '../../../src/ingest/status/live-status.ts';
import { StatusRows } from '../../../src/ingest/status/status-rows.ts';
import { ClientAddresses } from '../../../src/platform/http/client-address.ts';
import { eraseClient } from '../../../src/tenancy/subjects/erase-client.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { makeScene, type RunningHost, type Scene } from '../../decide/support.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { shippedNetworks } from '../../support/networks.ts';
import { noLag } from '../support/no-lag.ts';

let home: Installation;
let scene: Scene;
const closers: (() => unknown)[] = [];

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await scene.close();
  await home.close();
});

/** Asks over HTTP. The license key is the workspace's id. */
type Ask = (body: object, workspace?: Workspace) => Promise<Response>;

/** The listener of one process, whose own engine is `host`; without one, the engine is in another process. */
async function openDoor(workspaces: readonly Workspace[], host?: RunningHost): Promise<Ask> {
  const [pool, notifications] = [home.anotherPool(), home.anotherListener()];
  const { subjects, log } = scene;
  const onError = (error: unknown): void => expect.unreachable(String(error));
  const engine: OwnEngine | undefined = host && {
    decides: () => true,
    askStatus: (id, questions) => void host.liveStatus(id, questions).then((answers) => live.hear(answers ?? [])),
  };
  const live: LiveStatus = new LiveStatus({ pool, notifications, engine: () => engine, onError });
  const app = await buildIngestServer({
    registry: {
      authenticate: (token) => {
        const workspace = workspaces.find(({ id }) => id === token);
        return workspace && { workspace, keyId: 'key' };
      },
    },
    subjects,
    log,
    networks: { current: shippedNetworks },
    decisions: { wait: () => Promise.resolve({ kind: 'pending', waited: false }), close: () => {} },
    lag: noLag,
    status: { pool, log, subjects, live, rows: new StatusRows(pool) },
    refused: { note: () => {} },
    logHealth: { stored: () => {}, refused: () => {} },
    senders: new ClientAddresses([]),
    now: Date.now,
    makeRequestId: () => 'request',
    logger: { warn: () => {}, error: () => {} },
    metrics: { answered: () => {}, appended: () => {}, refusedForLag: () => {}, connectionRefused: () => {} },
    acceptOutcome: () => expect.unreachable(),
    plugins: [],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  closers.push(async () => {
    await app.close();
    await live.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return (body, workspace = workspaces[0]!) =>
    fetch(`http://127.0.0.1:${port}/api/v5/analytics/app/status`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${workspace.id}` },
      body: JSON.stringify(body),
    });
}

/** Lets the host answer questions of other processes. */
function answering(host: RunningHost): void {
  const answerer = new StatusAnswerer({
    pool: home.anotherPool(),
    notifications: home.anotherListener(),
    keeper: host,
    onError: (error) => expect.unreachable(String(error)),
  });
  answerer.start();
  closers.push(() => answerer.close());
}

async function deciding(): Promise<RunningHost> {
  const host = scene.startHost();
  await host.ready;
  return host;
}

async function statusOf(answer: Response): Promise<StatusAnswer> {
  expect(answer.status).toBe(200);
  const body = (await answer.json()) as StatusAnswer;
  expect(Check(statusAnswerSchema, body)).toBe(true);
  return body;
}

async function problemOf(
  answer: Response,
): Promise<{ readonly status: number; readonly code: string; readonly detail: string }> {
  return (await answer.json()) as { status: number; code: string; detail: string };
}

const login = (user: string): object => ({
  channelId: 1,
  user,
  session: `s-${user}`,
  publicIp: '203.0.113.7',
  data: 'blob',
});
const payment = (client: string, reference: string): object => ({
  channelId: 1,
  timestamp: new Date().toISOString(),
  transaction: { category: 'transfer', reference },
  account: { client, session: `s-${client}` },
  order: { amount: 10.5, currency: 'MXN' },
  accountTo: { bank: 'B1', accountNumber: '42' },
});

const send = (kind: EventKind, body: object): Promise<string> => scene.send(kind, body);

/** A login and six payments: the sixth fires rule 301, which closes the session. Returns its id. */
async function sixPayments(client: string): Promise<string> {
  await send('login', login(client));
  for (let i = 0; i < 5; i++) await send('operation', payment(client, `${client}-${i}`));
  const id = await send('operation', payment(client, `${client}-5`));
  await scene.settled();
  return id;
}

describe('the status of an event', () => {
  it('has the rules that fired, every action with its state, the session and the client', async () => {
    const ask = await openDoor([scene.workspace], await deciding());
    const event = await sixPayments('ana');
    const found = await statusOf(await ask({ event }));
    expect(found).toEqual({
      event,
      status: 'decided',
      fired: [{ reason: 301, name: expect.any(String) }],
      suppressed: [],
      actions: [
        {
          action: 2,
          reason: 301,
          message: expect.any(String),
          webhookId: expect.stringMatching(/^act_/),
          state: 'due',
        },
      ],
      session: { matched: true, active: true },
      client: { blocked: false },
    });
    await scene.pool.query(`update action set state = 'expired', finished_at = '2026-11-21T10:00:00Z'`);
    const expired = await statusOf(await ask({ event }));
    expect(expired.actions).toMatchObject([{ state: 'expired', finishedAt: '2026-11-21T10:00:00.000Z' }]);
    await scene.pool.query(`update action set state = 'held', finished_at = null`);
    const capped = await statusOf(await ask({ event }));
    expect(capped).toMatchObject({
      actions: [{ state: 'capped' }],
      suppressed: [{ reason: 301, why: 'cap', action: 2 }],
    });
  });

  it('is found by its reference, the newest first, and follows a repeat to what it repeats', async () => {
    const ask = await openDoor([scene.workspace], await deciding());
    const event = await sixPayments('ana');
    const byReference = { user: 'ana', reference: 'ana-5' };
    expect(await statusOf(await ask(byReference))).toMatchObject({ event, fired: [{ reason: 301 }] });
    const sixth = payment('ana', 'again');
    const first = await send('operation', sixth);
    const repeat = await send('operation', sixth);
    await scene.settled();
    expect(await statusOf(await ask({ user: 'ana', reference: 'again' }))).toMatchObject({
      event: repeat,
      repeatOf: first,
      suppressed: [{ reason: 301, why: 'cooldown' }],
    });
    expect(await statusOf(await ask({ event: first }))).not.toHaveProperty('repeatOf');
  });

  it('is found by a reference that looks like a card number, as a label is, and not by one that looks the same masked', async () => {
    const ask = await openDoor([scene.workspace], await deciding());
    const references = ['4111111000071111', '4111111000151111', '5555 5555 5555 4444'];
    await send('login', login('ana'));
    const at = new Date().toISOString();
    const ids: string[] = [];
    // The bodies are equal after masking, but for the last.
    for (const reference of references)
      ids.push(await send('operation', { ...payment('ana', reference), timestamp: at }));
    await scene.settled();
    for (const [place, reference] of references.entries()) {
      const event = ids[place]!;
      const found = await statusOf(await ask({ user: 'ana', reference }));
      expect(found).toMatchObject({ event, status: 'decided' });
      expect(found).not.toHaveProperty('repeatOf');
      const deps = { pool: scene.pool, log: scene.log, subjects: scene.subjects };
      const labelled = await findEvents(deps, scene.workspace, { client: 'ana', reference });
      const offset = Number(event.split('_').at(-1));
      expect(labelled).toMatchObject({ events: [{ record: { offset } }] });
    }
    const masked = await findEvents({ pool: scene.pool, log: scene.log, subjects: scene.subjects }, scene.workspace, {
      client: 'ana',
      reference: '411111******1111',
    });
    expect(masked).toMatchObject({ events: [{}, {}] });
  });

  it('is pending before the decision, with and without an engine that answers', async () => {
    const event = await send('operation', payment('ana', 'ana-0'));
    const ask = await openDoor([scene.workspace]);
    const answer = await ask({ event });
    expect(answer.headers.get('warning')).toContain('the engine did not answer in time');
    expect(await statusOf(answer)).toEqual({ event, status: 'pending', fired: [], suppressed: [], actions: [] });
  });

  it('never shows whether another workspace has it, and nothing of an erased client', async () => {
    const other = await scene.addWorkspace();
    const host = await deciding();
    const ask = await openDoor([scene.workspace, other], host);
    const event = await sixPayments('ana');
    const texts = new Set<string>();
    for (const unknown of [event, 'evt_1_1', 'evt_test_1_1', 'anything']) {
      const problem = await problemOf(await ask({ event: unknown }, other));
      expect(problem).toMatchObject({ status: 404, code: 'thing.unknown' });
      texts.add(problem.detail);
    }
    expect(texts.size).toBe(1);
    for (const body of [
      { user: 'ana', reference: 'ana-5' },
      { user: 'ana', session: 's-ana' },
    ]) {
      expect(await problemOf(await ask(body, other))).toMatchObject({ status: 404, code: 'thing.unknown' });
    }
    await eraseClient({ ...home.deps, log: scene.log, subjects: scene.subjects }, scene.workspace, 'ana');
    for (const body of [{ event }, { user: 'ana', reference: 'ana-5' }, { user: 'ana', session: 's-ana' }])
      expect(await problemOf(await ask(body))).toMatchObject({ status: 404, code: 'thing.unknown' });
  });

  it('reports all mistakes at once', async () => {
    const ask = await openDoor([scene.workspace]);
    const refused = await ask({ event: 5, user: 'ana', sesion: 's-1', channelId: -1 });
    expect(refused.status).toBe(422);
    const { code, errors } = (await refused.json()) as { code: string; errors: readonly { pointer: string }[] };
    expect(code).toBe('request.invalid');
    expect(errors.map(({ pointer }) => pointer)).toEqual(['/event', '/channelId', '', '/user', '/channelId']);
  });
});

describe('the status of a session', () => {
  it('follows logout and login, in one channel or in any', async () => {
    const ask = await openDoor([scene.workspace], await deciding());
    await send('login', login('ana'));
    await scene.settled();
    const active = async (about: object): Promise<unknown> => {
      const found = await statusOf(await ask({ user: 'ana', ...about }));
      expect(found).toEqual({ session: { active: expect.any(Boolean) }, client: { blocked: false } });
      return found.session?.active;
    };
    expect(await active({ session: 's-ana' })).toBe(true);
    expect(await active({ session: 's-ana', channelId: 1 })).toBe(true);
    expect(await active({ session: 's-ana', channelId: 2 })).toBe(false);
    expect(await active({ session: 'another' })).toBe(false);
    expect(await active({ session: '' })).toBe(false);
    await send('logout', { channelId: 1, user: 'ana', session: 's-ana' });
    await scene.settled();
    expect(await active({ session: 's-ana' })).toBe(false);
  });

  it('is answered by the process that decides, for many questions together', async () => {
    const host = await deciding();
    answering(host);
    const ask = await openDoor([scene.workspace]);
    const users = Array.from({ length: 200 }, (_, at) => `user-${at}`);
    await Promise.all(users.map((user) => send('login', login(user))));
    await scene.settled();
    // The first question also opens the connection for the answers.
    await ask({ user: users[0]!, session: '' });
    const found = await Promise.all(
      users.map(async (user, at) => statusOf(await ask({ user, session: at % 2 === 0 ? `s-${user}` : 'another' }))),
    );
    expect(found.map(({ session }) => session?.active)).toEqual(users.map((_, at) => at % 2 === 0));
  });

  it('is left out with a warning when the process that decides stops', async () => {
    const host = await deciding();
    await send('login', login('ana'));
    await scene.settled();
    await host.stop();
    const ask = await openDoor([scene.workspace], host);
    const answer = await ask({ user: 'ana', session: 's-ana' });
    expect(answer.headers.get('warning')).toContain('session.active and client are missing');
    expect(await statusOf(answer)).toEqual({});
  });
});
