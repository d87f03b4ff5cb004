import { setTimeout as sleep } from 'node:timers/promises';
import { endWithDeadPeer, leaveDeadServer } from '@ringfence/log';
import { Client, type ClientConfig, Pool, type PoolClient, type QueryConfig, types } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';
import type { DatabaseLog } from './database-log.ts';
import type { DatabaseConnection, LogTopic } from './event-log.ts';
import { readDatabaseUrl } from './database-url.ts';
import { checkDurability } from './durability.ts';
import { refuseTransactionPooler } from './pooler.ts';
import { readReachFailure } from './reach-failure.ts';
import { checkSession } from './session-settings.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

/** The open database of an installation; there is exactly one. */
export interface Database {
  /** For dedicated connections (LISTEN, advisory locks). Plain data: it can be sent to another thread. */
  readonly connection: DatabaseConnection;
  readonly pool: Pool;
  readonly kind: 'embedded' | 'external';
  /** Its location for display: a folder, or host and database name. Never a password. */
  readonly where: string;
  /** Cuts every connection of the pool, busy or not, and opens no more: pending queries are rejected. */
  cut(): void;
  /** Closes the pool, and stops the embedded server if `openDatabase` started it. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** `undefined`: the embedded database under `home`. */
  readonly databaseUrl: string | undefined;
  readonly home: string;
  readonly log: DatabaseLog;
  /** Where the bytes of the log are kept; `undefined`: in this database. */
  readonly logTopic?: LogTopic | undefined;
  /** For commands: use the embedded server of a service that already runs on this home, if there is one. */
  readonly attach?: boolean;
  /** For `doctor`: does not wait for a server that may be starting, but reports at once why it cannot be reached. */
  readonly atOnce?: boolean;
}

/**
 * Connections of the main thread's pool. With its own for appends and notifications, the 13 of a deciding thread and the
 * 10 of an ingest thread, a process uses 41.
 */
const connectionsMax = 16;
const connectMsMax = 3_000;
const idleMsMax = 30_000;
/** Longest statement of the service; longer work (backup, migrations) has its own connections. */
const statementMsMax = 15_000;
/** A server behind a broken connection cannot report that it cancelled the statement, so the client times out too. */
const answerMsMax = statementMsMax + 1_000;
/**
 * How long a transaction whose process is stopped or whose machine is gone keeps its locks. Appends of other processes
 * wait for one of these locks, and so does a failover of its partitions, which starts after 7 s.
 */
const idleInTransactionMsMax = 5_000;
/** A backup is read as fast as its disk takes it. */
const longUnreadSecondsMax = 300;
/** An external database may be starting at the same time. */
const patienceMs = 30_000;
const tryAgainMs = 500;

/**
 * Opens the database and checks that it does not lose what it confirms. Creates no tables; `migrate` does that.
 *
 * @throws OperatorError when it cannot be reached, or its settings would lose events
 * @throws FolderOwnedError when another process runs the embedded database, and `attach` is not set
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const reached = await reach(options);
  const { connection, kind, where } = reached;
  const pool = makePool(connection, connectionsMax);
  const open = new Set<PoolClient>();
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= pool.end());
  const cut = (): void => {
    void end();
    for (const client of open) cutConnection(client);
  };
  const close = async (): Promise<void> => {
    await end();
    await reached.stop();
  };
  try {
    await waitForServer(pool, reached, options);
    await checkSession(pool);
    for (const warning of await checkDurability(pool)) options.log.warn({ database: where }, warning);
    return { connection: { ...connection, logTopic: options.logTopic }, pool, kind, where, cut, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Fails fast if no connection can be opened, however long callers may wait for a free connection of the pool. */
class QuickClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMsMax });
    this.on('error', () => {}); // until the pool listens
  }

  override connect(): Promise<Client>;
  override connect(done: (error: Error | null) => void): void;
  override async connect(done?: (error: Error | null) => void): Promise<Client> {
    const beganMs = performance.now();
    try {
      await super.connect();
      const leftMs = Math.max(1, Math.round(beganMs + connectMsMax - performance.now()));
      await this.query({ text: endWithDeadPeer(), query_timeout: leftMs } as QueryConfig);
    } catch (error) {
      this.connection.stream.destroy(); // the pool only forgets it
      if (done === undefined) throw error;
      done(error as Error);
      return this;
    }
    done?.(null);
    return this;
  }
}

/**
 * A connection pool with the service's limits. Parses int8 values to numbers, and throws for unsafe ones.
 *
 * @param waitMsMax how long a caller may wait for a free connection
 */
export function makePool(connection: ClientConfig, max: number, waitMsMax = connectMsMax): Pool {
  const pool = new Pool({
    ...connection,
    Client: QuickClient,
    max,
    application_name: 'ringfence',
    connectionTimeoutMillis: waitMsMax,
    idleTimeoutMillis: idleMsMax,
    statement_timeout: statementMsMax,
    query_timeout: answerMsMax,
    idle_in_transaction_session_timeout: idleInTransactionMsMax,
    ...leaveDeadServer,
    types: { getTypeParser },
  });
  pool.on('error', () => {}); // an idle connection broke: the pool opens another
  pool.on('connect', watchClient);
  return pool;
}

/** What the driver says when `query_timeout` has passed. */
const unanswered = 'Query read timeout';

/**
 * Attaches the first error of a connection to later rejections as their cause. A busy connection may break between two
 * statements; without a listener the process would end. The driver rejects the next statement without the reason.
 *
 * A connection whose server does not answer is cut: the driver would queue the rollback, and the statements of later
 * users of the connection, behind the one that gets no answer.
 */
function watchClient(client: PoolClient): void {
  let first: Error | undefined;
  client.on('error', (error) => {
    first ??= error;
  });
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  const telling = (...given: unknown[]): unknown => {
    const answer = query(...given);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: Error) => {
      if (first !== undefined && first !== error) error.cause ??= first;
      if (error.message === unanswered) cutConnection(client);
      throw error;
    });
  };
  client.query = telling as PoolClient['query'];
}

function cutConnection(client: PoolClient): void {
  (client as PoolClient & Pick<Client, 'connection'>).connection.stream.destroy();
}

/** A connection without the service's time limits, for work of any length. */
export async function connectForLongWork(connection: ClientConfig): Promise<Client> {
  const client = new Client({
    ...connection,
    application_name: 'ringfence maintenance',
    connectionTimeoutMillis: connectMsMax,
    ...leaveDeadServer,
    types: { getTypeParser },
  });
  client.on('error', () => {}); // its queries are rejected
  await client.connect();
  // The role or the database may have its own limits, meant for interactive sessions.
  await client.query('SET statement_timeout = 0');
  await client.query(endWithDeadPeer(longUnreadSecondsMax));
  await client.query('SET idle_in_transaction_session_timeout = 0');
  return client;
}

interface Reached {
  readonly connection: ClientConfig;
  readonly kind: Database['kind'];
  readonly where: string;
  stop(): Promise<void>;
}

async function reach({ databaseUrl, home, log, attach }: DatabaseOptions): Promise<Reached> {
  if (databaseUrl !== undefined) {
    return { ...readDatabaseUrl(databaseUrl), kind: 'external', stop: async () => {} };
  }
  const running = attach === true ? await findEmbeddedPostgres(home) : undefined;
  if (running !== undefined) {
    return { connection: { ...running }, kind: 'embedded', where: running.host, stop: async () => {} };
  }
  const started = await startEmbeddedPostgres({ home, log });
  return {
    connection: { ...started.connectionConfig },
    kind: 'embedded',
    where: started.dataFolder,
    stop: () => started.stop(),
  };
}

/** @throws OperatorError */
async function waitForServer(
  pool: Pool,
  { kind, where }: Reached,
  { log, atOnce = false }: DatabaseOptions,
): Promise<void> {
  const patience = kind === 'embedded' || atOnce ? 0 : patienceMs;
  const endAtMs = performance.now() + patience;
  for (let tries = 1; ; tries++) {
    try {
      await tryServer(pool, kind);
      return;
    } catch (cause) {
      const { reason, mend, mayPass } = readReachFailure(cause);
      if (performance.now() < endAtMs && mayPass && !(cause instanceof OperatorError)) {
        if (tries === 1)
          log.warn(
            { database: where, err: cause },
            `the database does not answer yet: waiting up to ${patience / 1_000} s`,
          );
        await sleep(tryAgainMs);
        continue;
      }
      if (cause instanceof OperatorError) throw cause;
      throw new OperatorError(`The database (${where}) cannot be reached: ${reason}.`, mend, { cause });
    }
  }
}

/** Uses connections that then stay in the pool. */
async function tryServer(pool: Pool, kind: Database['kind']): Promise<void> {
  const clients: PoolClient[] = [];
  let isWell = false;
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    clients.push(client);
    return client;
  };
  try {
    const first = await connect();
    const { rows } = await first.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    if (rows[0]?.standby === true) throw new Error('it is a standby and accepts no writes');
    // There is no pooler in front of the embedded server.
    if (kind === 'external') await refuseTransactionPooler([first, await connect()]);
    isWell = true;
  } finally {
    for (const client of clients) client.release(!isWell);
  }
}

const int8 = 20;

const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 ? safeNumber : defaultParser(oid, format);

const defaultParser = types.getTypeParser.bind(types) as (oid: number, format?: string) => (text: string) => unknown;

function safeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a safe integer`);
  return value;
}
