/**
 * A worker thread that takes events: it has the public listener and all that its requests need, and does no work of the
 * management API. Started by `loadIngestThreads`: it loads its code while the process opens its database, and begins
 * when it receives the settings.
 */
import { Server as TlsServer } from 'node:tls';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { assert, type EpochMs, secondMs, unreachable } from '@ringfence/contract';
import type { FastifyInstance } from 'fastify';
import { EngineLinks } from './decide/engine-links.ts';
import { healthChecks } from './decide/health-checks.ts';
import { openDecisions, openIngest, openNetworks, openRefusedRequests, openStatus } from './ingest/open-ingest.ts';
import type {
  FromIngestThread,
  IngestAnswers,
  IngestQuestion,
  IngestSettings,
  ListenAt,
  ToIngestThread,
} from './ingest/thread-messages.ts';
import { makePool } from './platform/database/database.ts';
import { Health, healthPlugin } from './platform/observability/health.ts';
import { IngestCounts, type LongestTurn } from './platform/observability/ingest-counts.ts';
import { LogHealth } from './platform/observability/log-health.ts';
import { LoopDelays, LoopTurns } from './platform/observability/loop-delay.ts';
import { OperatorError } from './platform/observability/operator-error.ts';
import { readPoolUse } from './platform/observability/pool-use.ts';
import { serializeError } from './platform/observability/serialize-error.ts';
import { threadLogger } from './platform/observability/thread-logger.ts';
import { openLog } from './platform/open-platform.ts';
import { MasterKeys } from './platform/secrets/master-keys.ts';
import { Stages } from './platform/stages.ts';
import { openTenancy } from './tenancy/open-tenancy.ts';

/** Besides the connections for appends and notifications. */
const connectionsMax = 8;

assert(parentPort !== null, 'events are taken in a worker thread');
const port = parentPort;

function tell(message: FromIngestThread): void {
  port.postMessage(message);
}

const logger = threadLogger(tell);
const now = (): EpochMs => Date.now() as EpochMs;
const monotonicMs = (): number => performance.now();
const stages = new Stages();

/** What the messages after the first are answered with. */
interface Opened {
  readonly app: FastifyInstance;
  readonly health: Health;
  readonly answers: { readonly [Question in IngestQuestion]: () => Answer<Question> | Promise<Answer<Question>> };
}
type Answer<Question extends IngestQuestion> = IngestAnswers[Question];

let opening: Promise<Opened | undefined> = Promise.resolve(undefined);
port.on('message', (message: ToIngestThread) => {
  switch (message.kind) {
    case 'begin':
      opening = open(message.settings, message.engines).catch(refuse);
      return;
    case 'listen':
      void opening.then((opened) => opened && listen(opened, message.at));
      return;
    case 'certificate':
      void opening.then((opened) => {
        if (opened?.app.server instanceof TlsServer) opened.app.server.setSecureContext(message.context);
      });
      return;
    case 'asked':
      void answer(message.number, message.question);
      return;
    case 'announceStop':
      void opening.then((opened) => opened?.health.stop());
      return;
    case 'stop':
      void stop();
      return;
    default:
      unreachable(message);
  }
});

/** Like the service itself: rooms are opened in this order, and stopped in reverse. */
async function open(settings: IngestSettings, engines: readonly MessagePort[]): Promise<Opened> {
  const { database: connection, home } = settings;
  const pool = makePool(connection, connectionsMax);
  stages.started('database', () => pool.end());
  const master = MasterKeys.load(settings.master, false);
  const platform = { master, logger, now, stages, pool, ...(await openLog({ connection, pool, stages })) };
  const tenancy = await openTenancy(platform);
  const networks = openNetworks(platform, home);
  const metrics = new IngestCounts(followLoop(), () => readPoolUse(pool));
  const rooms = { ...platform, ...tenancy, networks, metrics };
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
  const logHealth = new LogHealth({ log: platform.log, monotonicMs });
  const { registry } = tenancy;
  const health = new Health({
    checks: healthChecks({
      pool,
      workspaces: () => registry.all(),
      staleMs: () => registry.staleMs(),
      storesEvents: () => logHealth.isWell(),
      decider: engines.length === 0 ? undefined : links.condition,
    }),
    monotonicMs,
    // The main thread checks the same, and logs it.
    onChange: () => undefined,
  });
  const app = await openIngest({
    ...rooms,
    decisions: room,
    lag,
    status,
    logHealth,
    refused: openRefusedRequests(rooms),
    plugins: [healthPlugin(health)],
    limits: settings.limits,
    trustedProxies: settings.trustedProxies,
    https: settings.tls,
  });
  stages.started('listener', () => app.close());
  const answers: Opened['answers'] = {
    storesEvents: () => logHealth.isWell(),
    registryAgeMs: () => registry.staleMs(),
    networkDataAtMs: () => networks.oldestDataAtMs,
    counts: () => metrics.read(),
    refreshed: () => registry.refresh().then(() => true),
  };
  return { app, health, answers };
}

/** Reports what the operator can fix; any other error ends the process. */
function refuse(error: unknown): undefined {
  if (!(error instanceof OperatorError)) throw error;
  tell({ kind: 'refused', message: error.message, mend: error.mend });
}

async function listen({ app }: Opened, at: ListenAt): Promise<void> {
  try {
    await app.listen(at);
  } catch (error) {
    tell({ kind: 'notListening', code: (error as NodeJS.ErrnoException).code ?? String(error) });
    return;
  }
  const address = app.server.address();
  tell({ kind: 'listening', port: typeof address === 'object' && address !== null ? address.port : at.port });
}

async function answer(number: number, question: IngestQuestion): Promise<void> {
  const opened = await opening;
  try {
    if (opened === undefined) throw new Error('the thread has not begun');
    tell({ kind: 'answered', number, answer: await opened.answers[question]() });
  } catch (error) {
    tell({ kind: 'notAnswered', number, why: serializeError(error) });
  }
}

async function stop(): Promise<void> {
  await opening;
  await stages.stop({
    onError: (part, error) => logger.error({ part, err: error }, 'a part did not stop cleanly'),
    // The main thread cuts this one.
    onCut: () => undefined,
  });
  port.close();
}

/** @returns a reading of how long this thread's event loop was blocked at most over the last second */
function followLoop(): () => LongestTurn {
  const delays = new LoopDelays();
  const turns = new LoopTurns();
  let last: LongestTurn = { clockMs: 0, processorMs: 0 };
  const following = setInterval(() => {
    last = { clockMs: delays.read().maxMs, processorMs: turns.read() };
  }, secondMs);
  stages.started('loop delay', () => {
    clearInterval(following);
    turns.stop();
  });
  return () => last;
}
