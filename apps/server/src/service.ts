/**
 * The composition root: the only module that knows every part. Parts start in dependency order and stop in reverse.
 *
 *   secrets -> database -> migrations -> log -> workspaces -> dispatcher -> engine host -> management -> ingest
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { EpochMs } from '@ringfence/contract';
import { PostgresOutbox } from '@ringfence/delivery';
import { LogClock, PostgresLog } from '@ringfence/log';
import type { Logger } from 'pino';
import { type Invitation, inviteFirst } from './access/accounts/invitations.ts';
import { OpenIdLogIn } from './access/accounts/open-id.ts';
import { LogIns } from './access/accounts/log-ins.ts';
import { openAlerts } from './console/alerts/open-alerts.ts';
import { Backtests } from './backtest/backtests/backtests.ts';
import { Queries } from './backtest/queries/queries.ts';
import type { Configuration } from './config/configuration.ts';
import { ConsoleFeed } from './console/feed/console-feed.ts';
import { SseHub } from './console/live/sse-hub.ts';
import { consolePlugin } from './console/serve-console.ts';
import { declareWorkspaces, type Declared } from './config/declare-workspaces.ts';
import { type Database, openDatabase } from './platform/database/database.ts';
import { migrate, unknownMigrations } from './platform/database/migrate.ts';
import { migrations } from './migrations.ts';
import { clockBy } from './deliver/clock.ts';
import { Dispatcher } from './deliver/dispatcher.ts';
import { ownListeners } from './deliver/transport/own-listeners.ts';
import { systemResolver } from './deliver/transport/resolve-host.ts';
import { WebhookTransport } from './deliver/transport/webhook-transport.ts';
import { ChannelSightings } from './ingest/channel-sightings.ts';
import { deviceKeysPlugin } from './ingest/device-key-routes.ts';
import { buildIngestServer } from './ingest/ingest-server.ts';
import { RefusedRequests } from './ingest/refused-requests.ts';
import { healthChecks } from './decide/health-checks.ts';
import { followLog } from './decide/follow-log.ts';
import { EngineHost } from './decide/engine-host.ts';
import { ListenerCertificates } from './config/listener-certificates.ts';
import { ClientAddresses } from './platform/http/client-address.ts';
import { checkAddress, ListeningPorts, listenOn } from './config/listening.ts';
import { buildManagement } from './api/server/management-server.ts';
import { StoredEvents } from './api/events/stored-events.ts';
import { NetworkSource } from './ingest/networks/network-source.ts';
import { readBlockedDeliveries } from './platform/observability/blocked-deliveries.ts';
import { readBacklogs } from './platform/observability/backlog.ts';
import { Health, healthPlugin, sayHealth } from './platform/observability/health.ts';
import { LogHealth } from './platform/observability/log-health.ts';
import type { RepeatedLines } from './platform/observability/repeated-lines.ts';
import { Metrics, metricsPlugin } from './platform/observability/metrics.ts';
import { StallDetector } from './platform/observability/stall-detector.ts';
import { readRetentionAge } from './decide/retention/kept-since.ts';
import { type AdminToken, loadAdminToken } from './platform/secrets/admin-token.ts';
import { MasterKeys } from './platform/secrets/master-keys.ts';
import { verifyMasterKeys } from './platform/secrets/sealing-key.ts';
import { webhookCertificatesLeft } from './tenancy/workspaces/webhook-certificate-expiry.ts';
import { release } from './platform/release.ts';
import { Stages } from './platform/stages.ts';
import { eraseClient } from './tenancy/subjects/erase-client.ts';
import { PostgresSubjectKeys } from './tenancy/subjects/postgres-subject-keys.ts';
import { DecidedNotices } from './ingest/wait/decided-notices.ts';
import { readConclusions } from './ingest/wait/read-conclusions.ts';
import { WaitingRoom } from './ingest/wait/waiting-room.ts';
import { PostgresWorkspaceRegistry } from './tenancy/workspaces/postgres-registry.ts';

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
  /** Belongs to `logger`. */
  readonly repeats: Pick<RepeatedLines, 'endOutage'>;
  /**
   * A loaded thread; ends with the service. `undefined`: this process only accepts events, and other processes on the
   * same database decide and send.
   */
  readonly engineThread: Worker | undefined;
  /** Aborts the start, until something was created that has to be shown once. */
  readonly stop?: AbortSignal;
  /** A part failed in a way that only a restart of the process can repair. */
  readonly onCrash: (error: Error) => void;
}

const readyPollMs = 20;
/**
 * How often readiness is checked for the log, even when nobody requests `/readyz`: an outage and its end are logged.
 */
const lookMs = 1_000;
const cutMessage =
  'stopping takes too long: the database may not answer, or another session may hold a lock on its tables; the remaining parts are killed, and nothing that was acknowledged is lost';
const stallMessage =
  'this process stalled: it was suspended, or the machine had no CPU time for it; work that the database gave up meanwhile is redone';
const newerMessage =
  'a newer release has changed the database; this release keeps running until a newer one shuts it out';
const now = (): EpochMs => Date.now() as EpochMs;

/**
 * @throws OperatorError for everything that the operator can fix, or `stop.reason`; what was started is stopped again
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const stages = new Stages();
  // The engine host stops the thread; this terminates one that was loaded but never begun.
  stages.started('engine thread', async () => void (await options.engineThread?.terminate()));
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
  const { configuration, logger } = options;
  for (const name of ['listen', 'management'] as const) await checkAddress(configuration[name], name);
  const master = MasterKeys.load({ home: configuration.home, fromEnvironment: configuration.masterKey });
  const adminToken = loadAdminToken(configuration.home, configuration.adminToken);
  const certificates = new ListenerCertificates({ configuration, logger, now });
  stages.started('certificates', () => certificates.close());
  const ground = await layGround({ ...options, master, certificates }, stages);
  const { database, registry } = ground;
  const { openId } = configuration.console;
  const administrator = openId?.only === true ? undefined : await inviteFirst(database.pool, now());

  const decisions = openWaitingRoom({ ...ground, logger }, stages);
  const { engineThread } = options;
  const decider =
    engineThread === undefined
      ? undefined
      : startDeciding({ ...options, ...ground, master, engineThread, decisions }, stages);
  const isReady = (): boolean => decider?.isReady(registry.all().map(({ id }) => id)) ?? true;
  const monotonicMs = (): number => performance.now();
  const logHealth = new LogHealth({ log: ground.log, monotonicMs });
  const health = new Health({
    checks: healthChecks({ pool: database.pool, registry, logHealth, decider }),
    monotonicMs,
    onChange: sayHealth(logger, () => options.repeats.endOutage()),
  });
  const urls = await listen(
    { ...ground, configuration, logger, master, adminToken, health, logHealth, decisions, certificates },
    stages,
  );
  const looking = setInterval(() => void health.readiness(), lookMs);
  stages.started('readiness', () => {
    health.stop();
    clearInterval(looking);
  });
  const stalls = new StallDetector({ monotonicMs, onStall: (stalledMs) => logger.warn({ stalledMs }, stallMessage) });
  stalls.start();
  stages.started('stall detector', () => stalls.close());
  // Stopped first: pending webhooks get as long to answer as requests of the listeners, at the same time.
  stages.started('leases', () => ground.dispatcher.windDown());

  return {
    ...urls,
    consoleOrigin: configuration.console.origin ?? urls.managementUrl,
    adminToken,
    database,
    made: { ...ground.made, administrator },
    ready: async () => {
      while (!isReady()) {
        await new Promise((resolve) => setTimeout(resolve, readyPollMs));
      }
    },
    announceStop: () => health.stop(),
    stop: () => stopAll(stages, logger),
  };
}

interface Ground {
  readonly database: Database;
  readonly log: PostgresLog;
  readonly clock: LogClock;
  readonly registry: PostgresWorkspaceRegistry;
  readonly subjects: PostgresSubjectKeys;
  readonly networks: NetworkSource;
  readonly outbox: PostgresOutbox;
  readonly dispatcher: Dispatcher;
  readonly metrics: Metrics;
  readonly ports: ListeningPorts;
  readonly made: Declared;
}

/** The requests that wait for decisions, whichever process decides. */
function openWaitingRoom(
  { database: { pool }, log, subjects, logger }: Ground & Pick<ServiceOptions, 'logger'>,
  stages: Stages,
): WaitingRoom {
  const decisions: WaitingRoom = new WaitingRoom({
    read: (workspace, offsets) => readConclusions({ pool, subjects }, workspace, offsets),
    listen: () => notices.start(),
    onError: (error) => logger.warn({ err: error }, 'could not read the decisions that requests wait for'),
  });
  const notices = new DecidedNotices(log.notifications, (notice) => decisions.hear(notice));
  stages.started('decision notices', () => notices.close());
  return decisions;
}

/** Starts the deciding thread, and the dispatcher that sends the actions it decides. */
function startDeciding(
  parts: Ground &
    ServiceOptions & { readonly master: MasterKeys; readonly engineThread: Worker; readonly decisions: WaitingRoom },
  stages: Stages,
): EngineHost {
  const { database, log, dispatcher, master, logger, metrics, onCrash } = parts;
  dispatcher.start();
  stages.started(
    'dispatcher',
    () => dispatcher.stop(),
    () => dispatcher.giveUp(),
  );
  const host = new EngineHost({
    thread: parts.engineThread,
    database: database.connection,
    master: master.source,
    process: `${hostname()}:${process.pid}`,
    residentBytesMax: parts.configuration.entityMemoryMiB * 2 ** 20,
    logger,
    metrics,
    onDecided: (notice) => parts.decisions.hear(notice),
    onActionsDue: () => dispatcher.wake(),
    onCrash,
  });
  stages.started(
    'engine host',
    () => host.stop(),
    () => host.cut(),
  );
  log.onAppend((partition, end) => host.appended(partition, end));
  const feed = new ConsoleFeed({
    pool: database.pool,
    log,
    subjects: parts.subjects,
    workspaces: () => parts.registry.all(),
    now,
    onDecided: openAlerts,
    onError: (error) => logger.warn({ err: error }, 'the console feed could not follow the engine'),
  });
  feed.start();
  stages.started('console feed', () => feed.stop());
  return host;
}

interface Beginning extends Pick<ServiceOptions, 'configuration' | 'logger' | 'stop'> {
  readonly master: MasterKeys;
  readonly certificates: ListenerCertificates;
}

/** Everything below the listeners: the migrated database, the log, the workspaces as declared, the dispatcher. */
async function layGround(
  { configuration, logger, stop, master, certificates }: Beginning,
  stages: Stages,
): Promise<Ground> {
  const { databaseUrl, home, allowPrivateWebhooks } = configuration;
  const database = await openDatabase({ databaseUrl, home, log: logger });
  stages.started(
    'database',
    () => database.close(),
    () => database.cut(),
  );
  const { pool, connection } = database;
  const applied = await migrate(connection, migrations, stop);
  if (applied.length > 0) logger.info({ steps: applied.length, to: applied.at(-1) }, 'database migrated');
  const newest = (await unknownMigrations(pool, migrations)).at(-1);
  if (newest !== undefined) logger.warn({ migration: newest.name, by: newest.release, release }, newerMessage);
  await verifyMasterKeys(pool, master);
  stop?.throwIfAborted();

  const onError = (error: unknown): void => logger.warn({ err: error }, 'a background query of the database failed');
  const { log, clock } = await openLog(database, logger, stages);
  const workspaceDeps = { pool, master, log, allowPrivateWebhooks, now };
  const made = await declareWorkspaces({ ...workspaceDeps, configuration, logger, onError }, stages);

  const registry = new PostgresWorkspaceRegistry({ pool, master, now, onError });
  await registry.start(log.notifications);
  stages.started('registry', () => registry.close());
  const subjects = new PostgresSubjectKeys({ pool, log, onError });
  await subjects.start(log.notifications);
  stages.started('subjects', () => subjects.close());

  const networks = openNetworks(home, logger, stages);

  const outbox = new PostgresOutbox(pool, log.notifications);
  const metrics = new Metrics(async () => ({
    workspaces: await readBacklogs(pool, log, clock.read()),
    deliveries: await outbox.queued(),
    heldBack: await readBlockedDeliveries(pool, outbox),
    registryAgeMs: registry.staleMs(),
    retentionAgeMs: await readRetentionAge(pool, now()),
    networkDataAgeMs: now() - networks.oldestDataAtMs,
    clockAheadMs: clock.machineAheadMs,
    certificatesLeft: [...certificates.left(), ...webhookCertificatesLeft(registry.all(), now())],
  }));
  const ports = new ListeningPorts();
  const dispatcher = new Dispatcher({
    outbox,
    registry,
    subjects,
    log,
    transport: new WebhookTransport({
      allow: allowPrivateWebhooks,
      isOwn: ownListeners(() => ports.bound),
      resolve: systemResolver(),
    }),
    clock: clockBy(clock.read),
    random: Math.random,
    metrics,
    logger,
  });
  return {
    database,
    log,
    clock,
    registry,
    subjects,
    networks,
    outbox,
    dispatcher,
    metrics,
    ports,
    made,
  };
}

/** The log, and the clock that stamps its records. */
async function openLog(
  { connection, pool }: Database,
  logger: Logger,
  stages: Stages,
): Promise<Pick<Ground, 'log' | 'clock'>> {
  const clock = new LogClock();
  const log = new PostgresLog({ connection, pool, clock: clock.read });
  stages.started('log', () => log.close());
  const following = await followLog(log, clock, logger);
  stages.started('log clock', () => clearInterval(following));
  return { log, clock };
}

/** The data files for IP look-ups; changed files are reloaded while the service runs. */
function openNetworks(home: string, logger: Logger, stages: Stages): NetworkSource {
  const networks = new NetworkSource({
    home,
    onChange: (names) => logger.info({ files: names }, 'loaded changed network data files'),
    onError: (error) => logger.error({ err: error }, 'could not load the network data files'),
  });
  networks.start();
  stages.started('network data', () => networks.close());
  return networks;
}

interface Upper extends Ground {
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly master: MasterKeys;
  readonly adminToken: AdminToken;
  readonly health: Health;
  readonly logHealth: LogHealth;
  readonly certificates: ListenerCertificates;
  readonly decisions: WaitingRoom;
}

/** Opens both listeners, management first, so that monitoring works when ingest opens. */
async function listen(
  upper: Upper,
  stages: Stages,
): Promise<{ readonly listenUrl: string; readonly managementUrl: string }> {
  const { logger, database } = upper;
  const { pool } = database;
  const onError = (error: unknown): void =>
    logger.warn({ err: error }, 'could not store refused requests or channel sightings');
  const refused = new RefusedRequests({ pool, onError, now });
  refused.start();
  stages.started('refused requests', () => refused.close());
  const channels = new ChannelSightings({ pool, onError });
  channels.start();
  stages.started('channel sightings', () => channels.close());
  let listenUrl: string | undefined;
  const noted = { refused, channels, listenUrl: () => listenUrl };
  const managementUrl = await openManagement({ ...upper, ...noted }, stages);
  listenUrl = await openDoor({ ...upper, ...noted }, stages);
  return { managementUrl, listenUrl };
}

interface Noted {
  readonly refused: RefusedRequests;
  readonly channels: ChannelSightings;
  /** The address of the ingest listener, once it is open. */
  readonly listenUrl: () => string | undefined;
}

/** @returns the bound address of the management listener */
async function openManagement(upper: Upper & Noted, stages: Stages): Promise<string> {
  const { configuration, logger, database, log, clock, registry, subjects, outbox, metrics, health, ports } = upper;
  const { pool } = database;
  const backtests = new Backtests({ pool, database: database.connection, logger });
  stages.started('backtests', () => backtests.stop());
  const inquiries = new Queries({ database: database.connection, logger, monotonicMs: () => performance.now() });
  stages.started('queries', () => inquiries.stop());

  const management = await buildManagement(
    {
      pool,
      master: upper.master,
      log,
      allowPrivateWebhooks: configuration.allowPrivateWebhooks,
      registry,
      subjects,
      deliveries: outbox,
      events: new StoredEvents(pool, log, subjects),
      refused: upper.refused,
      channels: upper.channels,
      admin: upper.adminToken,
      logIns: new LogIns({ pool, master: upper.master, now }),
      consoleOrigin: configuration.console.origin,
      openId: openIdOf(configuration.console, upper.master),
      eventsUrl: upper.listenUrl,
      senders: new ClientAddresses(configuration.management.trustedProxies),
      now,
      logNow: clock.read,
      logger,
      erase: async (workspace, client) => (await eraseClient({ log, subjects }, workspace, client)) !== undefined,
      sendTest: (workspace) => upper.dispatcher.sendTest(workspace),
      backtests,
      inquiries,
      live: new SseHub(pool, (error) => logger.warn({ err: error }, 'could not send live updates to open pages')),
      backlogs: () => readBacklogs(pool, log, clock.read()),
      queued: () => outbox.queued(),
      plugins: [healthPlugin(health), metricsPlugin(metrics), consolePlugin()],
    },
    upper.certificates.contextOf('management'),
  );
  upper.certificates.follow('management', management.server);
  stages.started('management listener', () => management.close());
  return listenOn(management, configuration.management, { name: 'management', ports });
}

function openIdOf({ origin, openId }: Configuration['console'], master: MasterKeys): OpenIdLogIn | undefined {
  if (origin === undefined || openId === undefined) return undefined;
  return new OpenIdLogIn({ settings: openId, origin, master });
}

/** @returns the bound address of the ingest listener */
async function openDoor(upper: Upper & Noted, stages: Stages): Promise<string> {
  const { configuration, logger, log, registry, subjects, metrics, health, ports, refused, channels } = upper;
  const door = await buildIngestServer(
    {
      registry,
      decisions: upper.decisions,
      subjects,
      networks: upper.networks,
      log,
      refused,
      channels,
      logHealth: upper.logHealth,
      senders: new ClientAddresses(configuration.listen.trustedProxies),
      limits: configuration.listen.limits,
      now,
      makeRequestId: randomUUID,
      logger,
      metrics,
      plugins: [healthPlugin(health), deviceKeysPlugin(registry)],
    },
    upper.certificates.contextOf('listen'),
  );
  upper.certificates.follow('listen', door.server);
  stages.started('ingest listener', () => door.close());
  return listenOn(door, configuration.listen, { name: 'listen', ports });
}
