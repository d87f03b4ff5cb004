import { randomUUID } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import { type Cidr, noteAnswered } from '@ringfence/delivery';
import type { FastifyInstance } from 'fastify';
import { ClientAddresses } from '../platform/http/client-address.ts';
import { acceptOutcome } from '../outcomes/accept-outcome.ts';
import type { Platform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { deviceKeysPlugin } from './device-key-routes.ts';
import type { IngestDeps } from './ingest-deps.ts';
import { buildIngestServer } from './ingest-server.ts';
import { NetworkSource } from './networks/network-source.ts';
import { RefusedRequests } from './refused-requests.ts';
import { DecidedNotices } from './wait/decided-notices.ts';
import { readConclusions } from './wait/read-conclusions.ts';
import { LiveStatus, type LiveStatusDeps } from './status/live-status.ts';
import type { StatusSource } from './status/read-status.ts';
import { StatusRows } from './status/status-rows.ts';
import { WaitingRoom } from './wait/waiting-room.ts';

/** The data files for IP look-ups; changed files are reloaded while the service runs. */
export function openNetworks({ logger, stages }: Platform, home: string): NetworkSource {
  const networks = new NetworkSource({
    home,
    onChange: (names) => logger.info({ files: names }, 'loaded changed network data files'),
    onError: (error) => logger.error({ err: error }, 'could not load the network data files'),
  });
  networks.start();
  stages.started('network data', () => networks.close());
  return networks;
}

/** The requests that wait for decisions, whichever process decides. */
export function openWaitingRoom({ pool, log, subjects, logger, stages }: Platform & Tenancy): WaitingRoom {
  const decisions: WaitingRoom = new WaitingRoom({
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
    listen: () => notices.start(),
    onError: (error) => logger.warn({ err: error }, 'could not read the decisions that requests wait for'),
  });
  const notices = new DecidedNotices(log.notifications, (notice) => decisions.hear(notice));
  stages.started('decision notices', () => notices.close());
  return decisions;
}

/** What questions for a status are answered from, and where the engine's answers arrive. */
export function openStatus(
  { pool, log, subjects, logger, stages }: Platform & Tenancy,
  engine: LiveStatusDeps['engine'],
): StatusSource & { readonly live: LiveStatus } {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'could not ask for the status of clients');
  const live = new LiveStatus({ pool, notifications: log.notifications, engine, onError });
  stages.started('status', () => live.close());
  return { pool, log, subjects, live, rows: new StatusRows(pool) };
}

/** The refused requests, for people who integrate a bank. */
export function openRefusedRequests({ pool, logger, now, stages }: Platform): RefusedRequests {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'could not store refused requests');
  const refused = new RefusedRequests({ pool, onError, now });
  refused.start();
  stages.started('refused requests', () => refused.close());
  return refused;
}

export interface IngestContext
  extends
    Platform,
    Tenancy,
    Pick<IngestDeps, 'decisions' | 'status' | 'networks' | 'logHealth' | 'metrics' | 'plugins' | 'limits'> {
  readonly refused: RefusedRequests;
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
      plugins: [...context.plugins, deviceKeysPlugin(context.registry)],
    },
    https,
  );
}
