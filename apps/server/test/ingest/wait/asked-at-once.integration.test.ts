/**
 * Requests that wait for their decision: a real ingest listener on a real database, with engine hosts that start and
 * stop.
 */
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decidedAnswerSchema, type DecidedAnswer, type EventKind, pendingAnswerSchema } from '@ringfence/contract';
import { parseCidr } from '@ringfence/delivery';
import type { FastifyInstance } from 'fastify';
import { Check } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildIngestServer } from '../../../src/ingest/ingest-server.ts';
import { ClientAddresses } from '../../../src/platform/http/client-address.ts';
import { EngineLag, readPositions } from '../../../src/ingest/lag/engine-lag.ts';
import { type DecidedNotice, hearDecided } from '../../../src/records/decided-notice.ts';
import { readConclusions } from '../../../src/ingest/wait/read-conclusions.ts';
import { WaitingRoom, type waitingLimits } from '../../../src/ingest/wait/waiting-room.ts';
import { updateWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import type { HostDeps, HostReport } from '../../../src/decide/host-deps.ts';
import { makeScene, type Scene, silentReport } from '../../decide/support.ts';
import { noStatus } from '../support/no-status.ts';
import { shippedNetworks } from '../../support/networks.ts';

let home: Installation;
let scene: Scene;
const closers: (() => unknown)[] = [];
/** The clock by which the lag is told and judged. */
let nowMs = 0;
const monotonicMs = (): number => nowMs;
/** Workspaces of the requests that were answered before their time. */
const hopeless: string[] = [];

beforeEach(async () => {
  nowMs = 0;
  hopeless.length = 0;
  home = await makeInstallation();
  scene = await makeScene(home);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await scene.close();
  await home.close();
});

interface Door {
  readonly app: FastifyInstance;
  readonly room: WaitingRoom;
  readonly lag: EngineLag;
  /** Takes a notice of the engine in the same process. */
  readonly hear: (notice: DecidedNotice) => void;
  readonly port: number;
}

/**
 * The ingest listener of one process: its own connections, its own waiting room. The license key is the workspace's id.
 */
async function openDoor(workspaces = [scene.workspace], limits: Partial<typeof waitingLimits> = {}): Promise<Door> {
  const [pool, notifications] = [home.anotherPool(), home.anotherListener()];
  const { subjects, log } = scene;
  const lag = new EngineLag({
    read: (ids) => readPositions({ pool, log }, ids, Date.now()),
    monotonicMs,
    // On a busy machine the database may be slow.
    onError: () => {},
  });
  const room = new WaitingRoom({
    read: (workspace, offsets) => readConclusions({ pool, subjects }, workspace, offsets),
    expectedMs: (workspaceId, offset) => lag.expectedMs(workspaceId, offset),
    onHopeless: (workspaceId) => void hopeless.push(workspaceId),
    monotonicMs,
    onError: (error) => expect.unreachable(String(error)),
    limits,
  });
  const hear = (notice: DecidedNotice): void => {
    lag.decided(notice);
    room.hear(notice);
  };
  const hearNoMore = hearDecided(notifications, hear);
  const grownNoMore = log.onAppend((workspaceId, end) => lag.grown(workspaceId, end));
  await lag.start(workspaces.map(({ id }) => id));
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
    decisions: room,
    acceptOutcome: () => expect.unreachable(),
    status: noStatus,
    lag,
    refused: { note: () => {} },
    logHealth: { stored: () => {}, refused: () => {} },
    senders: new ClientAddresses([]),
    now: Date.now,
    makeRequestId: () => 'request',
    logger: { warn: () => {}, error: () => {} },
    metrics: { answered: () => {}, appended: () => {}, refusedForLag: () => {}, connectionRefused: () => {} },
    plugins: [],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  closers.push(async () => {
    await app.close();
    hearNoMore();
    grownNoMore();
    lag.close();
  });
  return { app, room, lag, hear, port: (app.server.address() as AddressInfo).port };
}

interface Answered {
  readonly body: DecidedAnswer;
  readonly applied: string | null;
  readonly replayed: string | null;
  readonly lag: string | null;
  readonly tookMs: number;
}

interface Sending {
  readonly prefer?: string;
  readonly idempotencyKey?: string;
  readonly workspace?: Workspace;
}

/** Posts one event, under the name of its kind. */
async function post(
  { port }: Door,
  event: Partial<Readonly<Record<EventKind, object>>>,
  { prefer, idempotencyKey, workspace = scene.workspace }: Sending = {},
): Promise<Answered> {
  const [[kind, body] = []] = Object.entries(event);
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/api/v5/analytics/app/${kind}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${workspace.id}`,
      ...(prefer === undefined ? {} : { prefer }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  const { headers: got } = answer;
  return {
    body: (await answer.json()) as DecidedAnswer,
    applied: got.get('preference-applied'),
    replayed: got.get('idempotency-replayed'),
    lag: got.get('ringfence-lag'),
    tookMs: performance.now() - began,
  };
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

/** A login and five payments: the next one fires rule 301, which closes the session. */
async function fivePayments(client: string, to = scene.workspace): Promise<void> {
  await scene.send('login', login(client), to);
  for (let i = 0; i < 5; i++) await scene.send('operation', payment(client, `${client}-${i}`), to);
}

async function deciding(): Promise<void> {
  const host = scene.startHost();
  await host.ready;
}

async function waiting(room: WaitingRoom, count: number): Promise<void> {
  await expect.poll(() => room.size).toBe(count);
}

/** The longest wait: a busy machine decides late. */
const longest = { prefer: 'wait=5' };

describe('a request with Prefer: wait', () => {
  it('is answered with the rules that fired and the actions, with the ids that the webhook sends', async () => {
    await deciding();
    const door = await openDoor();
    await fivePayments('ana');
    const { body, applied } = await post(door, { operation: payment('ana', 'ana-5') }, longest);
    expect(body).toMatchObject({ status: 'decided', fired: [{ reason: 301 }], session: { matched: true } });
    expect(Check(decidedAnswerSchema, body)).toBe(true);
    expect(applied).toBe('wait=5');
    const stored = await scene.pool.query<{ id: string; action: number; state: string }>(
      `select id, action, state from action where workspace_id = $1`,
      [scene.workspace.id],
    );
    expect(body.actions.map(({ webhookId, action }) => ({ id: webhookId, action, state: 'due' }))).toEqual(stored.rows);
    expect(body.actions[0]!.message).not.toBe('');
  });

  it('is answered when nothing fired, and with the reason why an operation has no session', async () => {
    await deciding();
    const door = await openDoor();
    const nobody = await post(door, { operation: payment('eva', 'eva-0') }, longest);
    expect(nobody.body).toEqual({
      id: expect.stringMatching(/^evt_(?:test_)?\d+_\d+$/),
      status: 'decided',
      fired: expect.any(Array),
      actions: expect.any(Array),
      session: { matched: false, mismatch: 'noLogin' },
    });
    const entering = await post(door, { login: login('ana') }, { prefer: 'wait=9' });
    expect(entering).toMatchObject({ body: { status: 'decided', fired: [], actions: [] }, applied: 'wait=5' });
    expect(entering.body).not.toHaveProperty('session');
  });

  it('is answered "pending" after the wait, and "accepted" without the header', async () => {
    const door = await openDoor();
    const { body, applied, tookMs } = await post(door, { login: login('ana') }, { prefer: 'wait=1' });
    expect(body).toEqual({ id: body.id, status: 'pending' });
    expect(Check(pendingAnswerSchema, body)).toBe(true);
    expect(applied).toBe('wait=1');
    expect(tookMs).toBeGreaterThan(900);
    for (const headers of [{}, { prefer: 'respond-async' }, { prefer: 'wait=soon' }]) {
      const plain = await post(door, { login: login('eva') }, headers);
      expect(plain).toMatchObject({ body: { status: 'accepted' }, applied: null });
    }
    expect(door.room.size).toBe(0);
  });

  it('waits with its operation for the login of its session', async () => {
    const deps = { ...home.deps, allowPrivateWebhooks: [parseCidr('127.0.0.0/8')!] };
    await updateWorkspace(deps, scene.workspace.id, { settings: { sessionGraceSeconds: 30 }, actor: 'api' });
    await deciding();
    const door = await openDoor();
    const late = await post(door, { operation: payment('ana', 'ana-0') }, { prefer: 'wait=1' });
    expect(late.body).toEqual({ id: late.body.id, status: 'pending' });
    const answer = post(door, { operation: payment('eva', 'eva-0') }, { prefer: 'wait=5' });
    await waiting(door.room, 1);
    await scene.settled();
    await scene.send('login', login('eva'));
    expect((await answer).body).toMatchObject({ status: 'decided', session: { matched: true } });
  });

  it('gets the first decision if it is a retry: with the same key, or with the same body', async () => {
    await deciding();
    const door = await openDoor();
    await fivePayments('ana');
    const sixth = payment('ana', 'ana-5');
    const keyed = { ...longest, idempotencyKey: 'sixth' };
    const first = await post(door, { operation: sixth }, keyed);
    expect(first.body.actions).toHaveLength(1);
    const again = await post(door, { operation: sixth }, keyed);
    expect(again).toMatchObject({ body: first.body, replayed: 'true' });
    const same = await post(door, { operation: sixth }, longest);
    expect(same.body).toEqual({ ...first.body, id: same.body.id, repeatOf: first.body.id });
    expect(same.body.id).not.toBe(first.body.id);
  });

  it('stays pending if the rules that fired can no longer be read, because their client was erased', async () => {
    await deciding();
    const door = await openDoor();
    await fivePayments('ana');
    const sixth = payment('ana', 'ana-5');
    expect((await post(door, { operation: sixth }, longest)).body.fired).toHaveLength(1);
    await scene.pool.query(`update event set detail = null where fired <> '{}'`);
    const again = await post(door, { operation: sixth }, longest);
    expect(again.body).toEqual({ id: again.body.id, status: 'pending' });
  });

  it('learns which actions were not requested, so that no answer looks like an approval', async () => {
    await deciding();
    const door = await openDoor();
    await fivePayments('ana');
    const sixth = await post(door, { operation: payment('ana', 'ana-5') }, longest);
    expect(sixth.body.actions).toMatchObject([{ reason: 301, action: 2 }]);
    expect(sixth.body).not.toHaveProperty('suppressed');
    const seventh = await post(door, { operation: payment('ana', 'ana-6') }, longest);
    expect(Check(decidedAnswerSchema, seventh.body)).toBe(true);
    expect(seventh.body).toMatchObject({
      actions: [],
      suppressed: [{ reason: 301, why: 'cooldown', action: 2 }],
    });
  });
});

describe('with several processes', () => {
  it('requests are answered for workspaces that another process decides, also after a failover', async () => {
    const workspaces = [scene.workspace, await scene.addWorkspace()];
    const first = scene.startHost();
    await first.ready;
    const doors = [await openDoor(workspaces), await openDoor(workspaces)];
    const asked = async (run: string): Promise<readonly Answered[]> =>
      Promise.all(
        doors.flatMap((door, i) =>
          workspaces.map((workspace) => post(door, { login: login(`${run}-${i}`) }, { ...longest, workspace })),
        ),
      );
    expect((await asked('one')).map(({ body }) => body.status)).toEqual(Array(4).fill('decided'));
    await first.stop();
    const running = asked('two');
    await waiting(doors[1]!.room, 2);
    scene.startHost();
    expect((await running).map(({ body }) => body.status)).toEqual(Array(4).fill('decided'));
  });

  it('requests are answered even if the connection for notices breaks', async () => {
    await deciding();
    const door = await openDoor();
    await post(door, { login: login('ana') }, longest);
    await scene.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query = 'listen ringfence_decided'`,
    );
    expect((await post(door, { login: login('eva') }, longest)).body.status).toBe('decided');
  });
});

describe('waiting requests', () => {
  it('are limited per workspace and per process: beyond that the answer is an immediate "pending"', async () => {
    const workspaces = [scene.workspace, await scene.addWorkspace(), await scene.addWorkspace()];
    const door = await openDoor(workspaces, { perProcess: 3, perWorkspace: 2 });
    const ask = (user: string, workspace: Workspace): Promise<Answered> =>
      post(door, { login: login(user) }, { prefer: 'wait=5', workspace });
    const held = [ask('a', workspaces[0]!), ask('b', workspaces[0]!)];
    await waiting(door.room, 2);
    const refused = await ask('c', workspaces[0]!);
    held.push(ask('d', workspaces[1]!));
    await waiting(door.room, 3);
    const beyond = await ask('e', workspaces[2]!);
    for (const { body, applied, tookMs } of [refused, beyond]) {
      expect(body).toEqual({ id: body.id, status: 'pending' });
      expect(applied).toBeNull();
      expect(tookMs).toBeLessThan(4_500);
    }
    await deciding();
    expect((await Promise.all(held)).map(({ body }) => body.status)).toEqual(Array(3).fill('decided'));
  });

  it('are dropped when the client disconnects', async () => {
    const door = await openDoor();
    const body = JSON.stringify(login('ana'));
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${scene.workspace.id}`,
      prefer: 'wait=5',
    };
    const path = '/api/v5/analytics/app/login';
    const outgoing = request({ host: '127.0.0.1', port: door.port, method: 'POST', path, headers });
    const ended = new Promise((resolve) => outgoing.once('close', resolve));
    outgoing.on('error', () => {});
    outgoing.end(body);
    await waiting(door.room, 1);
    outgoing.destroy();
    await ended;
    await expect.poll(() => door.room.size).toBe(0);
  });

  it('are answered "pending" when the process stops', async () => {
    const door = await openDoor();
    const answer = post(door, { login: login('ana') }, { prefer: 'wait=5' });
    await waiting(door.room, 1);
    await door.app.close();
    const { body, applied, tookMs } = await answer;
    expect(body).toEqual({ id: body.id, status: 'pending' });
    expect(applied).toBeNull();
    expect(tookMs).toBeLessThan(4_500);
  });
});

describe('behind a backlog', () => {
  const batchRecords = 500;

  /** An engine that decides a batch a second by the clock of the test, when it is asked to. */
  function slowed(door: Door): { readonly decide: () => Promise<void>; readonly hurry: () => void } {
    let [turn, decided] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isHurrying = false;
    const read: HostDeps['log']['read'] = async (...from) => {
      await turn.promise;
      if (!isHurrying) turn = Promise.withResolvers();
      return scene.log.read(...from);
    };
    const batch: HostReport['batch'] = (workspaceId, { nextOffset }) => {
      door.hear({ workspaceId, nextOffset });
      decided.resolve();
    };
    const append: HostDeps['log']['append'] = (...entry) => scene.log.append(...entry);
    const appendWith: HostDeps['log']['appendWith'] = (...entry) => scene.log.appendWith(...entry);
    scene.startHost({ log: { read, append, appendWith }, report: { ...silentReport, batch } });
    return {
      decide: () => {
        nowMs += 1_000;
        decided = Promise.withResolvers();
        turn.resolve();
        return decided.promise;
      },
      hurry: () => {
        isHurrying = true;
        turn.resolve();
      },
    };
  }

  /** Of one client, whose key is made once. */
  async function logins(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += batchRecords) {
      const some = Array.from({ length: batchRecords }, (_, i) => ({ ...login('ana'), session: `s-${sent + i}` }));
      await Promise.all(some.map((one) => scene.send('login', one)));
    }
  }

  it('a request is answered "pending" at once if its decision cannot be made in time, and waits if it can', async () => {
    const door = await openDoor();
    const engine = slowed(door);
    await logins(4 * batchRecords);
    await engine.decide();
    await engine.decide();
    const short = await post(door, { login: login('eva') }, { prefer: 'wait=1' });
    expect(short).toMatchObject({ body: { status: 'pending' }, applied: null, lag: '2.0' });
    expect(hopeless).toEqual([scene.workspace.id]);
    const long = post(door, { login: login('ana') }, longest);
    await waiting(door.room, 1);
    engine.hurry();
    expect(await long).toMatchObject({ body: { status: 'decided' }, applied: 'wait=5', lag: '0.0' });
    expect(hopeless).toHaveLength(1);
  });

  it('every answer tells the lag, also before any notice, and 0.0 when nothing waits', async () => {
    await scene.send('login', login('eva'));
    const door = await openDoor();
    const first = await post(door, { login: login('eva') });
    expect(first.lag).toMatch(/^\d+\.\d$/);
    nowMs += 7_000;
    const later = await post(door, { login: login('ana') });
    expect(Number(later.lag)).toBeGreaterThanOrEqual(7);
    await deciding();
    await scene.settled();
    await door.lag.look();
    expect((await post(door, { login: login('ana') })).lag).toBe('0.0');
  });
});
