import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig, Pool, type PoolClient, types } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';
import type { DatabaseLog } from './database-log.ts';
import { readDatabaseUrl } from './database-url.ts';
import { checkDurability } from './durability.ts';
import { refuseTransactionPooler } from './pooler.ts';
import { readReachFailure } from './reach-failure.ts';
import { checkSession } from './session-settings.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

/** The one database of an installation, open. */
export interface Database {
  /** For connections of one's own (LISTEN, advisory locks). Plain data: it can be handed to another thread. */
  readonly connection: ClientConfig;
  readonly pool: Pool;
  readonly kind: 'embedded' | 'external';
  /** Where it is, for people: a folder, or host and database name. Never a password. */
  readonly where: string;
  /** Ends every connection of the pool, whatever runs on it, and opens no other: who waits for an answer is told so. */
  cut(): void;
  /** Closes the pool, and stops an embedded server that was started by `openDatabase`. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** `undefined`: the embedded database under `home`. */
  readonly databaseUrl: string | undefined;
  readonly home: string;
  readonly log: DatabaseLog;
  /** For commands: use the embedded server of a service that runs on this home, if there is one. */
  readonly attach?: boolean;
}

/** Connections of the main thread's pool. With the engine host's, two that append, the owner's and two listeners, a process takes 31. */
const connectionsMax = 16;
const connectMsMax = 3_000;
const idleMsMax = 30_000;
/** Longest statement of the service; longer ones (backup, migrations) have connections of their own. */
const statementMsMax = 15_000;
/** A server that is cut off does not say that it gave the statement up. */
const answerMsMax = statementMsMax + 1_000;
/**
 * A transaction whose process stands still, or whose machine is gone, holds its locks for so long. Appends of other processes
 * wait for one of these locks, and so does whoever takes its partitions over, after 7 s.
 */
const idleInTransactionMsMax = 5_000;
/** An external database may be starting together with us. */
const patienceMs = 30_000;
const tryAgainMs = 500;

/**
 * Opens the database and makes sure that it keeps what it confirms. Its tables are `migrate`'s business.
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
    for (const client of open) (client as PoolClient & Pick<Client, 'connection'>).connection.stream.destroy();
  };
  const close = async (): Promise<void> => {
    await end();
    await reached.stop();
  };
  try {
    await waitForServer(pool, reached, options.log);
    await checkSession(pool);
    for (const warning of await checkDurability(pool)) options.log.warn({ database: where }, warning);
    return { connection, pool, kind, where, cut, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Gives up where no connection comes about, however long its pool lets others wait for one that is in use. */
class QuickClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMsMax });
  }
}

/**
 * A pool with the service's bounds. Whole numbers of 8 bytes come as numbers, checked to be safe ones.
 *
 * @param waitMsMax how long one may wait until others of the process need their connection no more
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
    keepAlive: true,
    types: { getTypeParser },
  });
  pool.on('error', () => {}); // an idle connection broke: the pool makes another
  pool.on('connect', tellFirstCause);
  return pool;
}

/**
 * One that is in use may break between two statements: without a listener the process would end. Its user is told by the
 * next one, of which the driver says only that the connection is of no use: why, it said before.
 */
function tellFirstCause(client: PoolClient): void {
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
      throw error;
    });
  };
  client.query = telling as PoolClient['query'];
}

/** A connection without the service's time limits, for work that takes as long as it takes. */
export async function connectForLongWork(connection: ClientConfig): Promise<Client> {
  const client = new Client({
    ...connection,
    application_name: 'ringfence maintenance',
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    types: { getTypeParser },
  });
  client.on('error', () => {}); // what runs on it is told by its own rejection
  await client.connect();
  // The role or the database may have limits of its own, meant for sessions of people.
  await client.query('SET statement_timeout = 0');
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
async function waitForServer(pool: Pool, { kind, where }: Reached, log: DatabaseLog): Promise<void> {
  const patience = kind === 'embedded' ? 0 : patienceMs;
  const endAtMs = performance.now() + patience;
  for (let tries = 1; ; tries++) {
    try {
      await tryServer(pool, kind);
      return;
    } catch (cause) {
      const { reason, mend, mayPass } = readReachFailure(cause);
      if (performance.now() < endAtMs && mayPass && !(cause instanceof OperatorError)) {
        if (tries === 1)
          log.warn({ database: where, err: cause }, `the database does not answer yet: waiting ${patience / 1_000} s`);
        await sleep(tryAgainMs);
        continue;
      }
      if (cause instanceof OperatorError) throw cause;
      throw new OperatorError(`The database (${where}) cannot be reached: ${reason}.`, mend, { cause });
    }
  }
}

/** On connections that the pool keeps for the work to come. */
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
    if (rows[0]?.standby === true) throw new Error('it is a standby and takes no writes');
    // Nobody stands between us and our own.
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
