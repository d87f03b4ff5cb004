/**
 * A worker thread that decides partitions of this process. Started by `loadEngineThread`: it loads its code while the
 * process opens its database, and begins when it receives the database settings.
 */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { assert, type EpochMs, unreachable } from '@ringfence/contract';
import { roundInThread } from './decide/retention/round-in-thread.ts';
import { type RoundEnd, runRounds } from './decide/retention/rounds.ts';
import { LoopDelays } from './platform/observability/loop-delay.ts';
import { threadLogger } from './platform/observability/thread-logger.ts';
import { Announcer, LogClock } from '@ringfence/log';
import { isDatabaseUnavailable } from './platform/observability/database-unavailable.ts';
import { makePool } from './platform/database/database.ts';
import { openEventLog } from './platform/database/event-log.ts';
import { migrations } from './migrations.ts';
import { MasterKeys } from './platform/secrets/master-keys.ts';
import { serializeError } from './platform/observability/serialize-error.ts';
import { adoptClients } from './tenancy/subjects/adoption.ts';
import { PostgresSubjectKeys } from './tenancy/subjects/postgres-subject-keys.ts';
import { syncSettings } from './tenancy/workspaces/settings-sync.ts';
import { PostgresWorkspaceRegistry } from './tenancy/workspaces/postgres-registry.ts';
import { decidedChannel, decidedPayload } from './records/decided-notice.ts';
import { StatusAnswerer } from './decide/status-answerer.ts';
import { followLog } from './platform/database/follow-log.ts';
import type { DecidedBatch, HostDeps, HostReport, Where } from './decide/host-deps.ts';
import type { FromIngest, FromWorker, ThreadSettings, ToIngest, ToldCondition, ToWorker } from './decide/messages.ts';
import type { DecidedRecords } from './platform/observability/metrics.ts';
import { PartitionKeeper } from './decide/partition-keeper.ts';
import { sleep } from './platform/sleep.ts';
import { PolicyCache } from './policies/policy-cache.ts';
import type { Need } from './decide/database-outage.ts';

/** Reading, writing effects, checkpoints and two change feeds each use a connection at times. */
const connectionsMax = 10;
/**
 * On a slow machine or database, partitions queue for connections of the pool: that is no outage. Longer than the
 * longest statement.
 */
const waitMsMax = 30_000;
const delayReportMs = 1_000;
/** Between two attempts to start. */
const reachAgainMs = 1_000;
/** How often the main thread hears of decided records, which it only counts. */
const countedEveryMs = 100;

assert(parentPort !== null, 'the engine host runs in a worker thread');
const port = parentPort;

function tell(message: FromWorker): void {
  port.postMessage(message);
}

const logger = threadLogger(tell);
const now = (): EpochMs => Date.now() as EpochMs;
const onError = (error: unknown): void => logger.error({ err: error }, 'a background query of the database failed');

const replacedMessage =
  'this release refuses an older version of a policy: another version decides when its records are stepped again';

let stopDeciding: (() => void) | undefined;
port.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'begin':
      stopDeciding = begin(message.settings, message.ingest);
      return;
    case 'stop':
      // Nothing has begun, so there is nothing to stop.
      if (stopDeciding === undefined) port.close();
      else stopDeciding();
      return;
    default:
      unreachable(message);
  }
});

/** @returns a function that stops the thread */
function begin(settings: ThreadSettings, ingest: readonly MessagePort[]): () => void {
  const pool = makePool(settings.database, connectionsMax, waitMsMax);
  pool.on('error', onError);
  const clock = new LogClock();
  const log = openEventLog({ connection: settings.database, pool, clock: clock.read, adopt: adoptClients, onError });
  const subjects = new PostgresSubjectKeys({ pool, log, onError });
  const master = MasterKeys.load(settings.master, false);
  const registry = new PostgresWorkspaceRegistry({ pool, master, now, onError });

  const policies = new PolicyCache(pool, ({ workspaceId, by, error }) =>
    logger.warn({ workspace: workspaceId, version: error.version, by, error: error.message }, replacedMessage),
  );
  const decided = new Announcer(pool, decidedChannel);
  const deps: HostDeps = {
    pool,
    log,
    subjects,
    policies,
    residentBytesMax: settings.residentBytesMax,
    weights: settings.weights,
    now: clock.read,
    logger,
    report: reportBy(decided, ingest),
  };

  /** Settings that an owner that died stored without appending their record; one workspace after the other. */
  let agreeing: Promise<unknown> = Promise.resolve();
  const keeper = new PartitionKeeper(
    {
      database: settings.database,
      process: settings.process,
      workspaces: () => registry.all(),
      migrations,
      onTaken: ({ id }) => {
        agreeing = agreeing.then(() => syncSettings({ pool, master, log }, id)).catch(onError);
      },
    },
    deps,
  );

  const answerer = new StatusAnswerer({ pool, notifications: log.notifications, keeper, onError });

  const round = (until: AbortSignal): Promise<RoundEnd> =>
    roundInThread({ settings: { database: settings.database, master: settings.master }, passOn: tell }, until);

  const stop = new AbortController();
  for (const asker of ingest) {
    asker.on('message', (message: FromIngest) => {
      if (message.kind === 'appended') keeper.wake(message.workspaceId, message.end, message.block);
      else
        void answerer.answer(message.workspaceId, message.questions, (answers) =>
          asker.postMessage({ kind: 'statusAnswered', answers } satisfies ToIngest),
        );
    });
  }
  void decide();
  return () => stop.abort();

  async function decide(): Promise<void> {
    const timers = [reportDelays()];
    const reach = (step: () => Promise<void>): Promise<void> => onceReached(step, stop.signal, deps.report);
    await reach(async () => void timers.push(await followLog(log, clock)));
    await reach(() => registry.start(log.notifications));
    await reach(() => subjects.start(log.notifications));
    log.onAppend((partition, end) => keeper.wake(partition, end));
    answerer.start();
    const rounds = settings.retains ? runRounds({ round, wait: sleep, logger }, stop.signal) : undefined;
    await Promise.all([keeper.run(stop.signal), rounds]);
    await agreeing;
    await answerer.close();
    for (const timer of timers) clearInterval(timer);
    await Promise.all([registry.close(), subjects.close(), log.close(), decided.close()]);
    await pool.end();
    for (const one of [port, ...ingest]) one.close();
  }
}

/** Retries: a database without a free connection for this thread must not end a process that still stores events. */
async function onceReached(step: () => Promise<void>, stop: AbortSignal, report: HostReport): Promise<void> {
  while (!stop.aborted) {
    try {
      return await step();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      logger.error({ err: error }, 'the engine cannot start: no database connection is available');
      report.missed('partitions', error);
      await sleep(reachAgainMs, stop);
    }
  }
}

function reportBy(decided: Announcer, ingest: readonly MessagePort[]): HostReport {
  const missing = new Set<Need>();
  const where = new Map<string, Where>();
  const counts = new DecidedCounts();
  const tellIngest = (message: ToIngest): void => {
    for (const one of ingest) one.postMessage(message);
  };
  const tellAll = (message: ToldCondition): void => {
    // In the order in which it happened.
    counts.tellNow();
    tell(message);
    tellIngest(message);
  };
  return {
    batch: (workspaceId, done) => {
      const { nextOffset } = done;
      where.set(workspaceId, 'here');
      tellIngest({ kind: 'decided', workspaceId, nextOffset });
      counts.add(workspaceId, done);
      decided.announce(workspaceId, decidedPayload(workspaceId, nextOffset));
    },
    actionsDue: () => tell({ kind: 'actionsDue' }),
    // These are called on every turn, and told only when they are a change.
    ready: (workspaceId, now) => {
      if (where.get(workspaceId) === now) return;
      where.set(workspaceId, now);
      tellAll({ kind: 'ready', workspaceId, where: now });
    },
    missed: (need, why) => {
      missing.add(need);
      tellAll({ kind: 'missed', need, why: serializeError(why) });
    },
    found: (need) => {
      if (missing.delete(need)) tellAll({ kind: 'found', need });
    },
    outdated: ({ message, mend }) => tell({ kind: 'outdated', message, mend }),
  };
}

/** Decided records that the main thread has not heard of. */
class DecidedCounts {
  #counts = new Map<string, DecidedRecords>();
  #timer: NodeJS.Timeout | undefined;

  add(workspaceId: string, { records, decisions, residentBytes }: DecidedBatch): void {
    const before = this.#counts.get(workspaceId);
    this.#counts.set(workspaceId, {
      records: (before?.records ?? 0) + records,
      decisions: (before?.decisions ?? 0) + decisions,
      residentBytes,
    });
    this.#timer ??= setTimeout(() => this.tellNow(), countedEveryMs).unref();
  }

  tellNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [workspaceId, counted] of this.#counts) tell({ kind: 'decided', workspaceId, ...counted });
    this.#counts.clear();
  }
}

/** Reports the delay of this thread's event loop. */
function reportDelays(): NodeJS.Timeout {
  const delays = new LoopDelays();
  return setInterval(() => tell({ kind: 'delay', ...delays.read() }), delayReportMs);
}
