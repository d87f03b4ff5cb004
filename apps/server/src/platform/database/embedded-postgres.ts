import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';
import { isForbidden, isOutOfSpace, writeFailure } from '../observability/write-failure.ts';
import type { DatabaseLog } from './database-log.ts';
import { prepareBinaries } from './embedded/binaries.ts';
import { makeCluster } from './embedded/cluster.ts';
import { claimFolder, folderOwner, type Ownership } from './embedded/owner.ts';
import {
  choosePlace,
  findPlace,
  isFolder,
  makePrivateFolder,
  type Place,
  socketPort,
} from './embedded/data-directory.ts';
import { type Postmaster, type ServerPlan, startPostmaster, stopLeftover } from './embedded/postmaster.ts';
import { databaseName, writeSettings } from './embedded/settings.ts';

/** How to connect to an embedded server, as `pg` options. `host` is the folder of its Unix socket. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export interface EmbeddedPostgres {
  readonly connectionConfig: EmbeddedConnection;
  readonly dataFolder: string;
  /** Of the current server; it changes when the server dies and is restarted. */
  readonly pid: number;
  /** Stops cleanly, within 5 s, and releases the folder. */
  stop(): Promise<void>;
}

const mends = {
  room: 'Free some space (disk, quota, ulimit -f), or set `home` (RINGFENCE_HOME) to a folder on a larger disk.',
  rights: 'Run the command as the user that the service runs as, on a disk that can be written to.',
};

/** Exponential backoff between attempts to start a server that does not start. */
const restartDelayMs = { first: 100, longest: 5_000 };

/**
 * Starts a real PostgreSQL as a child process, with its data under `home` (or where `choosePlace` decides). Creates the
 * data if there are none.
 *
 *   claim folder -> stop a leftover -> start -> ready -> (ended unexpectedly -> restart)* -> stop -> release
 *
 * The server is supervised: if it ends unexpectedly, it is restarted and recovers. If this process ends without `stop`,
 * a watchdog asks the server to stop, and the next start stops whatever is left.
 *
 * @throws FolderOwnedError when another living process runs the database of this home
 * @throws OperatorError when there are no binaries for this machine, the data are from another major version, or the
 *   folder cannot be used
 */
export function startEmbeddedPostgres(options: Wanted): Promise<EmbeddedPostgres> {
  return inWords(options.home, () => start(options));
}

interface Wanted {
  readonly home: string;
  readonly log: DatabaseLog;
}

async function start({ home, log }: Wanted): Promise<EmbeddedPostgres> {
  const place = await choosePlace(home);
  const ownership = await claimFolder(place.folder);
  try {
    const binaries = await prepareBinaries(place.folder, place.user === undefined);
    await stopLeftover(place, log);
    const made = await makeCluster(place, binaries);
    await makePrivateFolder(place.socketFolder, place.user);
    const configFile = await writeSettings(place);
    const postmaster = await startPostmaster({ place, binaries, configFile, log });
    await makeDatabase(connectionTo(place, 'postgres'));
    log.info({ folder: place.folder, pid: postmaster.pid, made }, 'embedded database is ready');
    return supervise({ place, binaries, configFile, ownership, log }, postmaster);
  } catch (error) {
    await stopLeftover(place, log);
    await ownership.release();
    throw error;
  }
}

/**
 * How to connect to the embedded server that another process runs for this home, for commands that attach to it;
 * `undefined` if none is running.
 *
 * @throws OperatorError when this user may not read the folder
 */
export function findEmbeddedPostgres(home: string): Promise<EmbeddedConnection | undefined> {
  return inWords(home, async () => {
    const place = await findPlace(home);
    if (place === undefined || (await folderOwner(place.folder)) === undefined) return undefined;
    return connectionTo(place, databaseName);
  });
}

/** Whether a database exists for this home. @throws OperatorError when this user may not read the folder */
export function hasEmbeddedPostgres(home: string): Promise<boolean> {
  return inWords(home, async () => {
    const place = await findPlace(home);
    return place !== undefined && (await isFolder(place.dataFolder));
  });
}

/** Runs `work` on the folders of a database, and reports a full disk or missing permissions in plain words. */
async function inWords<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const isFull = isOutOfSpace(cause);
    if (!isFull && !isForbidden(cause)) throw cause;
    throw new OperatorError(
      `The embedded database of ${home} cannot be used: ${writeFailure(cause)!} (${(cause as Error).message}).`,
      isFull ? mends.room : mends.rights,
      { cause },
    );
  }
}

interface Supervised extends ServerPlan {
  readonly ownership: Ownership;
}

function supervise(of: Supervised, first: Postmaster): EmbeddedPostgres {
  let current = first;
  const stopping = new AbortController();

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await current.ended;
      if (stopping.signal.aborted) return;
      const said = await current.said();
      of.log.error({ pid: current.pid, said }, 'the embedded database ended unexpectedly; restarting it');
      current = (await startAgain(of, stopping.signal)) ?? current;
    }
  }
  const watching = watch();

  return {
    connectionConfig: connectionTo(of.place, databaseName),
    dataFolder: of.place.dataFolder,
    get pid() {
      return current.pid;
    },
    stop: async () => {
      if (stopping.signal.aborted) return watching;
      stopping.abort();
      await current.stop();
      await watching;
      await current.stop();
      await of.ownership.release();
    },
  };
}

/** Retries until it starts, or until this process stops. */
async function startAgain(of: Supervised, stopping: AbortSignal): Promise<Postmaster | undefined> {
  let delayMs = restartDelayMs.first;
  while (!stopping.aborted) {
    try {
      const postmaster = await startPostmaster(of);
      of.log.info({ pid: postmaster.pid }, 'embedded database is ready again');
      return postmaster;
    } catch (error) {
      of.log.error({ err: error, delayMs }, 'the embedded database does not start');
      await sleep(delayMs, undefined, { signal: stopping }).catch(() => {});
      delayMs = Math.min(delayMs * 2, restartDelayMs.longest);
    }
  }
  return undefined;
}

function connectionTo(place: Place, database: string): EmbeddedConnection {
  return { host: place.socketFolder, port: socketPort, user: databaseName, database };
}

async function makeDatabase(connection: EmbeddedConnection): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseName]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
  } finally {
    await client.end();
  }
}
