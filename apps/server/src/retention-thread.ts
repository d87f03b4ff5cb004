/** The worker thread of one round of retention. Started by `roundInThread`; it ends after the round. */
import { parentPort, workerData } from 'node:worker_threads';
import { assert, type EpochMs } from '@ringfence/contract';
import { PostgresOutbox } from '@ringfence/delivery';
import type { FromRound, RoundSettings } from './decide/retention/retention-messages.ts';
import { Retention } from './decide/retention/retention.ts';
import { threadLogger } from './platform/observability/thread-logger.ts';
import { RefusedRequests } from './ingest/refused-requests.ts';
import { makePool } from './platform/database/database.ts';
import { openEventLog } from './platform/database/event-log.ts';
import { MasterKeys } from './platform/secrets/master-keys.ts';
import { PolicyCache } from './policies/policy-cache.ts';
import { PostgresSubjectKeys } from './tenancy/subjects/postgres-subject-keys.ts';
import { renewDeviceKey } from './tenancy/workspaces/device-keys.ts';
import { PostgresWorkspaceRegistry } from './tenancy/workspaces/postgres-registry.ts';

/** Workspaces whose data is removed at the same time, each with up to two, the lock and the registry. */
const connectionsMax = 8;
const waitMsMax = 30_000;

assert(parentPort !== null, 'a round of retention runs in a worker thread');
const port = parentPort;
const tell = (message: FromRound): void => port.postMessage(message);
const logger = threadLogger(tell);
const now = (): EpochMs => Date.now() as EpochMs;
const onError = (error: unknown): void => logger.error({ err: error }, 'a background query of the database failed');

const stop = new AbortController();
port.on('message', () => stop.abort());
await round(workerData as RoundSettings);
port.close();

async function round(settings: RoundSettings): Promise<void> {
  const pool = makePool(settings.database, connectionsMax, waitMsMax);
  pool.on('error', onError);
  const log = openEventLog({ connection: settings.database, pool, clock: now, onError });
  const master = MasterKeys.load(settings.master, false);
  const registry = new PostgresWorkspaceRegistry({ pool, master, now, onError });
  try {
    await registry.start(log.notifications);
    const retention = new Retention({
      pool,
      log,
      outbox: new PostgresOutbox(pool),
      refused: new RefusedRequests({ pool, now, onError }),
      policies: new PolicyCache(pool, () => undefined),
      makeSubjects: () => new PostgresSubjectKeys({ pool, log, onError }),
      workspaces: () => registry.all(),
      renewDeviceKey: (workspaceId, keptForMs) => renewDeviceKey({ pool, master }, workspaceId, keptForMs),
      now,
      logger,
      removed: (what, count) => tell({ kind: 'removed', what, count }),
    });
    tell({ kind: 'ended', end: await retention.round(stop.signal) });
  } finally {
    await registry.close();
    await log.close();
    await pool.end();
  }
}
