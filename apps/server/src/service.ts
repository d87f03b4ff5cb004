/**
 * The composition root: the only module that knows every room. Rooms are opened in the order of `start` and stopped in
 * reverse.
 */
import type { Worker } from 'node:worker_threads';
import type { EpochMs } from '@ringfence/contract';
import { PostgresOutbox } from '@ringfence/delivery';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Invitation, inviteFirst } from './access/accounts/invitations.ts';
import { OpenIdLogIn } from './access/accounts/open-id.ts';
import { type ApiContext, openApi } from './api/open-api.ts';
import { openBacktest } from './backtest/open-backtest.ts';
import type { Configuration, Listener } from './config/configuration.ts';
import { declareWorkspaces, type Declared } from './config/declare-workspaces.ts';
import { ListenerCertificates } from './config/listener-certificates.ts';
import { checkAddress, ListeningPorts, listenOn } from './config/listening.ts';
import { openConsole } from './console/open-console.ts';
import { consolePlugin } from './console/serve-console.ts';
import type { EngineHosts } from './decide/engine-hosts.ts';
import { readHeldPayments } from './holds/held-payments.ts';
import { countOpenOutcomes } from './outcomes/count-open-outcomes.ts';
import { openHolds } from './holds/open-holds.ts';
import { healthChecks } from './decide/health-checks.ts';
import { openDecide } from './decide/open-decide.ts';
import { readRetentionAge } from './decide/retention/kept-since.ts';
import { openDeliver } from './deliver/open-deliver.ts';
import type { NetworkSource } from './ingest/networks/network-source.ts';
import {
  type IngestContext,
  openDecisions,
  openIngest,
  openRefusedRequests,
  openNetworks,
  openStatus,
} from './ingest/open-ingest.ts';
import { openOutcomes } from './outcomes/open-outcomes.ts';
import { migrations } from './migrations.ts';
import type { Database } from './platform/database/database.ts';
import { readBacklogs } from './platform/observability/backlog.ts';
import { readBlockedDeliveries } from './platform/observability/blocked-deliveries.ts';
import { Health, healthPlugin, sayHealth } from './platform/observability/health.ts';
import { LogHealth } from './platform/observability/log-health.ts';
import { Metrics, metricsPlugin, type ScrapedState } from './platform/observability/metrics.ts';
import { StallDetector } from './platform/observability/stall-detector.ts';
import { openPlatform, type Platform } from './platform/open-platform.ts';
import { type AdminToken, loadAdminToken } from './platform/secrets/admin-token.ts';
import { MasterKeys } from './platform/secrets/master-keys.ts';
import { Stages } from './platform/stages.ts';
import { openTenancy, type Tenancy } from './tenancy/open-tenancy.ts';
import { webhookCertificatesLeft } from './tenancy/workspaces/webhook-certificate-expiry.ts';

export interface Service {
  /** The bound address of the ingest listener, without a trailing slash. */
  readonly listenUrl: string;
  readonly managementUrl: string;
  /** The origin at which people open the console, without a trailing slash. */
  readonly consoleOrigin: string;
  readonly adminToken: AdminToken;
  readonly database: Pick<Database, 'kind' | 'where'>;
  /** What this start created, including keys that are shown only once. */
  readonly made: Made;
  /** Resolves when every workspace has caught up, here or in another process. */
  ready(): Promise<void>;
  /** From now on `/readyz` answers 503; everything else keeps working. */
  announceStop(): void;
  /** Stops accepting work, finishes what was accepted, writes the last checkpoints and releases all resources. */
  stop(): Promise<void>;
}

interface Made extends Declared {
  /** `undefined` when the console already has an account, or when only the OpenID provider admits people. */
  readonly administrator: Invitation | undefined;
}

export interface ServiceOptions {
  readonly configuration: Configuration;
  readonly logger: Logger;
  /**
   * Loaded threads; they end with the service. None: this process only accepts events, and other processes on the same
   * database decide and send.
   */
  readonly engineThreads: readonly Worker[];
  /** Aborts the start, until something was created that has to be shown once. */
  readonly stop?: AbortSignal;
  /** A part failed in a way that only a restart of the process can repair. */
  readonly onCrash: (error: Error) => void;
}

const readyPollMs = 20;
/**
 * How often readiness is checked for the log, even without requests to `/readyz`: an outage and its end are logged.
 */
const lookMs = 1_000;
const cutMessage =
  'stopping takes too long: the database may not answer, or another session may hold a lock on its tables; the remaining parts are killed, and nothing that was acknowledged is lost';
const stallMessage =
  'this process stalled: it was suspended, or the machine had no CPU time for it; work that the database gave up meanwhile is redone';
const now = (): EpochMs => Date.now() as EpochMs;
const monotonicMs = (): number => performance.now();

/**
 * @throws OperatorError for everything that the operator can fix, or `stop.reason`; what was started is stopped again
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const stages = new Stages();
  // The engine hosts stop the threads; this terminates those that were loaded but never begun.
  stages.started('engine threads', async () => {
    await Promise.all(options.engineThreads.map((thread) => thread.terminate()));
  });
  try {
    return await start(options, stages);
  } catch (error) {
    await stopAll(stages, options.logger);
    throw error;
  }
}

function stopAll(stages: Stages, logger: Logger): Promise<void> {
  return stages.stop({
    onError: (part, error) => logger.error({ part, err: error }, 'a part did not stop cleanly'),
    onCut: (part) => logger.warn({ part }, cutMessage),
  });
}

async function start(options: ServiceOptions, stages: Stages): Promise<Service> {
  const { configuration, logger, engineThreads, stop } = options;
  const { home, databaseUrl, allowPrivateWebhooks } = configuration;
  for (const name of ['listen', 'management'] as const) await checkAddress(configuration[name], name);
  const master = MasterKeys.load({ home, fromEnvironment: configuration.masterKey });
  const admin = loadAdminToken(home, configuration.adminToken);
  const certificates = new ListenerCertificates({ configuration, logger, now });
  stages.started('certificates', () => certificates.close());

  const platform = await openPlatform({ migrations, databaseUrl, home, master, logger, now, stages, stop });
  const declared = await declareWorkspaces({ ...platform, configuration, allowPrivateWebhooks });
  const tenancy = await openTenancy(platform);
  const administrator = await inviteAdministrator(platform, configuration);
  const networks = openNetworks(platform, home);
  const outbox = new PostgresOutbox(platform.pool, platform.log.notifications);
  const metrics = new Metrics(() => readGauges({ ...platform, ...tenancy, networks, outbox, certificates }));
  const rooms = { ...platform, ...tenancy, outbox, metrics, allowPrivateWebhooks };
  const decisions = openDecisions(rooms);
  const ports = new ListeningPorts();
  const sends = engineThreads.length > 0;
  const dispatcher = openDeliver({ ...rooms, ownPorts: () => ports.bound, sends });
  let decider: EngineHosts | undefined;
  const status = openStatus(rooms, () => decider);
  if (sends) {
    decider = openDecide({
      ...rooms,
      threads: engineThreads,
      residentBytesMax: configuration.entityMemoryMiB * 2 ** 20,
      onDecided: (notice) => decisions.hear(notice),
      onStatus: (answers) => status.live.hear(answers),
      onActionsDue: () => dispatcher.wake(),
      onCrash: options.onCrash,
    });
    openConsole(rooms);
    openOutcomes(rooms);
    openHolds(rooms);
  }
  const logHealth = new LogHealth({ log: platform.log, monotonicMs });
  const health = new Health({
    checks: healthChecks({ ...rooms, logHealth, decider }),
    monotonicMs,
    onChange: sayHealth(logger),
  });
  const refused = openRefusedRequests(rooms);
  const backtest = openBacktest(rooms);
  const { lag, room } = decisions;
  const upper = { ...rooms, refused, ...backtest, dispatcher, admin, lag, status, networks, logHealth, health };
  const urls = await listen({ ...upper, decisions: room, configuration, certificates, ports });
  watch({ stages, logger, health });
  // Stopped first: pending webhooks get as long to answer as requests of the listeners, at the same time.
  stages.started('leases', () => dispatcher.windDown());

  const isReady = (): boolean => decider?.isReady(tenancy.registry.all().map(({ id }) => id)) ?? true;
  return {
    ...urls,
    consoleOrigin: configuration.console.origin ?? urls.managementUrl,
    adminToken: admin,
    database: platform.database,
    made: { ...declared, administrator },
    ready: async () => {
      while (!isReady()) {
        await new Promise((resolve) => setTimeout(resolve, readyPollMs));
      }
    },
    announceStop: () => health.stop(),
    stop: () => stopAll(stages, logger),
  };
}

async function inviteAdministrator({ pool }: Platform, { console }: Configuration): Promise<Invitation | undefined> {
  return console.openId?.only === true ? undefined : inviteFirst(pool, now());
}

interface GaugeContext extends Platform, Tenancy {
  readonly networks: NetworkSource;
  readonly outbox: PostgresOutbox;
  readonly certificates: ListenerCertificates;
}

async function readGauges(context: GaugeContext): Promise<ScrapedState> {
  const { pool, log, clock, registry, networks, outbox, certificates } = context;
  return {
    workspaces: await readBacklogs(pool, log, clock.read()),
    deliveries: await outbox.queued(),
    heldBack: await readBlockedDeliveries(pool, outbox),
    holds: await readHeldPayments(pool, clock.read()),
    outcomes: await countOpenOutcomes(pool),
    registryAgeMs: registry.staleMs(),
    retentionAgeMs: await readRetentionAge(pool, now()),
    networkDataAgeMs: now() - networks.oldestDataAtMs,
    clockAheadMs: clock.machineAheadMs,
    certificatesLeft: [...certificates.left(), ...webhookCertificatesLeft(registry.all(), now())],
  };
}

interface ListenContext
  extends
    Omit<ApiContext, 'consoleOrigin' | 'openId' | 'eventsUrl' | 'trustedProxies' | 'plugins' | 'https'>,
    Omit<IngestContext, 'limits' | 'trustedProxies' | 'plugins' | 'https'> {
  readonly configuration: Configuration;
  readonly certificates: ListenerCertificates;
  readonly ports: ListeningPorts;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Opens both listeners, management first, so that monitoring works when ingest opens. */
async function listen(context: ListenContext): Promise<Pick<Service, 'listenUrl' | 'managementUrl'>> {
  const { configuration, certificates, ports, health, stages } = context;
  const { listen: ingest, management, console } = configuration;
  const open = (name: 'ingest' | 'management', app: FastifyInstance, listener: Listener): Promise<string> => {
    const configured = name === 'ingest' ? 'listen' : 'management';
    certificates.follow(configured, app.server);
    stages.started(`${name} listener`, () => app.close());
    return listenOn(app, listener, { name: configured, ports });
  };
  let listenUrl: string | undefined;
  const api = await openApi({
    ...context,
    consoleOrigin: console.origin,
    openId: openIdOf(console, context.master),
    eventsUrl: () => listenUrl,
    trustedProxies: management.trustedProxies,
    plugins: [healthPlugin(health), metricsPlugin(context.metrics), consolePlugin()],
    https: certificates.contextOf('management'),
  });
  const managementUrl = await open('management', api, management);
  const app = await openIngest({
    ...context,
    limits: ingest.limits,
    trustedProxies: ingest.trustedProxies,
    plugins: [healthPlugin(health)],
    https: certificates.contextOf('listen'),
  });
  listenUrl = await open('ingest', app, ingest);
  return { managementUrl, listenUrl };
}

function openIdOf({ origin, openId }: Configuration['console'], master: MasterKeys): OpenIdLogIn | undefined {
  if (origin === undefined || openId === undefined) return undefined;
  return new OpenIdLogIn({ settings: openId, origin, master });
}

/** Logs outages and stalls of the process. */
function watch({ stages, logger, health }: Pick<Platform, 'stages' | 'logger'> & { readonly health: Health }): void {
  const looking = setInterval(() => void health.readiness(), lookMs);
  stages.started('readiness', () => {
    health.stop();
    clearInterval(looking);
  });
  const stalls = new StallDetector({ monotonicMs, onStall: (stalledMs) => logger.warn({ stalledMs }, stallMessage) });
  stalls.start();
  stages.started('stall detector', () => stalls.close());
}
