import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from './installation.ts';
import { leash, ownEnvironment, program } from './program.ts';

/** A first start makes a database: some seconds on a small machine, a minute when it is busy with other things. */
const readyTimeoutMs = 180_000;
const pollMs = 50;
/** A clean stop takes at most 5 s; after twice that it is killed. */
const stopTimeoutMs = 10_000;
/** Lines of its log that are shown when it fails. */
const logLinesShown = 20;

export interface Service {
  /** Aborted when the service has ended, with an Error that says how. */
  readonly gone: AbortSignal;
  /** The link that makes the console's first account, as the service tells its operator; `undefined` when it tells none. */
  firstLink(): Promise<string | undefined>;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly installation: Installation;
  readonly managementUrl: string;
  readonly adminToken: string;
  readonly signal: AbortSignal;
}

/**
 * Starts `ringfence serve` as an operator would, in a process of its own, and waits until it says that it is ready.
 *
 * @throws Error with the end of its log when it does not become ready
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { installation, managementUrl, adminToken, signal } = options;
  const logFile = join(installation.folder, 'service.log');
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, ['--import', leash, program, 'serve', '--config', installation.configFile], {
    env: { ...ownEnvironment(), RINGFENCE_ADMIN_TOKEN: adminToken },
    // Ctrl+C is ours to hear: the service is asked to stop when the bank has ended.
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`Ringfence could not be started: ${error.message}`));
    child.once('exit', (code, by) => resolve(`Ringfence ended with ${code === null ? String(by) : `code ${code}`}`));
  });
  await log.close();
  const gone = new AbortController();
  void exited.then((why) => gone.abort(new Error(why)));
  try {
    await untilReady(managementUrl, AbortSignal.any([signal, gone.signal]));
  } catch (cause) {
    // Why it failed is known before it is stopped: then it has ended in any case.
    const why = gone.signal.aborted ? await exited : (cause as Error).message;
    await stop(child, exited);
    if (signal.aborted) throw cause;
    throw new Error(`${why}. The end of its log:\n${await tailOf(logFile)}`, { cause });
  }
  return { gone: gone.signal, firstLink: () => firstLinkIn(logFile), stop: () => stop(child, exited) };
}

async function untilReady(managementUrl: string, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + readyTimeoutMs;
  while (!(await isReady(managementUrl))) {
    if (performance.now() > untilMs) throw new Error(`Ringfence was not ready within ${readyTimeoutMs / 1_000} s`);
    await sleep(pollMs, undefined, { signal });
  }
}

async function isReady(managementUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${managementUrl}/readyz`, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(killer);
}

async function firstLinkIn(logFile: string): Promise<string | undefined> {
  return /http\S+\/console\/first#\S+/.exec(await readFile(logFile, 'utf8'))?.[0];
}

async function tailOf(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-logLinesShown).join('\n');
}
