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
import { depsOfAll } from './server/deps-of-all.ts';
import { StoredEvents } from './events/stored-events.ts';
import type { ManagementDeps } from './server/management-deps.ts';
import { buildManagement } from './server/management-server.ts';

/** What the API reaches of each database. */
export interface ApiCell extends Platform, Tenancy, Backtest {
  readonly refused: RefusedRequests;
  readonly outbox: PostgresOutbox;
  readonly dispatcher: Pick<Dispatcher, 'sendTest'>;
  readonly notify: Notify;
}

export interface ApiContext
  extends
    ApiCell,
    Pick<
      ManagementDeps,
      'allowPrivateWebhooks' | 'admin' | 'connectionsMax' | 'consoleOrigin' | 'openId' | 'eventsUrl' | 'plugins'
    > {
  readonly metrics: Pick<Metrics, 'logInFailed' | 'managementConnectionRefused'>;
  /** The databases that are open, the home database first. */
  readonly cells: { all(): readonly ApiCell[] };
  /** The names of the further databases. */
  readonly databases: readonly string[];
  readonly trustedProxies: readonly Cidr[];
  /** `undefined`: plain HTTP. */
  readonly https: ServerOptions | undefined;
}

/** The server of the management API. */
export function openApi(context: ApiContext): Promise<FastifyInstance> {
  const { pool, master, logger, now, cells } = context;
  const policyWorkers = new PolicyWorkers({ logger });
  context.stages.started('policy workers', () => policyWorkers.stop());
  const shared = {
    allowPrivateWebhooks: context.allowPrivateWebhooks,
    admin: context.admin,
    logIns: new LogIns({ pool, master, now, onFailed: failedLogIn(context) }),
    consoleOrigin: context.consoleOrigin,
    openId: context.openId,
    eventsUrl: context.eventsUrl,
    senders: new ClientAddresses(context.trustedProxies),
    connectionsMax: context.connectionsMax,
    connectionRefused: () => context.metrics.managementConnectionRefused(),
    policyWorkers,
    plugins: context.plugins,
  };
  const opened = new Map<ApiCell, ManagementDeps>();
  const depsOf = (cell: ApiCell): ManagementDeps => {
    const known = opened.get(cell) ?? { ...shared, ...ownDeps(cell) };
    opened.set(cell, known);
    return known;
  };
  const all = (): readonly ManagementDeps[] => cells.all().map(depsOf);
  const home = depsOf(cells.all()[0]!);
  const deps = context.databases.length === 0 ? home : depsOfAll(home, { all, databases: context.databases });
  return buildManagement(deps, context.https);
}

/** What the routes of one database's workspaces are answered from. */
function ownDeps(cell: ApiCell): Omit<ManagementDeps, keyof SharedDeps> {
  const { pool, log, clock, registry, subjects, outbox, logger } = cell;
  return {
    cell: cell.cell,
    pool,
    master: cell.master,
    log,
    registry,
    subjects,
    deliveries: outbox,
    events: new StoredEvents(pool, log, subjects),
    liveStatus: openLiveStatus(cell),
    refused: cell.refused,
    now: cell.now,
    logNow: clock.read,
    logger,
    sendTest: (workspace) => cell.dispatcher.sendTest(workspace),
    notify: cell.notify,
    backtests: cell.backtests,
    inquiries: cell.queries,
    live: new SseHub({
      pool,
      notifications: log.notifications,
      onError: (error) => logger.warn({ err: error }, 'could not send live updates to open pages'),
    }),
    backlogs: () => readBacklogs(pool, log, clock.read()),
    queued: async () => shownCounts(await outbox.queued()),
  };
}

/** Members that do not depend on the database. */
type SharedDeps = Pick<
  ManagementDeps,
  | 'allowPrivateWebhooks'
  | 'admin'
  | 'logIns'
  | 'consoleOrigin'
  | 'openId'
  | 'eventsUrl'
  | 'senders'
  | 'connectionsMax'
  | 'connectionRefused'
  | 'policyWorkers'
  | 'plugins'
  | 'cells'
>;

/** Each failed log-in is a line of the log and a count: the limits bound both. */
function failedLogIn({ metrics, logger }: Pick<ApiContext, 'metrics' | 'logger'>) {
  return (why: LogInFailure, address: string): void => {
    metrics.logInFailed(why);
    logger.warn({ why, address }, 'a log-in failed');
  };
}

/** This thread has no engine: it asks by notifications, as another process would. */
function openLiveStatus({ pool, log, logger, stages }: ApiCell): LiveStatus {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'could not ask for the status of clients');
  const live = new LiveStatus({ pool, notifications: log.notifications, engine: () => undefined, onError });
  stages.started('status of clients', () => live.close());
  return live;
}
