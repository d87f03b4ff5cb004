/** What the main thread opens for each database: its rooms, in this order; they are stopped in reverse. */
import type { MessagePort, Worker } from 'node:worker_threads';
import { PostgresOutbox } from '@ringfence/delivery';
import { type Backtest, openBacktest } from './backtest/open-backtest.ts';
import type { Configuration } from './config/configuration.ts';
import { type Declared, declareWorkspaces } from './config/declare-workspaces.ts';
import { openConsole } from './console/open-console.ts';
import type { EngineHosts } from './decide/engine-hosts.ts';
import { type DecideContext, openDecide } from './decide/open-decide.ts';
import type { Dispatcher } from './deliver/dispatcher.ts';
import { openDeliver } from './deliver/open-deliver.ts';
import type { ConnectionRules } from './deliver/transport/guarded-connector.ts';
import { openHolds } from './holds/open-holds.ts';
import type { IngestThreads } from './ingest/ingest-threads.ts';
import { RefusedRequests } from './ingest/refused-requests.ts';
import { migrations } from './migrations.ts';
import { type Notify, openNotify } from './notify/open-notify.ts';
import { openOutcomes } from './outcomes/open-outcomes.ts';
import { type CellPlace, homeDatabase } from './platform/database/cell.ts';
import { StorageReader } from './platform/database/storage-size.ts';
import type { Metrics } from './platform/observability/metrics.ts';
import { openPlatform, type Platform, type PlatformContext } from './platform/open-platform.ts';
import { openPolicies } from './policies/open-policies.ts';
import { openStreams } from './streams/open-streams.ts';
import { withoutAudit } from './streams/stream-settings.ts';
import { claimCell, claimHome } from './tenancy/cells/claim-database.ts';
import { adoptClients } from './tenancy/subjects/adoption.ts';
import { noteKeys } from './tenancy/cells/key-owners.ts';
import { notePlaces } from './tenancy/cells/workspace-places.ts';
import { openTenancy, type Tenancy } from './tenancy/open-tenancy.ts';

/** A database with its rooms. */
export interface Cell extends Platform, Tenancy, Backtest {
  readonly name: string;
  readonly outbox: PostgresOutbox;
  readonly dispatcher: Dispatcher;
  /** `undefined` if this process decides nothing of this database. */
  readonly decider: EngineHosts | undefined;
  readonly notify: Notify;
  readonly refused: RefusedRequests;
  readonly storage: StorageReader;
  readonly declared: Declared;
}

/** The deciding threads of one database, loaded and not begun, and their ports to those that take events. */
export interface Deciders {
  readonly threads: readonly Worker[];
  readonly ports: readonly (readonly MessagePort[])[];
}

export interface CellContext
  extends
    Pick<PlatformContext, 'master' | 'logger' | 'now' | 'stages' | 'stop' | 'databaseUrl' | 'logTopic'>,
    Pick<DecideContext, 'metricsOfNext' | 'onCrash'> {
  /** `undefined`: the home database. */
  readonly cell: CellPlace | undefined;
  readonly configuration: Configuration;
  readonly ingest: Pick<IngestThreads, 'refresh'>;
  /** None: this process only accepts events of this database, and others decide and send. */
  readonly deciders: Deciders;
  readonly metrics: Metrics;
  readonly rules: ConnectionRules;
}

/** @throws OperatorError, or `stop.reason` */
export async function openCell(context: CellContext): Promise<Cell> {
  const { configuration, cell, ingest, metrics, rules, deciders } = context;
  const { home, allowPrivateWebhooks, mail } = configuration;
  const opened = await openPlatform({ ...context, home, migrations, adopt: adoptClients, atOnce: cell !== undefined });
  const platform = { ...opened, cell };
  if (cell === undefined) await claimHome(platform.pool);
  else {
    await claimCell(platform.pool, cell);
    await notePlaces(platform.pool, cell);
  }
  await noteKeys(platform);
  const declared = await declareWorkspaces({ ...platform, configuration, allowPrivateWebhooks });
  const tenancy = await openTenancy(platform, () => ingest.refresh());
  const outbox = new PostgresOutbox(platform.pool, platform.log.notifications);
  const sends = deciders.threads.length > 0;
  const rooms = { ...platform, ...tenancy, outbox, metrics, allowPrivateWebhooks, rules, sends };
  const dispatcher = openDeliver(rooms);
  const decider = sends ? openDeciding(rooms, context, dispatcher) : undefined;
  const notify = openNotify({ ...rooms, mail, consoleOrigin: configuration.console.origin });
  const isEmbedded = platform.database.kind === 'embedded';
  return {
    ...rooms,
    ...openBacktest(rooms),
    name: cell?.name ?? homeDatabase,
    dispatcher,
    decider,
    notify,
    refused: readRefused(platform),
    storage: new StorageReader({ pool: platform.pool, home: isEmbedded ? home : undefined, monotonicMs }),
    declared,
  };
}

const monotonicMs = (): number => performance.now();

/** What a process does by itself that decides. */
function openDeciding(
  rooms: Platform & Tenancy & Parameters<typeof openPolicies>[0],
  { configuration, deciders, metricsOfNext, onCrash }: CellContext,
  dispatcher: Dispatcher,
): EngineHosts {
  const decider = openDecide({
    ...rooms,
    metricsOfNext,
    threads: deciders.threads,
    ingest: deciders.ports,
    residentBytesMax: configuration.entityMemoryMiB * 2 ** 20,
    weights: configuration.shares,
    onActionsDue: () => dispatcher.wake(),
    onCrash,
  });
  openConsole(rooms);
  openOutcomes(rooms);
  openHolds(rooms);
  openPolicies(rooms);
  const isHome = rooms.cell === undefined;
  openStreams({ ...rooms, streams: isHome ? configuration.streams : withoutAudit(configuration.streams), onCrash });
  return decider;
}

/** What the threads that take events refused, for people who integrate a bank. */
function readRefused({ pool, logger, now }: Platform): RefusedRequests {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'could not read refused requests');
  return new RefusedRequests({ pool, onError, now });
}
