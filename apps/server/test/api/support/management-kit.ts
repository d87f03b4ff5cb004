import { randomUUID } from 'node:crypto';
import { type ProblemDetails, secondMs } from '@ringfence/contract';
import { parseCidr, PostgresOutbox } from '@ringfence/delivery';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { LogIns } from '../../../src/access/accounts/log-ins.ts';
import { Backtests } from '../../../src/backtest/backtests/backtests.ts';
import { systemClock } from '../../../src/deliver/clock.ts';
import { Dispatcher } from '../../../src/deliver/dispatcher.ts';
import { systemResolver } from '../../../src/deliver/transport/resolve-host.ts';
import { WebhookTransport } from '../../../src/deliver/transport/webhook-transport.ts';
import { SseHub } from '../../../src/console/live/sse-hub.ts';
import { testDestination } from '../../../src/notify/test-destination.ts';
import { RefusedRequests } from '../../../src/ingest/refused-requests.ts';
import { PolicyWorkers } from '../../../src/policies/policy-workers.ts';
import { ClientAddresses } from '../../../src/platform/http/client-address.ts';
import { Queries } from '../../../src/backtest/queries/queries.ts';
import type { ManagementDeps } from '../../../src/api/server/management-deps.ts';
import { buildManagement } from '../../../src/api/server/management-server.ts';
import { StoredEvents } from '../../../src/api/events/stored-events.ts';
import { readBacklogs } from '../../../src/platform/observability/backlog.ts';
import { PostgresWorkspaceRegistry } from '../../../src/tenancy/workspaces/postgres-registry.ts';
import { makeScene, type Scene } from '../../decide/support.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { documentedAnswer } from './documented-answer.ts';

export const adminToken = 'rf_admin_token-of-the-tests-of-management';

export interface Logged {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface Call {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
}

/** The management API over a real database, with every other part of a service except its listeners. */
export interface ManagementKit extends Scene {
  readonly home: Installation;
  readonly app: FastifyInstance;
  readonly deps: ManagementDeps;
  readonly outbox: PostgresOutbox;
  readonly dispatcher: Dispatcher;
  readonly refused: RefusedRequests;
  readonly log: Scene['log'];
  readonly said: readonly Logged[];
  /** Sends a request with the admin token, and checks every answer against the document. */
  call(method: string, path: string, call?: Call): Promise<LightMyRequestResponse>;
  /** The same with a path below the scene's workspace: `at('GET', 'events')`. */
  at(method: string, path: string, call?: Call): Promise<LightMyRequestResponse>;
  /** The body of a GET below the workspace that must be answered with 200. */
  get<Answer>(path: string): Promise<Answer>;
  /** Advances the clock of the rate limit of log-ins and of due actions. */
  pass(ms: number): void;
  /** From now on only `pass` advances the clock: for limits that a busy machine would exceed. */
  standStill(): void;
}

/** @param given another installation than a new one */
export async function managementKit(
  change: Partial<ManagementDeps> = {},
  given?: Installation,
): Promise<ManagementKit> {
  const home = given ?? (await makeInstallation());
  const scene = await makeScene(home);
  const { pool, log, subjects, workspace } = scene;
  const allowPrivateWebhooks = [parseCidr('127.0.0.0/8')!];
  const said: Logged[] = [];
  const say =
    (level: Logged['level']) =>
    (fields: object, message: string): void =>
      void said.push({ level, fields: fields as Logged['fields'], message });
  const logger = { info: say('info'), warn: say('warn'), error: say('error') };
  const onError = (error: unknown): void => logger.error({ error }, 'a part of the kit failed');
  let shiftMs = 0;
  let standsAtMs: number | undefined;
  const now = (): number => (standsAtMs ?? Date.now()) + shiftMs;
  const registry = new PostgresWorkspaceRegistry({ pool, master: home.master, now, onError });
  await registry.start(home.log.notifications);
  const outbox = new PostgresOutbox(pool, home.log.notifications);
  const refused = new RefusedRequests({ pool, now, onError });
  const rules = { resolve: systemResolver(), allow: allowPrivateWebhooks, isOwn: () => false };
  const connecting = { transport: new WebhookTransport(rules), rules };
  const dispatcher = new Dispatcher({
    outbox,
    registry,
    subjects,
    log,
    transport: connecting.transport,
    clock: systemClock,
    random: Math.random,
    metrics: { attempted: () => {} },
    logger,
  });
  const backtests = new Backtests({ pool, database: home.connection, logger });
  const inquiries = new Queries({ database: home.connection, logger, monotonicMs: now });
  const policyWorkers = new PolicyWorkers({ logger });
  const deps: ManagementDeps = {
    pool,
    master: home.master,
    log,
    allowPrivateWebhooks,
    connectionsMax: 1_000,
    connectionRefused: () => {},
    registry,
    subjects,
    deliveries: outbox,
    events: new StoredEvents(pool, log, subjects),
    // No engine hears the questions of this kit.
    liveStatus: { ask: () => Promise.resolve(undefined) },
    refused,
    admin: { token: adminToken, from: 'environment', path: undefined },
    logIns: new LogIns({
      pool,
      master: home.master,
      now,
      onFailed: (why, address) => logger.warn({ why, address }, 'a log-in failed'),
    }),
    consoleOrigin: undefined,
    openId: undefined,
    eventsUrl: () => 'http://127.0.0.1:8080',
    senders: new ClientAddresses([]),
    now,
    logNow: now,
    logger,
    sendTest: (of) => dispatcher.sendTest(of),
    notify: {
      sendTest: testDestination({ ...connecting, mail: undefined, machineMs: now, consoleOrigin: undefined }),
      hasMail: false,
    },
    backtests,
    policyWorkers,
    inquiries,
    live: new SseHub({ pool, notifications: home.log.notifications, onError }),
    backlogs: () => readBacklogs(pool, log, now()),
    queued: () => outbox.queued(),
    plugins: [],
    ...change,
  };
  const app = await buildManagement(deps);

  const call: ManagementKit['call'] = async (method, path, { body, headers = {}, remoteAddress } = {}) => {
    const response = await app.inject({
      method: method as 'GET',
      url: `/management/v1${path}`,
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      ...(remoteAddress === undefined ? {} : { remoteAddress }),
    });
    documentedAnswer(method, path, response);
    return response;
  };
  const at: ManagementKit['at'] = (method, path, options) =>
    call(method, `/workspaces/${workspace.id}/${path}`, options);
  return {
    ...scene,
    home,
    app,
    deps,
    outbox,
    dispatcher,
    refused,
    said,
    call,
    at,
    get: async (path) => {
      const response = await at('GET', path);
      if (response.statusCode !== 200) throw new Error(`GET ${path}: ${response.statusCode} ${response.body}`);
      return response.json();
    },
    pass: (ms) => void (shiftMs += ms),
    standStill: () => void (standsAtMs = Date.now()),
    close: async () => {
      await app.close();
      await policyWorkers.stop();
      await backtests.stop();
      await inquiries.stop();
      await dispatcher.stop(secondMs);
      await registry.close();
      await scene.close();
      await home.close();
    },
  };
}

/** The problem in an answer, whose status must equal that of the response. */
export function problemOf(response: LightMyRequestResponse): ProblemDetails {
  const problem: ProblemDetails = response.json();
  if (problem.status !== response.statusCode) throw new Error(`not a problem: ${response.body}`);
  return problem;
}

export function login(user: string, session = `s-${user}`): object {
  return { channelId: 1, user, session, publicIp: '203.0.113.7', data: 'blob' };
}

export function payment(client: string, reference: string = randomUUID(), session = `s-${client}`): object {
  return {
    channelId: 1,
    timestamp: new Date().toISOString(),
    transaction: { category: 'transfer', reference },
    account: { client, session },
    order: { amount: 10.5, currency: 'MXN' },
    accountTo: { bank: 'B1', accountNumber: '42' },
  };
}
