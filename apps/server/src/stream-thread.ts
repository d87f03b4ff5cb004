/** The worker thread that sends all streams of this process. Started by `openStreams`; a message ends it. */
import { parentPort, workerData } from 'node:worker_threads';
import { assert, type EpochMs } from '@ringfence/contract';
import { openEventLog } from './platform/database/event-log.ts';
import { makePool } from './platform/database/database.ts';
import { threadLogger } from './platform/observability/thread-logger.ts';
import { MasterKeys } from './platform/secrets/master-keys.ts';
import type { StreamThreadSettings } from './streams/open-streams.ts';
import { openStreamSenders } from './streams/open-senders.ts';
import { PostgresSubjectKeys } from './tenancy/subjects/postgres-subject-keys.ts';
import { PostgresWorkspaceRegistry } from './tenancy/workspaces/postgres-registry.ts';

/** Beside one for the lock of each stream. */
const connectionsMax = 6;
const waitMsMax = 30_000;

assert(parentPort !== null, 'streams are sent by a worker thread');
const port = parentPort;
const logger = threadLogger((line) => port.postMessage(line));
const now = (): EpochMs => Date.now() as EpochMs;
const onError = (error: unknown): void => logger.error({ err: error }, 'a background query of the database failed');

const settings = workerData as StreamThreadSettings;
const stopped = new Promise<void>((resolve) => port.once('message', () => resolve()));
const pool = makePool(settings.database, connectionsMax + settings.streams.length, waitMsMax);
pool.on('error', onError);
const log = openEventLog({ connection: settings.database, pool, clock: now, onError });
const subjects = new PostgresSubjectKeys({ pool, log, onError });
const master = MasterKeys.load(settings.master, false);
const registry = new PostgresWorkspaceRegistry({ pool, master, now, onError });

await registry.start(log.notifications);
await subjects.start(log.notifications);
const senders = openStreamSenders({ pool, log, subjects, registry, logger, now }, settings.streams);
await stopped;
await Promise.all(senders.map((sender) => sender.stop()));
await registry.close();
await subjects.close();
await log.close();
await pool.end();
port.close();
