/**
 * A worker thread that takes events: it has the public listener and all that its requests need, and does no work of the
 * management API. Started by `loadIngestThreads`: it loads its code while the process opens its database, and begins
 * when it receives the settings.
 */
import { Server as TlsServer } from 'node:tls';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { assert, type EpochMs, secondMs, unreachable } from '@ringfence/contract';
import type { FastifyInstance } from 'fastify';
import { checksOfCells } from './decide/health-checks.ts';
import { type OpenIngestCell, openIngestCell } from './ingest-cell.ts';
import type { IngestCell } from './ingest/ingest-deps.ts';
import { openIngest, openNetworks } from './ingest/open-ingest.ts';
import type {
  CellOfThread,
  FromIngestThread,
  IngestAnswers,
  IngestQuestion,
  IngestSettings,
  ListenAt,
  ToIngestThread,
} from './ingest/thread-messages.ts';
import { homeDatabase } from './platform/database/cell.ts';
import { Health, type HealthCheck, healthPlugin } from './platform/observability/health.ts';
import { IngestCounts, type LongestTurn } from './platform/observability/ingest-counts.ts';
import type { LogHealth } from './platform/observability/log-health.ts';
import { LoopDelays, LoopTurns } from './platform/observability/loop-delay.ts';
import { OperatorError } from './platform/observability/operator-error.ts';
import { type PoolUse, readPoolUse } from './platform/observability/pool-use.ts';
import { serializeError } from './platform/observability/serialize-error.ts';
import { threadLogger } from './platform/observability/thread-logger.ts';
import type { ThreadPlatform } from './platform/open-platform.ts';
import { MasterKeys } from './platform/secrets/master-keys.ts';
import { Stages } from './platform/stages.ts';
import type { Workspace } from './tenancy/workspaces/workspace.ts';

/** Between two attempts to open a further database. */
const reopenMs = 2 * secondMs;

assert(parentPort !== null, 'events are taken in a worker thread');
const port = parentPort;

function tell(message: FromIngestThread): void {
  port.postMessage(message);
}

const logger = threadLogger(tell);
const now = (): EpochMs => Date.now() as EpochMs;
const monotonicMs = (): number => performance.now();
const stages = new Stages();
const reopening = new Set<NodeJS.Timeout>();

/** What the messages after the first are answered with. */
interface Opened {
  readonly app: FastifyInstance;
  readonly health: Health;
  /** What further databases are opened with. */
  readonly context: Pick<ThreadPlatform, 'master' | 'logger' | 'stages'> & {
    readonly now: () => EpochMs;
    readonly metrics: IngestCounts;
  };
  readonly answers: { readonly [Question in IngestQuestion]: () => Answer<Question> | Promise<Answer<Question>> };
}
type Answer<Question extends IngestQuestion> = IngestAnswers[Question];

let opening: Promise<Opened | undefined> = Promise.resolve(undefined);
port.on('message', (message: ToIngestThread) => {
  switch (message.kind) {
    case 'begin':
      opening = open(message.settings, message.engines).catch(refuse);
      return;
    case 'openCell':
      opening = opening.then(async (opened) => {
        if (opened !== undefined) await openFurther(opened, message.cell, message.engines);
        return opened;
      });
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

/** The databases that are open, the home database first. */
const cells: OpenIngestCell[] = [];

/** Like the service itself: rooms are opened in this order, and stopped in reverse. */
async function open(settings: IngestSettings, engines: readonly MessagePort[]): Promise<Opened> {
  const master = MasterKeys.load(settings.master, false);
  const metrics = new IngestCounts(followLoop(), readPools, () => cells.some(({ log }) => log.isStoreDegraded));
  const context = { master, logger, now, stages, metrics };
  const home = await openIngestCell({ ...context, name: homeDatabase, database: settings.database, engines });
  cells.push(home);
  const networks = openNetworks(home, settings.home);
  const health = new Health({
    checks: checksFor(settings.further),
    monotonicMs,
    // The main thread checks the same, and logs it.
    onChange: () => undefined,
  });
  const app = await openIngest({
    ...home,
    metrics,
    networks,
    further: () => cells.slice(1),
    isWhole: () => cells.length > settings.further.length,
    findMoved,
    byId,
    plugins: [healthPlugin(health)],
    limits: settings.limits,
    trustedProxies: settings.trustedProxies,
    https: settings.tls,
  });
  stages.started('listener', () => app.close());
  const answers: Opened['answers'] = {
    storesEvents: async () =>
      Object.fromEntries(await Promise.all(cells.map(async ({ name, logHealth }) => [name, await storing(logHealth)]))),
    registryAgeMs: () => Object.fromEntries(cells.map(({ name, registry }) => [name, registry.staleMs()])),
    networkDataAtMs: () => networks.oldestDataAtMs,
    counts: () => metrics.read(),
    refreshed: () => Promise.all(cells.map(({ registry }) => registry.refresh())).then(() => true),
  };
  return { app, health, answers, context };
}

/** Opens a further database; as long as it cannot be reached, it is tried again. */
async function openFurther({ context }: Opened, cell: CellOfThread, engines: readonly MessagePort[]): Promise<void> {
  const ofCell = new Stages();
  const stopping = { onError: sayUnclean, onCut: () => undefined };
  stages.started(
    cell.name,
    () => ofCell.stop(stopping),
    () => ofCell.cut(),
  );
  try {
    cells.push(await openIngestCell({ ...context, ...cell, stages: ofCell, engines }));
  } catch (error) {
    logger.warn(
      { cell: cell.name, err: error },
      'a database cannot be reached, so none of its events is taken; will retry',
    );
    await ofCell.stop(stopping);
    reopening.add(
      setTimeout(() => void opening.then((opened) => opened && openFurther(opened, cell, engines)), reopenMs),
    );
  }
}

function readPools(): PoolUse {
  const uses = cells.map(({ pool }) => readPoolUse(pool));
  const sum = (of: keyof PoolUse): number => uses.reduce((total, use) => total + use[of], 0);
  return { busy: sum('busy'), limit: sum('limit'), waiting: sum('waiting') };
}

function byId(workspaceId: string): Workspace | undefined {
  return cells.map(({ registry }) => registry.byId(workspaceId)).find((found) => found !== undefined);
}

/** Where a workspace lies that its database `from` does not take any more. */
async function findMoved(
  workspaceId: string,
  from: IngestCell,
): Promise<{ readonly workspace: Workspace; readonly cell: IngestCell } | undefined> {
  await Promise.all(cells.map(({ registry }) => registry.refresh()));
  for (const cell of cells) {
    const workspace = cell.registry.byId(workspaceId);
    // The home database is known to requests by the dependencies of the listener.
    if (workspace !== undefined && cell.log !== from.log) return { workspace, cell };
  }
  return undefined;
}

async function storing(logHealth: LogHealth): Promise<{ readonly well: boolean; readonly why?: unknown }> {
  return logHealth.isWell().then(
    (well) => ({ well }),
    (error: unknown) => ({ well: false, why: serializeError(error) }),
  );
}

/** One database has its checks, several have them by name. */
function checksFor(further: readonly string[]): readonly HealthCheck[] {
  const checksOf = (name: string): readonly HealthCheck[] => cells.find((cell) => cell.name === name)?.checks ?? [];
  if (further.length === 0) return checksOf(homeDatabase);
  return checksOfCells([homeDatabase, ...further].map((name) => ({ name, checks: () => checksOf(name) })));
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

function sayUnclean(part: string, error: unknown): void {
  logger.error({ part, err: error }, 'a part did not stop cleanly');
}

async function stop(): Promise<void> {
  await opening;
  for (const timer of reopening) clearTimeout(timer);
  await stages.stop({
    onError: sayUnclean,
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
