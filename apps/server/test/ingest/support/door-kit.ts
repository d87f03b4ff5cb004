import { createSecretKey, randomBytes } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import { makeDeviceKey, openDeviceKey } from '@ringfence/intel';
import { type Appended, type EventLog, type LogEntry, type LogRecord } from '@ringfence/log';
import { MemoryLog } from '@ringfence/log/memory';
import { type EpochMs, type EventKind, openEvent, type OpenedEvent, type ProblemDetails } from '@ringfence/contract';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { buildIngestServer } from '../../../src/ingest/ingest-server.ts';
import type { IngestDeps } from '../../../src/ingest/ingest-deps.ts';
import type { RequestKind } from '../../../src/ingest/routes.ts';
import type { RefusedRequest } from '../../../src/ingest/refused-request.ts';
import { ClientAddresses } from '../../../src/platform/http/client-address.ts';
import { open } from '../../../src/platform/secrets/seal.ts';
import { eventPlace } from '../../../src/records/event-opener.ts';
import type { SubjectKey } from '../../../src/tenancy/subjects/subject-keys.ts';
import type { Environment, Workspace, WorkspaceSettings } from '../../../src/tenancy/workspaces/workspace.ts';
import { testWorkspace } from '../../deliver/support/workspace-fixture.ts';
import { noLag } from './no-lag.ts';
import { noStatus } from './no-status.ts';
import { shippedNetworks } from '../../support/networks.ts';

export const productionKey = 'rf_live_production-key-of-the-tests-1234';
export const developmentKey = 'rf_test_development-key-of-the-tests-123';
export const startMs = Date.UTC(2026, 10, 21, 16, 0, 0);

/** Clients' keys in memory. Like the real store: known keys are returned synchronously, others as a promise. */
export class MemorySubjects {
  readonly keys = new Map<string, SubjectKey>();
  generationOf = 0;
  readonly #log: Pick<MemoryLog, 'head'>;

  constructor(log: Pick<MemoryLog, 'head'>) {
    this.#log = log;
  }

  ofClient(_workspace: Workspace, client: string): SubjectKey | Promise<SubjectKey> {
    const known = this.keys.get(client);
    if (known !== undefined) return known;
    const made = { subject: `subject${this.keys.size}`.padEnd(16, 'x'), key: createSecretKey(randomBytes(32)) };
    this.keys.set(client, made);
    return Promise.resolve(made);
  }

  generation(): number {
    return this.generationOf;
  }

  async refresh(workspaceId: string): Promise<void> {
    this.generationOf = (await this.#log.head(workspaceId)).generation;
  }
}

export interface DoorKit {
  readonly app: FastifyInstance;
  readonly log: MemoryLog;
  readonly subjects: MemorySubjects;
  readonly refused: RefusedRequest[];
  readonly warnings: object[];
  readonly errors: object[];
  readonly answers: { readonly route: string; readonly status: number }[];
  /** Workspaces of the events that were refused for lag. */
  readonly refusedForLag: string[];
  readonly workspace: Workspace;
  /** Posts a body, as text or as a value, to the production path of a kind of request. */
  post(kind: RequestKind, body: unknown, sending?: Sending): Promise<LightMyRequestResponse>;
  /** Moves the clock. */
  pass(ms: number): void;
}

export interface DoorKitOptions {
  readonly settings?: Partial<WorkspaceSettings>;
  /** Replaces the append of the memory log. */
  readonly append?: EventLog['append'];
  readonly deps?: Partial<IngestDeps>;
  readonly https?: ServerOptions | undefined;
}

export async function doorKit(options: DoorKitOptions = {}): Promise<DoorKit> {
  let nowMs = startMs;
  const now = (): EpochMs => nowMs as EpochMs;
  const log = new MemoryLog({ clock: now });
  const workspaces = [workspaceOf('production', options.settings), workspaceOf('development', options.settings)];
  for (const { id } of workspaces) await log.createPartition(id);
  const subjects = new MemorySubjects(log);
  const refused: RefusedRequest[] = [];
  const warnings: object[] = [];
  const errors: object[] = [];
  const refusedForLag: string[] = [];
  const answers: { route: string; status: number }[] = [];
  let requests = 0;
  const append =
    options.append ??
    ((partition: string, entry: LogEntry, generation?: number): Promise<Appended> =>
      log.append(partition, entry, generation));
  const deps: IngestDeps = {
    registry: { authenticate: (token, environment) => authenticate(workspaces, token, environment) },
    subjects,
    log: { append, read: (partition, fromOffset, limit) => log.read(partition, fromOffset, limit) },
    // What happens to a report is tested with a database.
    acceptOutcome: () => Promise.resolve({ id: `out_${'a'.repeat(16)}`, isReplay: false, warnings: [] }),
    refused: { note: (request) => void refused.push(request) },
    logHealth: { stored: () => {}, refused: () => {} },
    now,
    makeRequestId: () => `req-${++requests}`,
    networks: { current: shippedNetworks },
    status: noStatus,
    lag: noLag,
    decisions: { wait: () => Promise.resolve({ kind: 'pending', waited: false }), close: () => {} },
    senders: new ClientAddresses([]),
    logger: {
      warn: (fields, message) => void warnings.push({ ...fields, message }),
      error: (fields, message) => void errors.push({ ...fields, message }),
    },
    metrics: {
      answered: ({ route, status }) => void answers.push({ route, status }),
      appended: () => undefined,
      refusedForLag: (workspaceId) => void refusedForLag.push(workspaceId),
      connectionRefused: () => undefined,
    },
    plugins: [],
    ...options.deps,
  };
  const app = await buildIngestServer(deps, options.https);
  return {
    app,
    log,
    subjects,
    refused,
    warnings,
    errors,
    answers,
    refusedForLag,
    workspace: workspaces[0]!,
    post: (kind, body, sending = {}) => send(app, kind, { ...sending, body }),
    pass: (ms) => void (nowMs += ms),
  };
}

/** A workspace in mode `observe` that can decrypt device tokens. */
function workspaceOf(environment: Environment, settings: Partial<WorkspaceSettings> = {}): Workspace {
  const id = environment === 'production' ? 'prodprod' : 'devdevde';
  const workspace = testWorkspace({ id, environment, settings: { deliver: 'observe', ...settings } });
  return {
    ...workspace,
    name: 'acme',
    channels: new Map([[1, { id: 1, name: 'App', idleMinutes: 30, absoluteHours: 12, sessions: 'required' }]]),
    secrets: { ...workspace.secrets, deviceKeys: [openDeviceKey(makeDeviceKey())] },
  };
}

function authenticate(
  workspaces: readonly Workspace[],
  token: string,
  environment: Environment,
): { workspace: Workspace; keyId: string } | undefined {
  const keys: Readonly<Record<Environment, string>> = { production: productionKey, development: developmentKey };
  const workspace = workspaces.find((each) => each.environment === environment && keys[each.environment] === token);
  return workspace === undefined ? undefined : { workspace, keyId: `key-${environment}` };
}

export interface Sending {
  readonly path?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(
  app: FastifyInstance,
  kind: RequestKind,
  sending: Sending & { readonly body: unknown },
): Promise<LightMyRequestResponse> {
  const { body } = sending;
  return app.inject({
    method: 'POST',
    url: sending.path ?? `/api/v5/analytics/app/${kind}`,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${sending.key ?? productionKey}`,
      ...sending.headers,
    },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
}

export function problemOf(response: LightMyRequestResponse): ProblemDetails {
  return response.json<ProblemDetails>();
}

/** All records of the production workspace, as stored in the log. */
export function records(kit: DoorKit): Promise<readonly LogRecord[]> {
  return kit.log.read(kit.workspace.id, 0, 1_000);
}

/** Decrypts a record with the keys of the kit. */
export function opened(kit: DoorKit, record: LogRecord): OpenedEvent {
  const key =
    [...kit.subjects.keys.values()].find(({ subject }) => subject === record.subject)?.key ??
    kit.workspace.secrets.data;
  return openEvent(record.kind as EventKind, open(key, record.payload, eventPlace(kit.workspace.id, record)));
}

export const login = { channelId: 1, user: 'client-1', session: 's-1', publicIp: '203.0.113.7', data: 'device' };
export const logout = { channelId: 1, user: 'client-1', session: 's-1' };
export const operation = {
  channelId: 1,
  timestamp: '2026-11-21T10:00:00',
  transaction: { category: 'transfer', description: 'Invoice 7' },
  account: { client: 'client-1', session: 's-1' },
  order: { amount: 10.5, currency: 'MXN' },
};
