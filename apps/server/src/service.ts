/**
 * The composition root: the only module that knows every room. Rooms are opened in the order of `start` and stopped in
 * reverse.
 */
import { Server as TlsServer } from 'node:tls';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { EpochMs } from '@ringfence/contract';
import type { Logger } from 'pino';
import { type Invitation, inviteFirst } from './access/accounts/invitations.ts';
import { openSyslog } from './access/audit/syslog/syslog-sender.ts';
import { OpenIdLogIn } from './access/accounts/open-id.ts';
import { type ApiContext, openApi } from './api/open-api.ts';
import { type Configuration, masterKeySource } from './config/configuration.ts';
import type { Declared } from './config/declare-workspaces.ts';
import { ListenerCertificates } from './config/listener-certificates.ts';
import { topicOfDatabase } from './config/log-topic.ts';
import { checkAddress, listenInThreads, ListeningPorts, listenOn } from './config/listening.ts';
import { refuseUnaskedDatabase } from './config/new-database.ts';
import { consolePlugin } from './console/serve-console.ts';
import { Cells } from './cells.ts';
import { sharedMetrics } from './decide/engine-hosts.ts';
import { type CheckedCell, checksOfCells, healthChecks } from './decide/health-checks.ts';
import { ownListeners } from './deliver/transport/own-listeners.ts';
import { systemResolver } from './deliver/transport/resolve-host.ts';
import { ingestLimits } from './ingest/ingest-deps.ts';
import { IngestThreads } from './ingest/ingest-threads.ts';
import { homeDatabase } from './platform/database/cell.ts';
import type { Database } from './platform/database/database.ts';
import { embeddedInProduction, isEmbeddedInProduction } from './platform/database/embedded/in-production.ts';
import { type ConnectionsMax, connectionsWithin, openFilesMax } from './platform/http/open-files.ts';
import { Health, type HealthCheck, healthPlugin, sayHealth } from './platform/observability/health.ts';
import { Metrics, metricsPlugin } from './platform/observability/metrics.ts';
import { StallDetector } from './platform/observability/stall-detector.ts';
import { type Cell, type CellContext, type Deciders, openCell } from './open-cell.ts';
import type { Platform } from './platform/open-platform.ts';
import { type AdminToken, loadAdminToken } from './platform/secrets/admin-token.ts';
import { MasterKeys } from './platform/secrets/master-keys.ts';
import { Stages } from './platform/stages.ts';
import { scrape, staleMs } from './scrape.ts';

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
  /** The databases that they decide, as many threads for each. */
  readonly decides: readonly string[];
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
  const { configuration, logger, ingestThreads, onCrash, stop } = options;
  const { home, allowPrivateWebhooks } = configuration;
  for (const name of ['listen', 'management'] as const) await checkAddress(configuration[name], name);
  await refuseUnaskedDatabase(configuration);
  const master = MasterKeys.load(masterKeySource(configuration));
  const admin = loadAdminToken(home, configuration.adminToken);
  const certificates = new ListenerCertificates({ configuration, logger, now });
  stages.started('certificates', () => certificates.close());

  const ingest = new IngestThreads({ threads: ingestThreads, logger, onCrash });
  const metrics = new Metrics({
    scrape: () => scrape({ configuration, cells, ingest, certificates, now }),
    ingest: () => ingest.ask('counts'),
    monotonicMs,
  });
  const ports = new ListeningPorts();
  const rules = { allow: allowPrivateWebhooks, isOwn: ownListeners(() => ports.bound), resolve: systemResolver() };
  const decides = (workspaceId: string): boolean =>
    cells.all().some(({ decider }) => decider?.condition.decides(workspaceId) === true);
  const links = linksOf(options);
  const common = { configuration, master, logger, now, stages, stop, ingest, metrics, rules, onCrash };
  const metricsOfNext = sharedMetrics(metrics, decides);
  const open = (name: string, own: CellOwn): Promise<Cell> =>
    openCell({ ...common, metricsOfNext, deciders: links.get(name)!.deciders, ...own });
  const { databaseUrl, logTopic } = configuration;
  const homeCell = await open(homeDatabase, { cell: undefined, databaseUrl, logTopic });
  const cells: Cells = new Cells(homeCell, {
    logger,
    open: (name, ofCell) => {
      const own = {
        cell: { name, home: homeCell.pool },
        databaseUrl: configuration.databases.find((one) => one.name === name)!.url,
        logTopic: topicOfDatabase(logTopic, name),
        stages: ofCell,
        logger: logger.child({ cell: name }),
      };
      return open(name, own);
    },
    onOpen: ({ name, database }) => ingest.openCell({ name, database: database.connection }, links.get(name)!.ingest),
  });
  warnOfEmbedded(homeCell);
  const administrator = await inviteAdministrator(homeCell, configuration);
  if (homeCell.decider !== undefined) {
    openSyslog({ ...homeCell, settings: configuration.syslog, onFailure: () => metrics.auditSendFailed() });
  }
  const connections = connectionsOf(ingestThreads.length);
  const beginning = { ...homeCell, configuration, connections, ingest, certificates };
  beginIngest(beginning, links.get(homeDatabase)!.ingest);
  // Stopped after the threads that take events for them, and before the home database.
  await cells.open(furtherOf(configuration), stages);
  const health = openHealth({ configuration, cells, ingest, logger });
  const upper = { ...homeCell, metrics, allowPrivateWebhooks, cells, admin, ingest, health };
  const urls = await listen({ ...upper, connectionsMax: connections.management, configuration, certificates, ports });
  watch({ stages, logger, health });
  // Stopped first: pending webhooks get as long to answer as requests of the listeners, at the same time.
  stages.started('leases', () => cells.all().forEach(({ dispatcher }) => dispatcher.windDown()));

  return {
    ...urls,
    consoleOrigin: configuration.console.origin ?? urls.managementUrl,
    adminToken: admin,
    database: homeCell.database,
    made: { ...declaredOf(cells.atFirst()), administrator },
    ready: () => until(() => cells.all().every(isCaughtUp)),
    answers: () => doAnswer(ingest),
    announceStop: () => {
      health.stop();
      ingest.announceStop();
    },
    stop: () => stopAll(stages, logger),
  };
}

/** The names of the databases beside the home database. */
function furtherOf({ databases }: Configuration): readonly string[] {
  return databases.map(({ name }) => name);
}

function isCaughtUp({ decider, registry }: Cell): boolean {
  return decider?.condition.isReady(registry.all().map(({ id }) => id)) ?? true;
}

/** What differs between the databases. */
type CellOwn = Pick<CellContext, 'cell' | 'databaseUrl' | 'logTopic'> & Partial<Pick<CellContext, 'stages' | 'logger'>>;

/** What a start created and applied in all databases. */
function declaredOf(cells: readonly Cell[]): Declared {
  const all = cells.map(({ declared }) => declared);
  return {
    first: all.flatMap(({ first }) => first),
    declared: {
      made: all.flatMap(({ declared }) => declared.made),
      applied: all.flatMap(({ declared }) => declared.applied),
      released: all.flatMap(({ declared }) => declared.released),
      warnings: all.flatMap(({ declared }) => declared.warnings),
    },
  };
}

async function until(isReady: () => boolean): Promise<void> {
  while (!isReady()) {
    await new Promise((resolve) => setTimeout(resolve, readyPollMs));
  }
}

function warnOfEmbedded({ database, registry, logger }: Cell): void {
  if (!isEmbeddedInProduction(database.kind, registry.all())) return;
  logger.warn({ mend: embeddedInProduction.mend }, embeddedInProduction.detail);
}

/** What the listeners may have open under this process's limit of files. */
function connectionsOf(threads: number): ConnectionsMax {
  return connectionsWithin(openFilesMax(), { ingest: ingestLimits.connectionsMax, threads });
}

interface HealthContext {
  readonly configuration: Configuration;
  readonly cells: Cells;
  readonly ingest: IngestThreads;
  readonly logger: Logger;
}

function openHealth({ configuration, cells, ingest, logger }: HealthContext): Health {
  const checksOf = (cell: Cell): readonly HealthCheck[] =>
    healthChecks({
      pool: cell.pool,
      workspaces: () => cell.registry.all(),
      staleMs: () => staleMs(cell, ingest),
      storesEvents: () => storesEvents(cell, ingest),
      decider: cell.decider?.condition,
    });
  const ofCell = (name: string): CheckedCell => ({
    name,
    checks: () => {
      const cell = cells.get(name);
      if (cell === undefined) throw cells.failure(name) ?? new Error('the database is not open yet');
      return checksOf(cell);
    },
  });
  const names = [homeDatabase, ...furtherOf(configuration)];
  const checks = names.length === 1 ? checksOf(cells.home) : checksOfCells(names.map(ofCell));
  return new Health({ checks, monotonicMs, onChange: sayHealth(logger) });
}

/** @throws the reason why a thread cannot store events of this database */
async function storesEvents({ name }: Cell, ingest: IngestThreads): Promise<boolean> {
  const answers = (await ingest.ask('storesEvents')).map((ofThread) => ofThread[name]);
  const failing = answers.find((one) => one?.well !== true);
  if (failing?.why !== undefined) throw failing.why as Error;
  return answers.every((one) => one?.well === true);
}

interface IngestContext extends Platform {
  readonly configuration: Configuration;
  readonly connections: ConnectionsMax;
  readonly ingest: IngestThreads;
  readonly certificates: ListenerCertificates;
}

function beginIngest(context: IngestContext, engines: readonly (readonly MessagePort[])[]): void {
  const { configuration, connections, ingest, certificates, database, master, stages } = context;
  const { limits, trustedProxies } = configuration.listen;
  const tls = certificates.contextOf('listen');
  const settings = { database: database.connection, master: master.source, home: configuration.home };
  const { ingest: connectionsMax } = connections;
  ingest.begin(
    { ...settings, further: furtherOf(configuration), limits: { ...limits, connectionsMax }, trustedProxies, tls },
    engines,
  );
  stages.started(
    'ingest threads',
    () => ingest.stop(),
    () => ingest.cut(),
  );
}

/** Of one database: its deciding threads, and the ports to them of each thread that takes events. */
interface Links {
  readonly deciders: Deciders;
  readonly ingest: readonly (readonly MessagePort[])[];
}

/** A channel between each thread that takes events and each that decides, by database. */
function linksOf({ configuration, ingestThreads, engineThreads, decides }: ServiceOptions): ReadonlyMap<string, Links> {
  const names = [homeDatabase, ...furtherOf(configuration)];
  const each = engineThreads.length / Math.max(1, decides.length);
  return new Map(
    names.map((name) => {
      const at = decides.indexOf(name);
      const threads = at === -1 ? [] : engineThreads.slice(at * each, (at + 1) * each);
      const { ofIngest, ofEngines } = linksBetween(ingestThreads.length, threads.length);
      return [name, { deciders: { threads, ports: ofEngines }, ingest: ofIngest }];
    }),
  );
}

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

function doAnswer(ingest: IngestThreads): Promise<boolean> {
  return ingest.ask('registryAgeMs').then(
    () => true,
    () => false,
  );
}

async function inviteAdministrator({ pool }: Platform, { console }: Configuration): Promise<Invitation | undefined> {
  return console.openId?.only === true ? undefined : inviteFirst(pool, now());
}

interface ListenContext extends Omit<
  ApiContext,
  'consoleOrigin' | 'databases' | 'openId' | 'eventsUrl' | 'trustedProxies' | 'plugins' | 'https'
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
    databases: furtherOf(configuration),
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
