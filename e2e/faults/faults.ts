import { execFile } from 'node:child_process';
import { readFile, rm, statfs } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { descendantsOf } from '../harness/process-tree.ts';
import { minuteMs } from './alert-watch.ts';
import { filesMax, type Unreachable, type World } from './world.ts';

/** What happens to a world for a while. */
export interface Fault {
  readonly name: string;
  /** Alerts that must fire. */
  readonly fires: readonly string[];
  /** Alerts that are right as well: whether they fire depends on the moment. */
  readonly mayFire?: readonly string[];
  /** Causes it, waits, and ends it. */
  readonly happen: (world: World) => Promise<void>;
}

const run = promisify(execFile);
const secondMs = 1_000;
/** Longer than any rule waits that is for such a fault: ten minutes and a scrape. */
const longMs = 13 * minuteMs;

const databaseIsAway = ['RingfenceDatabaseAway', 'RingfenceRegistryOld', 'RingfenceEventsNotStored'];
/** What follows when nothing can be stored or read for a while. */
const late = [
  'RingfenceDecisionsLate',
  'RingfenceBacklogGrows',
  'RingfenceActionsWait',
  'RingfencePoolWaits',
  'RingfenceIngestPoolWaits',
  'RingfenceAttemptsFail',
  'RingfenceWebhookFails',
];

export const faults: readonly Fault[] = [
  { name: 'database away', fires: databaseIsAway, mayFire: late, happen: databaseAway },
  {
    name: 'disk full',
    fires: ['RingfenceEventsNotStored', 'RingfenceDiskFills'],
    mayFire: [...databaseIsAway, ...late],
    happen: diskFull,
  },
  {
    name: 'open files',
    fires: ['RingfenceConnectionsRefused'],
    mayFire: ['RingfenceOpenFiles', 'RingfenceEventsNotStored', ...late],
    happen: openFiles,
  },
  {
    name: 'process stopped for a minute',
    fires: ['RingfenceNotScraped'],
    mayFire: [...databaseIsAway, ...late],
    happen: (world) => stopped(world, 6 * minuteMs),
  },
  {
    name: 'a worker without memory',
    fires: [],
    mayFire: ['RingfenceNotScraped', ...databaseIsAway, ...late],
    happen: withoutMemory,
  },
  { name: 'clock an hour ahead', fires: ['RingfenceClockWrong'], happen: (world) => clockAhead(world, 3_600) },
  { name: 'clock three hours behind', fires: ['RingfenceClockWrong'], happen: (world) => clockAhead(world, -10_800) },
  { name: 'name of a webhook gone', ...unreachable('name') },
  { name: 'certificate of a webhook expired', ...unreachable('certificate') },
  {
    name: 'receiver of every kind',
    fires: ['RingfenceAttemptsFail'],
    mayFire: ['RingfenceWebhookFails', 'RingfenceWebhookSlow', 'RingfenceActionsWait'],
    happen: moody,
  },
  {
    name: 'database away, receiver of every kind and clock at once',
    fires: [...databaseIsAway, 'RingfenceClockWrong'],
    mayFire: [...late, 'RingfenceWebhookSlow'],
    happen: async (world) => void (await Promise.all([databaseAway(world), moody(world), clockAhead(world, 3_600)])),
  },
];

/** All processes of the database are stopped, as when its storage does not answer. */
async function databaseAway({ service }: World): Promise<void> {
  const processes = descendantsOf(service.pid).filter(({ name }) => name === 'postgres');
  const signal = (what: NodeJS.Signals): void => processes.forEach(({ pid }) => trySignal(pid, what));
  signal('SIGSTOP');
  try {
    await sleep(12 * minuteMs);
  } finally {
    signal('SIGCONT');
  }
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

async function diskFull({ disk }: World): Promise<void> {
  const file = join(disk.path, 'full');
  // What is given back meanwhile is taken again.
  const filling = setInterval(() => void fill(disk.path, file), secondMs);
  try {
    await sleep(longMs);
  } finally {
    clearInterval(filling);
    await sleep(secondMs);
    await rm(file, { force: true });
  }
}

async function fill(folder: string, file: string): Promise<void> {
  const { bfree } = await statfs(folder);
  if (bfree > 0)
    await run('dd', ['if=/dev/zero', `of=${file}`, 'bs=4096', 'oflag=append', 'conv=notrunc']).catch(() => undefined);
}

/** More connections than the process has files for, and again as soon as one is closed. */
async function openFiles({ service }: World): Promise<void> {
  const port = Number(new URL(service.url).port);
  const sockets = new Set<Socket>();
  const fill = (): void => {
    while (sockets.size < filesMax) {
      const socket = connect(port, '127.0.0.1');
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
  };
  const filling = setInterval(fill, secondMs);
  await sleep(10 * minuteMs);
  clearInterval(filling);
  for (const socket of sockets) socket.destroy();
}

/**
 * No thread of the process gets any more memory from the system: the first one that needs some ends the process, and the
 * unit starts it again. What that thread was doing is lost with it.
 */
async function withoutMemory(world: World): Promise<void> {
  const { pid } = world.service;
  const hasBytes = await addressSpaceOf(pid);
  await run('prlimit', ['--pid', String(pid), `--as=${hasBytes}:`]);
  const { code, output } = await world.startAgain();
  const line = output.split('\n').find((one) => /out of memory|allocation failed|ENOMEM/i.test(one));
  if (line === undefined)
    throw new Error(`the service ended with ${code} without saying that memory was missing:\n${output}`);
  process.stdout.write(`       the service ended: ${line.trim()}\n`);
}

async function addressSpaceOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmSize:\s+(\d+) kB$/m.exec(status)![1]) * 1_024;
}

async function stopped({ service }: World, ms: number): Promise<void> {
  process.kill(service.pid, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    process.kill(service.pid, 'SIGCONT');
  }
}

async function clockAhead({ clock }: World, seconds: number): Promise<void> {
  await clock.set(seconds);
  try {
    await sleep(6 * minuteMs);
  } finally {
    await clock.set(0);
  }
}

function unreachable(why: Unreachable): Pick<Fault, 'fires' | 'mayFire' | 'happen'> {
  return {
    fires: ['RingfenceWebhookFails'],
    mayFire: ['RingfenceAttemptsFail'],
    happen: async (world) => {
      for (let at = 0; at < 12; at++) {
        await world.actFor(why);
        await sleep(minuteMs);
      }
    },
  };
}

async function moody(world: World): Promise<void> {
  world.setMoody(true);
  try {
    await sleep(12 * minuteMs);
  } finally {
    world.setMoody(false);
  }
}
