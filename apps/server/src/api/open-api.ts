import type { ServerOptions } from 'node:https';
import { type Cidr, type PostgresOutbox, shownCounts } from '@ringfence/delivery';
import type { FastifyInstance } from 'fastify';
import { LogIns } from '../access/accounts/log-ins.ts';
import type { Backtest } from '../backtest/open-backtest.ts';
import { SseHub } from '../console/live/sse-hub.ts';
import type { Dispatcher } from '../deliver/dispatcher.ts';
import type { Notify } from '../notify/open-notify.ts';
import { LiveStatus } from '../ingest/status/live-status.ts';
import type { RefusedRequests } from '../ingest/refused-requests.ts';
import { PolicyWorkers } from '../policies/policy-workers.ts';
import { ClientAddresses } from '../platform/http/client-address.ts';
import { readBacklogs } from '../platform/observability/backlog.ts';
import type { LogInFailure, Metrics } from '../platform/observability/metrics.ts';
import type { Platform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { StoredEvents } from './events/stored-events.ts';
import type { ManagementDeps } from './server/management-deps.ts';
import { buildManagement } from './server/management-server.ts';

export interface ApiContext
  extends
    Platform,
    Tenancy,
    Backtest,
    Pick<
      ManagementDeps,
      'allowPrivateWebhooks' | 'admin' | 'connectionsMax' | 'consoleOrigin' | 'openId' | 'eventsUrl' | 'plugins'
    > {
  readonly refused: RefusedRequests;
  readonly metrics: Pick<Metrics, 'logInFailed' | 'managementConnectionRefused'>;
  readonly outbox: PostgresOutbox;
  readonly dispatcher: Pick<Dispatcher, 'sendTest'>;
  readonly notify: Notify;
  readonly trustedProxies: readonly Cidr[];
  /** `undefined`: plain HTTP. */
  readonly https: ServerOptions | undefined;
}

/** The server of the management API. */
export function openApi(context: ApiContext): Promise<FastifyInstance> {
  const { pool, master, log, clock, registry, subjects, outbox, logger, now } = context;
  const policyWorkers = new PolicyWorkers({ logger });
  context.stages.started('policy workers', () => policyWorkers.stop());
  const deps: ManagementDeps = {
    pool,
    master,
    log,
    allowPrivateWebhooks: context.allowPrivateWebhooks,
    registry,
    subjects,
    deliveries: outbox,
    events: new StoredEvents(pool, log, subjects),
    liveStatus: openLiveStatus(context),
    refused: context.refused,
    admin: context.admin,
    logIns: new LogIns({ pool, master, now, onFailed: failedLogIn(context) }),
    consoleOrigin: context.consoleOrigin,
    openId: context.openId,
    eventsUrl: context.eventsUrl,
    senders: new ClientAddresses(context.trustedProxies),
    connectionsMax: context.connectionsMax,
    connectionRefused: () => context.metrics.managementConnectionRefused(),
    now,
    logNow: clock.read,
    logger,
    sendTest: (workspace) => context.dispatcher.sendTest(workspace),
    notify: context.notify,
    backtests: context.backtests,
    policyWorkers,
    inquiries: context.queries,
    live: new SseHub({
      pool,
      notifications: log.notifications,
      onError: (error) => logger.warn({ err: error }, 'could not send live updates to open pages'),
    }),
    backlogs: () => readBacklogs(pool, log, clock.read()),
    queued: async () => shownCounts(await outbox.queued()),
    plugins: context.plugins,
  };
  return buildManagement(deps, context.https);
}

/** Each failed log-in is a line of the log and a count: the limits bound both. */
function failedLogIn({ metrics, logger }: Pick<ApiContext, 'metrics' | 'logger'>) {
  return (why: LogInFailure, address: string): void => {
    metrics.logInFailed(why);
    logger.warn({ why, address }, 'a log-in failed');
  };
}

/** This thread has no engine: it asks by notifications, as another process would. */
function openLiveStatus({ pool, log, logger, stages }: ApiContext): LiveStatus {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'could not ask for the status of clients');
  const live = new LiveStatus({ pool, notifications: log.notifications, engine: () => undefined, onError });
  stages.started('status of clients', () => live.close());
  return live;
}
