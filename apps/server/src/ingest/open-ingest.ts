import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { randomUUID } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import { type Cidr, noteAnswered } from '@ringfence/delivery';
import type { FastifyInstance } from 'fastify';
import { ClientAddresses } from '../platform/http/client-address.ts';
import { acceptOutcome } from '../outcomes/accept-outcome.ts';
import type { ThreadPlatform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { deviceKeysPlugin } from './device-key-routes.ts';
import type { IngestDeps } from './ingest-deps.ts';
import { buildIngestServer } from './ingest-server.ts';
import { NetworkSource } from './networks/network-source.ts';
import { RefusedRequests } from './refused-requests.ts';
import { type DecidedNotice, hearDecided } from '../records/decided-notice.ts';
import type { IngestCounts } from '../platform/observability/ingest-counts.ts';
import { EngineLag, readPositions } from './lag/engine-lag.ts';
import { readConclusions } from './wait/read-conclusions.ts';
import { LiveStatus, type LiveStatusDeps } from './status/live-status.ts';
import type { StatusSource } from './status/read-status.ts';
import { StatusRows } from './status/status-rows.ts';
import { WaitingRoom } from './wait/waiting-room.ts';

/** The data files for IP look-ups; changed files are reloaded while the service runs. */
export function openNetworks({ logger, stages }: ThreadPlatform, home: string): NetworkSource {
  const networks = new NetworkSource({
    home,
    onChange: (names) => logger.info({ files: names }, 'loaded changed network data files'),
    onError: (error) => logger.error({ err: error }, 'could not load the network data files'),
  });
  networks.start();
  stages.started('network data', () => networks.close());
  return networks;
}

export interface Decisions {
  readonly lag: EngineLag;
  readonly room: WaitingRoom;
  /** A workspace is decided up to here: by this process, which says so immediately, or by another. */
  hear(notice: DecidedNotice): void;
}

type DecisionsContext = ThreadPlatform & Tenancy & { readonly metrics: Pick<IngestCounts, 'pendingForLag'> };

/** How far workspaces are decided, and the requests that wait for decisions, whichever process decides. */
export function openDecisions(context: DecisionsContext): Decisions {
  const { pool, log, clock, subjects, registry, metrics, logger, stages } = context;
  const monotonicMs = (): number => performance.now();
  const lag = new EngineLag({
    read: (workspaceIds) => readPositions({ pool, log }, workspaceIds, clock.read()),
    monotonicMs,
    onError: (error) => logger.warn({ err: error }, 'could not read how far workspaces are decided'),
  });
  const room = new WaitingRoom({
    read: async (workspace, offsets) => {
      const found = await readConclusions({ pool, subjects }, workspace, offsets);
      // From its answer on the bank may hold the payment, even if no webhook is ever attempted.
      const open = [...found.values()].flatMap((conclusion) =>
        conclusion?.hold?.state === 'open' ? conclusion.hold : [],
      );
      await noteAnswered(
        pool,
        open.map(({ webhookId }) => webhookId),
      );
      return found;
    },
    expectedMs: (workspaceId, offset) => lag.expectedMs(workspaceId, offset),
    onHopeless: (workspaceId) => metrics.pendingForLag(workspaceId),
    monotonicMs,
    onError: (error) => logger.warn({ err: error }, 'could not read the decisions that requests wait for'),
  });
  const hear = (notice: DecidedNotice): void => {
    lag.decided(notice);
    room.hear(notice);
  };
  const hearNoMore = hearDecided(log.notifications, hear);
  const grownNoMore = log.onAppend((workspaceId, end) => lag.grown(workspaceId, end));
  void lag.start(registry.all().map(({ id }) => id));
  stages.started('decision notices', () => {
    hearNoMore();
    grownNoMore();
    lag.close();
  });
  return { lag, room, hear };
}

/** What questions for a status are answered from, and where the engine's answers arrive. */
export function openStatus(
  { pool, log, subjects, logger, stages }: ThreadPlatform & Tenancy,
  engine: LiveStatusDeps['engine'],
): StatusSource & { readonly live: LiveStatus } {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'could not ask for the status of clients');
  const live = new LiveStatus({ pool, notifications: log.notifications, engine, onError });
  stages.started('status', () => live.close());
  return { pool, log, subjects, live, rows: new StatusRows(pool) };
}

/** The refused requests, for people who integrate a bank. */
export function openRefusedRequests({ pool, logger, now, stages }: ThreadPlatform): RefusedRequests {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'could not store refused requests');
  const refused = new RefusedRequests({ pool, onError, now });
  refused.start();
  stages.started('refused requests', () => refused.close());
  return refused;
}

export interface IngestContext
  extends
    ThreadPlatform,
    Tenancy,
    Pick<IngestDeps, 'decisions' | 'lag' | 'status' | 'networks' | 'logHealth' | 'metrics' | 'plugins' | 'limits'>,
    Pick<IngestDeps, 'further' | 'isWhole' | 'findMoved'> {
  readonly refused: RefusedRequests;
  /** The workspaces of all databases. */
  readonly byId: (workspaceId: string) => Workspace | undefined;
  readonly trustedProxies: readonly Cidr[];
  /** `undefined`: plain HTTP. */
  readonly https: ServerOptions | undefined;
}

/** The server of the public listener. */
export function openIngest({ trustedProxies, https, ...context }: IngestContext): Promise<FastifyInstance> {
  return buildIngestServer(
    {
      ...context,
      senders: new ClientAddresses(trustedProxies),
      makeRequestId: randomUUID,
      acceptOutcome: (workspace, outcome) => acceptOutcome(context, workspace, outcome),
      plugins: [...context.plugins, deviceKeysPlugin(context)],
    },
    https,
  );
}
