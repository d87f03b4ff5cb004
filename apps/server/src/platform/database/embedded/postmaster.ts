import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../observability/operator-error.ts';
import type { DatabaseLog } from '../database-log.ts';
import type { Binaries } from './binaries.ts';
import { howToMend, serverEnvironment } from './cluster.ts';
import { type Place, socketPort } from './data-directory.ts';
import { postgresLogTail } from './postgres-log-tail.ts';
import { databaseProcessesIn, processLife, servesFolder } from './process-identity.ts';

/** Polling interval while waiting for the server to be ready or to end. */
const lookEveryMs = 15;
/** Recovery after a crash replays at most max_wal_size (1 GB), possibly on a slow disk. */
const readyMsMax = 120_000;
/** A fast shutdown writes a checkpoint; if it takes longer, the next start recovers instead. */
const fastStopMsMax = 3_000;
const immediateStopMsMax = 1_500;
/** Backends of a killed postmaster keep its shared memory until they end. */
const sharedMemoryMsMax = 5_000;
/** The server logs warnings and errors only; a file above this size is rotated at a start. */
const logBytesMax = 8 * 1024 * 1024;
const logTailBytes = 2_000;

/** A server started by this process. */
export interface Postmaster {
  readonly pid: number;
  /** Resolves when the process has ended for any reason; with the error if it could not be run at all. */
  readonly ended: Promise<Error | undefined>;
  /** The last lines of its log. */
  said(): Promise<string>;
  stop(): Promise<void>;
}

/** The inputs of a server start. */
export interface ServerPlan {
  readonly place: Place;
  readonly binaries: Binaries;
  readonly configFile: string;
  readonly log: DatabaseLog;
}

/**
 * Starts a server on the place's data folder, and resolves when it accepts connections.
 *
 * @throws OperatorError with the server's log of this start, or the reason why it could not be run
 */
export async function startPostmaster(of: ServerPlan): Promise<Postmaster> {
  const { place, log } = of;
  const triesEndAtMs = performance.now() + sharedMemoryMsMax;
  for (;;) {
    const { child, ended, said } = await spawnServer(of);
    if (await becomesReady(place, child)) return { ...watched(place, child, ended), said };

    const told = (await ended)?.message ?? (await said());
    const waitsForBackends = told.includes('pre-existing shared memory block');
    if (!waitsForBackends || performance.now() > triesEndAtMs) {
      throw new OperatorError(`The embedded database in ${place.folder} did not start. Its log:\n${told}`, howToMend);
    }
    await endOrphans(place, log);
    await sleep(100); // without /proc no orphans can be listed, so wait for them to end
  }
}

/**
 * Stops the server that a killed process left running on the data folder, if there is one.
 *
 * Restarting it is simpler than adopting it: a server that is not our child can be neither supervised nor waited for,
 * and both ways take well under a second.
 */
export async function stopLeftover(place: Place, log: DatabaseLog): Promise<void> {
  const [pidText] = await readPidFile(place);
  const pid = Number(pidText ?? 0);
  if (pid > 1 && (await servesFolder(pid, place.dataFolder))) {
    log.warn({ pid }, 'stopping the database server that a killed process left behind');
    await stopProcess(pid);
  }
  await removeStaleLocks(place, log);
}

/**
 * Removes stale lock files, which would keep the server from starting. In a container that was killed and restarted,
 * the old server's pid may belong to another process, or to a zombie if nothing reaps orphans; after a power failure a
 * file may be empty. The files also guard running processes, so they are removed after the last one that uses the data.
 */
async function removeStaleLocks(place: Place, log: DatabaseLog): Promise<void> {
  const locks = [pidFile(place), join(place.socketFolder, `.s.PGSQL.${String(socketPort)}.lock`)];
  const found = await Promise.allSettled(locks.map((file) => stat(file)));
  // After a clean stop there are none, and the scan of all processes can be skipped.
  if (process.platform !== 'linux' || found.every(({ status }) => status === 'rejected')) return;
  await endOrphans(place, log);
  if ((await databaseProcessesIn(place.dataFolder)).length > 0) return;
  for (const file of locks) await rm(file, { force: true });
}

/**
 * Kills the orphans of a killed postmaster. Its backends notice and exit within milliseconds, unless one waits for
 * another that was killed too: it would keep the shared memory forever, and no server could start. SIGKILL is safe: the
 * recovery that follows treats them all as crashed.
 */
async function endOrphans(place: Place, log: DatabaseLog): Promise<void> {
  const orphans = await databaseProcessesIn(place.dataFolder);
  if (orphans.length === 0) return;
  log.warn({ pids: orphans }, 'ending the processes that a killed database server left behind');
  await Promise.all(orphans.map((pid) => endProcess(pid, [['SIGKILL', immediateStopMsMax]])));
}

/** The last lines of the log from byte `start`: what comes before is from earlier servers. */
async function logTail(place: Place, start: number): Promise<string> {
  const said = (await readFile(logFile(place)).catch(() => Buffer.alloc(0))).subarray(start);
  return postgresLogTail(said.toString(), logTailBytes);
}

function logFile(place: Place): string {
  return join(place.folder, 'postgres.log');
}

async function spawnServer({ place, binaries, configFile }: ServerPlan) {
  const size = await stat(logFile(place)).then(
    (found) => found.size,
    () => 0,
  );
  const isTurnedOver = size > logBytesMax;
  if (isTurnedOver) await rename(logFile(place), `${logFile(place)}.1`);
  const said = (): Promise<string> => logTail(place, isTurnedOver ? 0 : size);

  // A file, not a pipe: the server may outlive us, and must never block on a busy reader.
  const output = await open(logFile(place), 'a', 0o600);
  try {
    const child = spawn(binaries.postgres, ['-D', place.dataFolder, '-c', `config_file=${configFile}`], {
      ...place.user,
      cwd: place.dataFolder,
      env: serverEnvironment(binaries),
      stdio: ['ignore', output.fd, output.fd],
      // Its own session, otherwise Ctrl-C in our terminal would stop the database before the service has drained.
      detached: true,
    });
    const ended = new Promise<Error | undefined>((resolve) => {
      child.once('exit', () => resolve(undefined));
      child.once('error', resolve);
    });
    return { child, ended, said };
  } finally {
    await output.close();
  }
}

/** False if the process ended instead. */
async function becomesReady(place: Place, child: ChildProcess): Promise<boolean> {
  const endAtMs = performance.now() + readyMsMax;
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const lines = await readPidFile(place);
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return true;
    if (performance.now() > endAtMs) {
      await stopProcess(child.pid);
      return false;
    }
    await sleep(lookEveryMs);
  }
  return false;
}

function watched(place: Place, child: ChildProcess, ended: Postmaster['ended']): Omit<Postmaster, 'said'> {
  const pid = child.pid!;
  child.unref();
  const watchdog = startWatchdog(place, pid);
  return {
    pid,
    ended,
    stop: async () => {
      child.ref(); // otherwise Node could exit while waiting for the child's end
      await stopProcess(pid);
      await ended;
      watchdog.stdin?.end();
    },
  };
}

/**
 * Starts a watchdog, so that the server does not outlive this process. A shell waits for the end of a pipe that only
 * this process has open: it closes when this process ends, even by kill -9. Then the shell asks the server to stop, if
 * the pid is still the same. Without a shell the server runs on until the next start stops it.
 */
function startWatchdog(place: Place, pid: number): ChildProcess {
  const script = 'read -r _; read -r pid < postmaster.pid && [ "$pid" = "$1" ] && kill -INT "$1"';
  const watchdog = spawn('/bin/sh', ['-c', script, 'ringfence-watchdog', String(pid)], {
    ...place.user,
    cwd: place.dataFolder,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.on('error', () => {});
  watchdog.stdin?.on('error', () => {});
  watchdog.unref();
  (watchdog.stdin as { unref?: () => void } | null)?.unref?.();
  return watchdog;
}

/** Stops a server: fast, then immediate, then SIGKILL. None of them loses a commit. */
async function stopProcess(pid: number): Promise<void> {
  await endProcess(pid, [
    ['SIGINT', fastStopMsMax],
    ['SIGQUIT', immediateStopMsMax],
    ['SIGKILL', immediateStopMsMax],
  ]);
}

async function endProcess(pid: number, steps: readonly (readonly [signal: NodeJS.Signals, waitMs: number])[]) {
  const life = await processLife(pid);
  for (const [signal, waitMs] of steps) {
    if (life === undefined || (await processLife(pid)) !== life) return;
    try {
      process.kill(pid, signal);
    } catch {
      return; // it has ended since the check
    }
    const endAtMs = performance.now() + waitMs;
    while (performance.now() < endAtMs && (await processLife(pid)) === life) await sleep(lookEveryMs);
  }
}

/** Lines of postmaster.pid: pid, data folder, start, port, socket folder, address, shared memory, state. */
async function readPidFile(place: Place): Promise<readonly string[]> {
  const text = await readFile(pidFile(place), 'utf8').catch(() => '');
  return text.split('\n');
}

function pidFile(place: Place): string {
  return join(place.dataFolder, 'postmaster.pid');
}
