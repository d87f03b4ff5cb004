/**
 * The composition root: the only module that knows every room. Rooms are opened in the order of `start` and stopped in
 * reverse.
 */
import { Server as TlsServer } from 'node:tls';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { EpochMs } from '@ringfence/contract';
import { PostgresOutbox } from '@ringfence/delivery';
import type { Logger } from 'pino';
import { type Invitation, inviteFirst } from './access/accounts/invitations.ts';
import { readUnsent } from './access/audit/syslog/sent-entries.ts';
import { openSyslog } from './access/audit/syslog/syslog-sender.ts';
import { OpenIdLogIn } from './access/accounts/open-id.ts';
import { type ApiContext, openApi } from './api/open-api.ts';
import { openBacktest } from './backtest/open-backtest.ts';
import { type Configuration, masterKeySource } from './config/configuration.ts';
import { declareWorkspaces, type Declared } from './config/declare-workspaces.ts';
import { ListenerCertificates } from './config/listener-certificates.ts';
import { checkAddress, listenInThreads, ListeningPorts, listenOn } from './config/listening.ts';
import { refuseUnaskedDatabase } from './config/new-database.ts';
import { openConsole } from './console/open-console.ts';
import { consolePlugin } from './console/serve-console.ts';
import type { EngineHosts } from './decide/engine-hosts.ts';
import { readNewestDrift } from './decide/model-days.ts';
import { readHeldPayments } from './holds/held-payments.ts';
import { countOpenOutcomes } from './outcomes/count-open-outcomes.ts';
import { openHolds } from './holds/open-holds.ts';
import { healthChecks } from './decide/health-checks.ts';
import { openDecide } from './decide/open-decide.ts';
import { readRetentionAge } from './decide/retention/kept-since.ts';
import { openDeliver } from './deliver/open-deliver.ts';
import { ownListeners } from './deliver/transport/own-listeners.ts';
import { systemResolver } from './deliver/transport/resolve-host.ts';
import { ingestLimits } from './ingest/ingest-deps.ts';
import { IngestThreads } from './ingest/ingest-threads.ts';
import { RefusedRequests } from './ingest/refused-requests.ts';
import { openOutcomes } from './outcomes/open-outcomes.ts';
import { migrations } from './migrations.ts';
import { countNotifications } from './notifications/notification-outbox.ts';
import { openNotify } from './notify/open-notify.ts';
import type { Database } from './platform/database/database.ts';
import { embeddedInProduction, isEmbeddedInProduction } from './platform/database/embedded/in-production.ts';
import { StorageReader } from './platform/database/storage-size.ts';
import { type ConnectionsMax, connectionsWithin, openFilesMax } from './platform/http/open-files.ts';
import { readBacklogs } from './platform/observability/backlog.ts';
import { readBlockedDeliveries } from './platform/observability/blocked-deliveries.ts';
import { Health, healthPlugin, sayHealth } from './platform/observability/health.ts';
import { Metrics, metricsPlugin } from './platform/observability/metrics.ts';
import { orAway } from './platform/observability/or-away.ts';
import { readLostDeliveries } from './platform/observability/lost-deliveries.ts';
import { readPoolUse } from './platform/observability/pool-use.ts';
import type { DatabaseState, ScrapedState, ThreadsState } from './platform/observability/scraped-gauges.ts';
import { StallDetector } from './platform/observability/stall-detector.ts';
import { openPolicies } from './policies/open-policies.ts';
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
  /** Whether its threads that take events are alive, whatever else fails: a restart helps only if one is not. */
  answers(): Promise<boolean>;
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
  /** Loaded threads, at least one; they end with the service. */
  readonly ingestThreads: readonly Worker[];
  /**
   * The same for those that decide. None: this process only accepts events, and other processes on the same database
   * decide and send.
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
const noneUnsent = { waiting: 0, oldestMs: 0 };
const now = (): EpochMs => Date.now() as EpochMs;
const monotonicMs = (): number => performance.now();

/**
 * @throws OperatorError for everything that the operator can fix, or `stop.reason`; what was started is stopped again
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const stages = new Stages();
  // Their rooms stop the threads; this terminates those that were loaded but never begun.
  stages.started('threads', async () => {
    await Promise.all([...options.ingestThreads, ...options.engineThreads].map((thread) => thread.terminate()));
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
  const { configuration, logger, engineThreads, ingestThreads, onCrash, stop } = options;
  const { home, databaseUrl, allowPrivateWebhooks, mail } = configuration;
  for (const name of ['listen', 'management'] as const) await checkAddress(configuration[name], name);
  await refuseUnaskedDatabase(configuration);
  const master = MasterKeys.load(masterKeySource(configuration));
  const admin = loadAdminToken(home, configuration.adminToken);
  const certificates = new ListenerCertificates({ configuration, logger, now });
  stages.started('certificates', () => certificates.close());

  const platform = await openPlatform({ migrations, databaseUrl, home, master, logger, now, stages, stop });
  const declared = await declareWorkspaces({ ...platform, configuration, allowPrivateWebhooks });
  const ingest = new IngestThreads({ threads: ingestThreads, logger, onCrash });
  const tenancy = await openTenancy(platform, () => ingest.refresh());
  warnOfEmbedded({ ...platform, ...tenancy });
  const administrator = await inviteAdministrator(platform, configuration);
  const outbox = new PostgresOutbox(platform.pool, platform.log.notifications);
  const isEmbedded = platform.database.kind === 'embedded';
  const storage = new StorageReader({ pool: platform.pool, home: isEmbedded ? home : undefined, monotonicMs });
  const metrics = new Metrics({
    scrape: () => readGauges({ ...platform, ...tenancy, configuration, ingest, outbox, certificates, storage }),
    ingest: () => ingest.ask('counts'),
    monotonicMs,
  });
  const rooms = { ...platform, ...tenancy, outbox, metrics, allowPrivateWebhooks };
  const ports = new ListeningPorts();
  const sends = engineThreads.length > 0;
  const rules = { allow: allowPrivateWebhooks, isOwn: ownListeners(() => ports.bound), resolve: systemResolver() };
  const dispatcher = openDeliver({ ...rooms, rules, sends });
  const links = linksBetween(ingestThreads.length, engineThreads.length);
  let decider: EngineHosts | undefined;
  if (sends) {
    decider = openDecide({
      ...rooms,
      threads: engineThreads,
      ingest: links.ofEngines,
      residentBytesMax: configuration.entityMemoryMiB * 2 ** 20,
      weights: configuration.shares,
      onActionsDue: () => dispatcher.wake(),
      onCrash,
    });
    openConsole(rooms);
    openOutcomes(rooms);
    openDecisions(rooms);
    openSyslog({ ...rooms, settings: configuration.syslog, onFailure: () => metrics.auditSendFailed() });
  }
  const notify = openNotify({ ...rooms, rules, mail, consoleOrigin: configuration.console.origin, sends });
  const connections = connectionsOf(ingestThreads.length);
  beginIngest({ ...rooms, configuration, connections, ingest, certificates }, links.ofIngest);
  const health = openHealth({ ...rooms, ingest, decider });
  const backtest = openBacktest({ ...rooms, sends });
  const upper = { ...rooms, ...backtest, refused: readRefused(platform), dispatcher, notify, admin, ingest, health };
  const urls = await listen({ ...upper, connectionsMax: connections.management, configuration, certificates, ports });
  watch({ stages, logger, health });
  // Stopped first: pending webhooks get as long to answer as requests of the listeners, at the same time.
  stages.started('leases', () => dispatcher.windDown());

  const isReady = (): boolean => decider?.condition.isReady(tenancy.registry.all().map(({ id }) => id)) ?? true;
  return {
    ...urls,
    consoleOrigin: configuration.console.origin ?? urls.managementUrl,
    adminToken: admin,
    database: platform.database,
    made: { ...declared, administrator },
    ready: () => until(isReady),
    answers: () => doAnswer(ingest),
    announceStop: () => {
      health.stop();
      ingest.announceStop();
    },
    stop: () => stopAll(stages, logger),
  };
}

/** What sends or ends the decisions of people. */
function openDecisions(rooms: Parameters<typeof openHolds>[0] & Parameters<typeof openPolicies>[0]): void {
  openHolds(rooms);
  openPolicies(rooms);
}

async function until(isReady: () => boolean): Promise<void> {
  while (!isReady()) {
    await new Promise((resolve) => setTimeout(resolve, readyPollMs));
  }
}

function warnOfEmbedded({ database, registry, logger }: Platform & Tenancy): void {
  if (!isEmbeddedInProduction(database.kind, registry.all())) return;
  logger.warn({ mend: embeddedInProduction.mend }, embeddedInProduction.detail);
}

/** What the listeners may have open under this process's limit of files. */
function connectionsOf(threads: number): ConnectionsMax {
  return connectionsWithin(openFilesMax(), { ingest: ingestLimits.connectionsMax, threads });
}

interface HealthContext extends Platform, Tenancy {
  readonly ingest: IngestThreads;
  readonly decider: EngineHosts | undefined;
}

function openHealth(context: HealthContext): Health {
  const { pool, registry, logger, ingest, decider } = context;
  const checks = healthChecks({
    pool,
    workspaces: () => registry.all(),
    staleMs: () => staleMs(context, ingest),
    storesEvents: async () => (await ingest.ask('storesEvents')).every(Boolean),
    decider: decider?.condition,
  });
  return new Health({ checks, monotonicMs, onChange: sayHealth(logger) });
}

interface IngestContext extends Platform {
  readonly configuration: Configuration;
  readonly connections: ConnectionsMax;
  readonly ingest: IngestThreads;
  readonly certificates: ListenerCertificates;
}

function beginIngest(context: IngestContext, engines: readonly MessagePort[][]): void {
  const { configuration, connections, ingest, certificates, database, master, stages } = context;
  const { limits, trustedProxies } = configuration.listen;
  const tls = certificates.contextOf('listen');
  const settings = { database: database.connection, master: master.source, home: configuration.home };
  const { ingest: connectionsMax } = connections;
  ingest.begin({ ...settings, limits: { ...limits, connectionsMax }, trustedProxies, tls }, engines);
  stages.started(
    'ingest threads',
    () => ingest.stop(),
    () => ingest.cut(),
  );
}

/** A channel between each thread that takes events and each that decides: the ports of each. */
function linksBetween(
  ingestThreads: number,
  engineThreads: number,
): { readonly ofIngest: readonly MessagePort[][]; readonly ofEngines: readonly MessagePort[][] } {
  const ofIngest: MessagePort[][] = Array.from({ length: ingestThreads }, () => []);
  const ofEngines: MessagePort[][] = Array.from({ length: engineThreads }, () => []);
  for (const ingest of ofIngest) {
    for (const engine of ofEngines) {
      const { port1, port2 } = new MessageChannel();
      ingest.push(port1);
      engine.push(port2);
    }
  }
  return { ofIngest, ofEngines };
}

/** Milliseconds since every thread had current data on all workspaces and keys. */
async function staleMs({ registry }: Tenancy, ingest: IngestThreads): Promise<number> {
  return Math.max(registry.staleMs(), ...(await ingest.ask('registryAgeMs')));
}

function doAnswer(ingest: IngestThreads): Promise<boolean> {
  return ingest.ask('registryAgeMs').then(
    () => true,
    () => false,
  );
}

/** What the threads that take events refused, for people who integrate a bank. */
function readRefused({ pool, logger }: Platform): RefusedRequests {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'could not read refused requests');
  return new RefusedRequests({ pool, onError, now });
}

async function inviteAdministrator({ pool }: Platform, { console }: Configuration): Promise<Invitation | undefined> {
  return console.openId?.only === true ? undefined : inviteFirst(pool, now());
}

interface GaugeContext extends Platform, Tenancy {
  readonly configuration: Configuration;
  readonly ingest: IngestThreads;
  readonly outbox: PostgresOutbox;
  readonly certificates: ListenerCertificates;
  readonly storage: StorageReader;
}

/** Each source by itself: what the others say does not go missing with it. */
async function readGauges(context: GaugeContext): Promise<ScrapedState> {
  const { pool, clock, registry, certificates, storage } = context;
  const sources = [orAway(readDatabase(context)), orAway(storage.read()), orAway(readThreads(context))] as const;
  const [database, size, threads] = await Promise.all(sources);
  return {
    database,
    storage: size,
    threads,
    pool: readPoolUse(pool),
    clockAheadMs: clock.machineAheadMs,
    certificatesLeft: [...certificates.left(), ...webhookCertificatesLeft(registry.all(), now())],
  };
}

async function readDatabase({ configuration, pool, log, clock, outbox }: GaugeContext): Promise<DatabaseState> {
  const workspaces = await readBacklogs(pool, log, clock.read());
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
    unsentAudit: configuration.syslog === undefined ? noneUnsent : await readUnsent(pool, now()),
  };
}

async function readThreads(context: GaugeContext): Promise<ThreadsState> {
  const { ingest } = context;
  return {
    registryAgeMs: await staleMs(context, ingest),
    networkDataAgeMs: now() - Math.min(...(await ingest.ask('networkDataAtMs'))),
  };
}

interface ListenContext extends Omit<
  ApiContext,
  'consoleOrigin' | 'openId' | 'eventsUrl' | 'trustedProxies' | 'plugins' | 'https'
> {
  readonly configuration: Configuration;
  readonly certificates: ListenerCertificates;
  readonly ports: ListeningPorts;
  readonly ingest: IngestThreads;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Opens both listeners, management first, so that monitoring works when ingest opens. */
async function listen(context: ListenContext): Promise<Pick<Service, 'listenUrl' | 'managementUrl'>> {
  const { configuration, certificates, ports, ingest, health, stages } = context;
  const { listen: listener, management, console } = configuration;
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
  if (api.server instanceof TlsServer) certificates.follow('management', api.server);
  stages.started('management listener', () => api.close());
  const managementUrl = await listenOn(api, management, { name: 'management', ports });
  certificates.follow('listen', ingest);
  // Before the management listener, which may wait for long answers.
  stages.started('ingest listener', () => ingest.stop());
  listenUrl = await listenInThreads((at) => ingest.listen(at), listener, { name: 'listen', ports });
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
