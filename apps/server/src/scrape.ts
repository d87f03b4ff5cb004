/** Reads what the metrics show of the databases and of the threads that take events. */
import type { Cells } from './cells.ts';
import type { Configuration } from './config/configuration.ts';
import type { ListenerCertificates } from './config/listener-certificates.ts';
import { readUnsent } from './access/audit/syslog/sent-entries.ts';
import { readNewestDrift } from './decide/model-days.ts';
import { readRetentionAge } from './decide/retention/kept-since.ts';
import { readHeldPayments } from './holds/held-payments.ts';
import type { IngestThreads } from './ingest/ingest-threads.ts';
import { countNotifications } from './notifications/notification-outbox.ts';
import type { Cell } from './open-cell.ts';
import { countOpenOutcomes } from './outcomes/count-open-outcomes.ts';
import { homeDatabase } from './platform/database/cell.ts';
import { readBacklogs } from './platform/observability/backlog.ts';
import { readBlockedDeliveries } from './platform/observability/blocked-deliveries.ts';
import { readLostDeliveries } from './platform/observability/lost-deliveries.ts';
import { orAway } from './platform/observability/or-away.ts';
import { readPoolUse } from './platform/observability/pool-use.ts';
import type { DatabaseState, ScrapedState, ThreadsState } from './platform/observability/scraped-gauges.ts';
import { readStreamStates } from './platform/observability/stream-state.ts';
import { webhookCertificatesLeft } from './tenancy/workspaces/webhook-certificate-expiry.ts';

export interface ScrapeContext {
  readonly configuration: Configuration;
  readonly cells: Cells;
  readonly ingest: IngestThreads;
  readonly certificates: ListenerCertificates;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Each source by itself: what the others say does not go missing with it. */
export async function scrape(context: ScrapeContext): Promise<ScrapedState> {
  const { configuration, cells, certificates, now } = context;
  const names = [homeDatabase, ...configuration.databases.map(({ name }) => name)];
  const [databases, threads] = await Promise.all([
    Promise.all(names.map((name) => readOne(context, name, cells.get(name)))),
    orAway(readThreads(context)),
  ]);
  const workspaces = cells.all().flatMap(({ registry }) => registry.all());
  return {
    databases,
    threads,
    clockAheadMs: cells.home.clock.machineAheadMs,
    certificatesLeft: [...certificates.left(), ...webhookCertificatesLeft(workspaces, now())],
  };
}

async function readOne(
  context: ScrapeContext,
  name: string,
  cell: Cell | undefined,
): Promise<ScrapedState['databases'][number]> {
  if (cell === undefined) return { name, state: undefined, storage: undefined, pool: undefined };
  const [state, storage] = await Promise.all([orAway(readState(context, cell)), orAway(cell.storage.read())]);
  return { name, state, storage, pool: readPoolUse(cell.pool) };
}

async function readState({ configuration, now }: ScrapeContext, cell: Cell): Promise<DatabaseState> {
  const { pool, log, clock, outbox } = cell;
  const workspaces = await readBacklogs(pool, log, clock.read());
  const isSent = cell.cell === undefined && configuration.syslog !== undefined;
  return {
    workspaces,
    drifts: await readNewestDrift(pool, { workspaceIds: workspaces.map(({ id }) => id), nowMs: clock.read() }),
    deliveries: await outbox.queued(),
    lost: await readLostDeliveries(pool),
    heldBack: await readBlockedDeliveries(pool, outbox),
    holds: await readHeldPayments(pool, clock.read()),
    outcomes: await countOpenOutcomes(pool),
    notifications: await countNotifications(pool, clock.read()),
    retentionAgeMs: await readRetentionAge(pool, now()),
    unsentAudit: isSent ? await readUnsent(pool, now()) : noneUnsent,
    streams: configuration.streams.length === 0 ? [] : await readStreamStates(pool, now()),
  };
}

const noneUnsent = { waiting: 0, oldestMs: 0 };

async function readThreads({ cells, ingest, now }: ScrapeContext): Promise<ThreadsState> {
  const ages = await Promise.all(cells.all().map((cell) => staleMs(cell, ingest)));
  return {
    registryAgeMs: Math.max(...ages),
    networkDataAgeMs: now() - Math.min(...(await ingest.ask('networkDataAtMs'))),
  };
}

/** Milliseconds since every thread had current data on the workspaces and keys of a database. */
export async function staleMs(
  { name, registry }: Pick<Cell, 'name' | 'registry'>,
  ingest: IngestThreads,
): Promise<number> {
  const ages = (await ingest.ask('registryAgeMs')).map((ofThread) => ofThread[name] ?? Infinity);
  return Math.max(registry.staleMs(), ...ages);
}
