/** What a thread that takes events opens for each database. */
import type { MessagePort } from 'node:worker_threads';
import type { EpochMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { EngineLinks } from './decide/engine-links.ts';
import { healthChecks } from './decide/health-checks.ts';
import type { IngestCell } from './ingest/ingest-deps.ts';
import { openDecisions, openRefusedRequests, openStatus } from './ingest/open-ingest.ts';
import type { RefusedRequests } from './ingest/refused-requests.ts';
import type { CellOfThread } from './ingest/thread-messages.ts';
import { acceptOutcome } from './outcomes/accept-outcome.ts';
import { makePool } from './platform/database/database.ts';
import type { HealthCheck } from './platform/observability/health.ts';
import type { IngestCounts } from './platform/observability/ingest-counts.ts';
import { LogHealth } from './platform/observability/log-health.ts';
import { adoptClients as adopt } from './tenancy/subjects/adoption.ts';
import { openLog, type ThreadPlatform } from './platform/open-platform.ts';
import { openTenancy, type Tenancy } from './tenancy/open-tenancy.ts';
import type { StatusSource } from './ingest/status/read-status.ts';
import type { LiveStatus } from './ingest/status/live-status.ts';

/** Besides the connections for appends and notifications. */
const connectionsMax = 8;

interface CellContext extends Pick<ThreadPlatform, 'master' | 'logger' | 'now' | 'stages'>, CellOfThread {
  /** A port to each thread that decides the workspaces of this database. */
  readonly engines: readonly MessagePort[];
  readonly metrics: Pick<IngestCounts, 'pendingForLag'>;
  readonly now: () => EpochMs;
}

export interface OpenIngestCell extends ThreadPlatform, Tenancy, Omit<IngestCell, 'registry' | 'subjects' | 'log'> {
  readonly name: string;
  readonly logHealth: LogHealth;
  readonly refused: RefusedRequests;
  readonly status: StatusSource & { readonly live: LiveStatus };
  /** The checks of `/readyz` about this database. */
  readonly checks: readonly HealthCheck[];
}

/** Like the service itself: rooms are opened in this order, and stopped in reverse. */
export async function openIngestCell(context: CellContext): Promise<OpenIngestCell> {
  const { database: connection, engines, stages } = context;
  const pool = makePool(connection, connectionsMax);
  stages.started('database', () => pool.end());
  const platform = {
    ...context,
    pool,
    ...(await openLog({ connection, pool, stages, records: { adopt, logger: context.logger } })),
  };
  const tenancy = await openTenancy(platform);
  const rooms = { ...platform, ...tenancy };
  const decisions = openDecisions(rooms);
  const { lag, room } = decisions;
  const links = new EngineLinks(engines, {
    onDecided: (notice) => decisions.hear(notice),
    onStatus: (answers) => status.live.hear(answers),
  });
  stages.started('engine links', () => links.close());
  const status = openStatus(rooms, () => links);
  // The deciding threads hear of the appends of others themselves.
  platform.log.onAppend((workspaceId, end, copy) => copy !== undefined && links.appended(workspaceId, end, copy));
  const logHealth = new LogHealth({ log: platform.log, monotonicMs: () => performance.now() });
  return {
    ...rooms,
    decisions: room,
    lag,
    status,
    logHealth,
    refused: openRefusedRequests(rooms),
    acceptOutcome: (workspace, outcome) => acceptOutcome(rooms, workspace, outcome),
    checks: checksOf({ pool, ...tenancy, logHealth, decider: engines.length === 0 ? undefined : links.condition }),
  };
}

function checksOf(of: {
  readonly pool: Pool;
  readonly registry: Tenancy['registry'];
  readonly logHealth: LogHealth;
  readonly decider: EngineLinks['condition'] | undefined;
}): readonly HealthCheck[] {
  const { pool, registry, logHealth, decider } = of;
  return healthChecks({
    pool,
    workspaces: () => registry.all(),
    staleMs: () => registry.staleMs(),
    storesEvents: () => logHealth.isWell(),
    decider,
  });
}
