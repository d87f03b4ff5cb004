import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../observability/operator-error.ts';
import type { DatabaseLog } from '../database-log.ts';
import type { Binaries } from './binaries.ts';
import { howToMend, serverEnvironment } from './cluster.ts';
import { type Place, socketPort } from './data-directory.ts';
import { saidOfItself } from './postgres-log-tail.ts';
import { databaseProcessesIn, processLife, servesFolder } from './process-identity.ts';

/** How often we look whether the server is ready or gone. */
const lookEveryMs = 15;
/** Recovery after a crash replays at most max_wal_size (1 GB), on a slow disk too. */
const readyMsMax = 120_000;
/** A fast shutdown writes a checkpoint; what takes longer is left to the recovery of the next start. */
const fastStopMsMax = 3_000;
const immediateStopMsMax = 1_500;
/** Backends of a postmaster that was killed hold its shared memory until they have ended. */
const sharedMemoryMsMax = 5_000;
/** The server only tells warnings and errors; the file is turned over at a start beyond this size. */
const logBytesMax = 8 * 1024 * 1024;
const logTailBytes = 2_000;

/** A server that was started by this process. */
export interface Postmaster {
  readonly pid: number;
  /** Resolves when the process has ended, however that came; with why it could not be run at all. */
  readonly ended: Promise<Error | undefined>;
  /** The last lines that it has written to its log. */
  said(): Promise<string>;
  stop(): Promise<void>;
}

/** What a server is started from. */
export interface ServerPlan {
  readonly place: Place;
  readonly binaries: Binaries;
  readonly configFile: string;
  readonly log: DatabaseLog;
}

/**
 * Starts a server on the place's data folder, and resolves when it takes connections.
 *
 * @throws OperatorError with what it said of this start, or why it could not be run
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
      throw new OperatorError(`The embedded database in ${place.folder} did not start. It said:\n${told}`, howToMend);
    }
    await endOrphans(place, log);
    await sleep(100); // a system without /proc tells us of none: there they are waited for
  }
}

/**
 * Stops the server that a killed process of ours left behind, if one runs on the data folder.
 *
 * It is stopped and started anew rather than taken over: a server that is not our child could be neither watched nor
 * waited for, and both ways take well under a second.
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
 * Lock files that nobody holds would keep the server from starting: in a container that was killed and started again, the
 * old server's number may belong to somebody else, or to what is left of it where nobody waits for orphans; and after a
 * loss of power a file may be empty. They go after the last process that works on the data, which they also guard.
 */
async function removeStaleLocks(place: Place, log: DatabaseLog): Promise<void> {
  const locks = [pidFile(place), join(place.socketFolder, `.s.PGSQL.${String(socketPort)}.lock`)];
  const found = await Promise.allSettled(locks.map((file) => stat(file)));
  // After a clean stop there is none, and nobody has to look at all processes of the machine.
  if (process.platform !== 'linux' || found.every(({ status }) => status === 'rejected')) return;
  await endOrphans(place, log);
  if ((await databaseProcessesIn(place.dataFolder)).length > 0) return;
  for (const file of locks) await rm(file, { force: true });
}

/**
 * Ends what a postmaster that was killed has left. Its backends notice and go within milliseconds, except one that waits
 * for another which was killed as well: that would hold the shared memory for ever, and no server could start. By force
 * is safe: the recovery that follows takes them all for crashed.
 */
async function endOrphans(place: Place, log: DatabaseLog): Promise<void> {
  const orphans = await databaseProcessesIn(place.dataFolder);
  if (orphans.length === 0) return;
  log.warn({ pids: orphans }, 'ending the processes that a killed database server left behind');
  await Promise.all(orphans.map((pid) => endProcess(pid, [['SIGKILL', immediateStopMsMax]])));
}

/** The last lines of the log from `start`, in bytes: what is before it, earlier servers have said. */
async function logTail(place: Place, start: number): Promise<string> {
  const said = (await readFile(logFile(place)).catch(() => Buffer.alloc(0))).subarray(start);
  return saidOfItself(said.toString(), logTailBytes);
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

  // A file, not a pipe: the server may outlive us, and must never wait for a reader that is busy.
  const output = await open(logFile(place), 'a', 0o600);
  try {
    const child = spawn(binaries.postgres, ['-D', place.dataFolder, '-c', `config_file=${configFile}`], {
      ...place.user,
      cwd: place.dataFolder,
      env: serverEnvironment(binaries),
      stdio: ['ignore', output.fd, output.fd],
      // Its own session, or Ctrl-C in our terminal would stop the database before we have drained.
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

/** False when the process ended instead. */
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
      child.ref(); // or Node could end while we wait for the child's end
      await stopProcess(pid);
      await ended;
      watchdog.stdin?.end();
    },
  };
}

/**
 * Sees to it that the server does not live on without us. A shell waits for the end of a pipe that only we hold open:
 * that comes when we end, also by kill -9. Then it asks the server to stop, if the server is still the one.
 * Without a shell the server lives on until our next start stops it.
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

/** Ends a server: fast, then immediate, then by force. None of them loses a commit. */
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
      return; // it has ended by itself since we looked
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
