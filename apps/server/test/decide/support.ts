import type { IngestDeps } from '../../src/ingest/ingest-deps.ts';
import { randomUUID } from 'node:crypto';
import { type EpochMs, type EventKind, Problem } from '@ringfence/contract';
import { parseCidr } from '@ringfence/delivery';
import { PostgresLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { readPolicyFolder } from '../../src/config/policy-folder.ts';
import { starterPolicyFolder } from '../../src/config/first-start.ts';
import type { Migration } from '../../src/platform/database/migrate.ts';
import { migrations } from '../../src/migrations.ts';
import { EventIntake } from '../../src/ingest/event-intake.ts';
import { ClientAddresses } from '../../src/platform/http/client-address.ts';
import type { HostDeps, HostReport } from '../../src/decide/host-deps.ts';
import { PartitionKeeper } from '../../src/decide/partition-keeper.ts';
import { PolicyCache } from '../../src/policies/policy-cache.ts';
import { PostgresSubjectKeys } from '../../src/tenancy/subjects/postgres-subject-keys.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { createWorkspace, readWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import type { Installation } from '../support/installation.ts';
import { noLag } from '../ingest/support/no-lag.ts';
import { noStatus } from '../ingest/support/no-status.ts';
import { shippedNetworks } from '../support/networks.ts';

/** A workspace with the starter policy, ingest without a socket, and engine hosts that start and stop on demand. */
export interface Scene {
  readonly workspace: Workspace;
  readonly pool: Pool;
  readonly log: PostgresLog;
  readonly subjects: PostgresSubjectKeys;
  readonly hostDeps: HostDeps;
  readonly logged: { readonly level: string; readonly fields: object; readonly message: string }[];
  /** Creates another workspace, decided by the same processes. */
  addWorkspace(): Promise<Workspace>;
  /** Applies changed workspaces, like a registry that has read them again. */
  changed(): void;
  send(kind: EventKind, body: object, to?: Workspace): Promise<string>;
  /** Appends a body as it was received. */
  sendText(kind: EventKind, text: string, to?: Workspace): Promise<string>;
  /** Starts a deciding process; several may run at the same time. */
  /** @param known the migrations of its release */
  startHost(change?: Partial<HostDeps>, known?: readonly Migration[]): RunningHost;
  /** Resolves when everything in the logs is decided and committed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface RunningHost {
  /** Resolves when it has caught up and decides. */
  readonly ready: Promise<unknown>;
  readonly liveStatus: PartitionKeeper['liveStatus'];
  stop(): Promise<void>;
}

const pollMs = 10;

export interface SceneOptions {
  /** The clock of all its parts. */
  readonly now?: () => EpochMs;
  /** The size of one range of the log. */
  readonly rangeRecords?: number;
  /** Of all its workspaces; production by default. */
  readonly environment?: Workspace['environment'];
}

/** Discards all reports. */
export const silentReport: HostReport = {
  batch: () => {},
  actionsDue: () => {},
  ready: () => {},
  missed: () => {},
  found: () => {},
  outdated: () => {},
};

export async function makeScene(home: Installation, options: SceneOptions = {}): Promise<Scene> {
  const { now = () => Date.now() as EpochMs, environment = 'production', ...ranges } = options;
  const pool = home.anotherPool();
  const log = new PostgresLog({ connection: home.connection, pool, clock: now, ...ranges });
  const deps = { ...home.deps, log, allowPrivateWebhooks: [parseCidr('127.0.0.0/8')!] };
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  const settings = { webhook: { url: 'http://127.0.0.1:9/webhook' }, deliver: 'live', sessionGraceSeconds: 0 };
  const files = readPolicyFolder(starterPolicyFolder);
  const workspaces: Workspace[] = [];
  const addWorkspace = async (): Promise<Workspace> => {
    const name = workspaces.length === 0 ? 'bank' : `bank ${workspaces.length}`;
    const made = await createWorkspace(deps, { name, environment, owners, settings });
    await applyPolicy(deps, made.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
    const added = await readWorkspace(deps, made.workspace.id);
    workspaces.push(added);
    return added;
  };
  const workspace = await addWorkspace();
  const logged: Scene['logged'] = [];
  const subjects = new PostgresSubjectKeys({
    pool,
    log,
    onError: (error) => logged.push({ level: 'error', fields: { error }, message: 'subjects' }),
  });
  const ingest: IngestDeps = {
    registry: { authenticate: () => undefined },
    subjects,
    log,
    acceptOutcome: () => Promise.reject(new Error('scenes take events only')),
    refused: { note: () => {} },
    logHealth: { stored: () => {}, refused: () => {} },
    networks: { current: shippedNetworks },
    status: noStatus,
    lag: noLag,
    decisions: { wait: () => Promise.resolve({ kind: 'pending', waited: false }), close: () => {} },
    senders: new ClientAddresses([]),
    now,
    makeRequestId: () => 'request',
    logger: { warn: () => {}, error: () => {} },
    metrics: { answered: () => {}, appended: () => {}, refusedForLag: () => {}, connectionRefused: () => {} },
    plugins: [],
  };
  const intake = new EventIntake(ingest);

  const hostDeps: HostDeps = {
    pool,
    log,
    subjects,
    policies: new PolicyCache(pool),
    residentBytesMax: 64 * 2 ** 20,
    weights: { production: 8, development: 1 },
    now,
    logger: {
      info: (fields, message) => logged.push({ level: 'info', fields, message }),
      warn: (fields, message) => logged.push({ level: 'warn', fields, message }),
      error: (fields, message) => logged.push({ level: 'error', fields, message }),
    },
    report: silentReport,
  };
  const hosts: RunningHost[] = [];
  const sendText: Scene['sendText'] = async (kind, text, to = workspace) => {
    const intaken = { workspace: to, cell: ingest, kind, body: Buffer.from(text), idempotencyKey: randomUUID() };
    for (;;) {
      try {
        return (await intake.take(intaken)).id;
      } catch (error) {
        // On a busy machine the database may stall for a second; like a bank, send again under the same idempotency
        // key.
        if (!(error instanceof Problem && error.code === 'log.unavailable')) throw error;
      }
    }
  };
  return {
    workspace,
    pool,
    log,
    subjects,
    hostDeps,
    logged,
    addWorkspace,
    changed: () => workspaces.forEach((one, at) => (workspaces[at] = { ...one })),
    send: (kind, body, to) => sendText(kind, JSON.stringify(body), to),
    sendText,
    startHost: (change = {}, known = migrations) => {
      const ready = Promise.withResolvers<undefined>();
      const report: HostDeps['report'] = {
        ...hostDeps.report,
        ready: (_, where) => where === 'here' && ready.resolve(undefined),
      };
      const keeper = new PartitionKeeper(
        { database: home.connection, process: `test ${hosts.length}`, workspaces: () => workspaces, migrations: known },
        { ...hostDeps, report, ...change },
      );
      const stop = new AbortController();
      const forget = log.onAppend((partition, end, block) => keeper.wake(partition, end, block?.()));
      const running = keeper.run(stop.signal);
      const host = {
        ready: ready.promise,
        liveStatus: keeper.liveStatus.bind(keeper),
        stop: async () => {
          forget();
          stop.abort();
          await running;
        },
      };
      hosts.push(host);
      return host;
    },
    settled: async () => {
      for (;;) {
        const behind = await pool.query(
          `select 1 from log_partition p left join engine_position e on e.workspace_id = p.partition
            where coalesce(e.next_offset, 0) < p.end_offset and p.partition = any ($1)`,
          [workspaces.map(({ id }) => id)],
        );
        if (behind.rowCount === 0) return;
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
    },
    close: async () => {
      for (const host of hosts) await host.stop();
      await subjects.close();
      await log.close();
    },
  };
}
