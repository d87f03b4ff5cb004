import type { OfCell } from './database/cell.ts';
import type { EpochMs } from '@ringfence/contract';
import { type AdoptHook, LogClock, type PostgresLog } from '@ringfence/log';
import type { Logger } from 'pino';
import { type Database, openDatabase } from './database/database.ts';
import { type DatabaseConnection, type LogTopic, openEventLog } from './database/event-log.ts';
import { checkLogTopic } from './database/log-topic-faults.ts';
import { followLog } from './database/follow-log.ts';
import { migrate, type Migration, unknownMigrations } from './database/migrate.ts';
import type { LineLogger } from './observability/thread-logger.ts';
import { release } from './release.ts';
import type { MasterKeys } from './secrets/master-keys.ts';
import { verifyMasterKeys } from './secrets/sealing-key.ts';
import type { Stages } from './stages.ts';

export interface PlatformContext {
  readonly databaseUrl: string | undefined;
  readonly logTopic: LogTopic | undefined;
  readonly home: string;
  readonly migrations: readonly Migration[];
  readonly master: MasterKeys;
  readonly logger: Logger;
  readonly now: () => EpochMs;
  /** Where every part registers how it is stopped. */
  readonly stages: Stages;
  /** Makes again what a rolled back database lost beside records. */
  readonly adopt: AdoptHook;
  /** Aborts the start. */
  readonly stop: AbortSignal | undefined;
  /** Fails at once when the database cannot be reached. */
  readonly atOnce?: boolean;
}

/** What the rooms of any thread are opened with. */
export interface ThreadPlatform extends Pick<PlatformContext, 'master' | 'now' | 'stages'>, OfCell {
  readonly logger: LineLogger;
  readonly pool: Database['pool'];
  readonly log: PostgresLog;
  /** Stamps the records of the log. */
  readonly clock: LogClock;
}

/** What the rooms of the main thread are opened with. */
export interface Platform extends ThreadPlatform {
  readonly logger: Logger;
  readonly database: Database;
}

const newerMessage =
  'a newer release has changed the database; this release keeps running until a newer one shuts it out';

/**
 * The migrated database, the master keys checked against it, and the log.
 *
 * @throws OperatorError, or `stop.reason`
 */
export async function openPlatform(context: PlatformContext): Promise<Platform> {
  const { databaseUrl, logTopic, home, migrations, master, logger, now, stages, adopt, stop } = context;
  const database = await openDatabase({ databaseUrl, logTopic, home, log: logger, atOnce: context.atOnce ?? false });
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
  const unchecked = await checkLogTopic(pool, logTopic);
  if (unchecked !== undefined) logger.error({ err: unchecked }, uncheckedMessage);
  stop?.throwIfAborted();
  const { log, clock } = await openLog({ connection, pool, stages, records: { adopt, logger }, logger });
  return { master, logger, now, stages, database, pool, log, clock };
}

const uncheckedMessage =
  'the topic of the log cannot be checked: no broker answers; PostgreSQL stores the events meanwhile';
const adoptedMessage = 'the database lost records that Kafka has; they were appended again';
const storeMessage =
  'Kafka did not answer; PostgreSQL stores the events meanwhile, and records in Kafka wait to be read';

/** The log as one thread uses it, and its clock. */
export async function openLog(context: {
  readonly connection: DatabaseConnection;
  readonly pool: Database['pool'];
  readonly stages: Stages;
  /** What a part of the service makes again that the database lost, and where it says so. */
  readonly records: { readonly adopt: AdoptHook; readonly logger: LineLogger };
  /** Of one thread: it says when the clock of the machine is far from the log's. */
  readonly logger?: LineLogger;
}): Promise<Pick<Platform, 'log' | 'clock'>> {
  const { connection, pool, stages, records, logger } = context;
  const clock = new LogClock();
  const log = openEventLog({
    connection,
    pool,
    clock: clock.read,
    adopt: records.adopt,
    onAdopted: (adopted) => records.logger.warn(adopted, adoptedMessage),
    onError: (error) => records.logger.warn({ err: error }, storeMessage),
  });
  stages.started('log', () => log.close());
  const following = await followLog(log, clock, logger);
  stages.started('log clock', () => clearInterval(following));
  return { log, clock };
}
