import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** One date format, and the system's own `ps`. */
const psEnvironment = { LC_ALL: 'C', PATH: '/bin:/usr/bin' };

/**
 * Identifies one run of a process, to detect a reused process id: the boot and the time of its start. `undefined` if no
 * such process runs; a zombie does not count as running.
 */
export async function processLife(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? linuxLife(pid) : psLife(pid);
}

/** Whether this process is a PostgreSQL server on that data folder, which is its working directory. */
export async function servesFolder(pid: number, dataFolder: string): Promise<boolean> {
  try {
    if (process.platform === 'linux') return (await readlink(`/proc/${String(pid)}/cwd`)) === dataFolder;
    const { stdout } = await run('ps', ['-o', 'command=', '-ww', '-p', String(pid)], { env: psEnvironment });
    return stdout.includes(`-D ${dataFolder}`);
  } catch {
    return false;
  }
}

/** PostgreSQL's processes that work in that folder, including orphaned backends. Empty on a system without /proc. */
export async function databaseProcessesIn(folder: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const works = await Promise.all(
    pids.map(async (pid) => {
      const worksIn = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
      return worksIn === folder && (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')) === 'postgres\n';
    }),
  );
  return pids.filter((_, i) => works[i]).map(Number);
}

async function linuxLife(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // The program name is in parentheses and may contain anything; the fields after it are regular (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    const startTicks = fields[19];
    if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
    return `${boot.trim()}/${startTicks}`;
  } catch {
    return undefined;
  }
}

async function psLife(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env: psEnvironment });
    const [state = '', ...start] = stdout.trim().split(/\s+/u);
    return state === '' || state.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}
