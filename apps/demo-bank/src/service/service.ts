import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from '../play/patience.ts';
import type { Installation } from './installation.ts';
import { leash, ownEnvironment, program, temporaryFolder } from './program.ts';

const pollMs = 50;
/** A service that starts may accept a connection long before it answers. */
const askMsMax = 10_000;
/** A clean stop takes at most 5 s; after twice that the service is killed. */
const stopTimeoutMs = 10_000;
/** Lines of the service log that are shown when it fails. */
const logLinesShown = 20;

export interface Service {
  /** Aborted when the service ends, with an Error that gives the reason. */
  readonly gone: AbortSignal;
  /** The link for the console's first account from the output of the service; `undefined` if there is none. */
  firstLink(): Promise<string | undefined>;
  /** Stops the service and waits for its end. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly installation: Installation;
  readonly managementUrl: string;
  readonly adminToken: string;
  readonly signal: AbortSignal;
}

/**
 * Starts `ringfence serve` in its own process, as an operator would, and waits until it is ready.
 *
 * @throws Error with the end of its log if it does not become ready
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { installation, managementUrl, adminToken, signal } = options;
  const logFile = join(installation.folder, 'service.log');
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, ['--import', leash, program, 'serve', '--config', installation.configFile], {
    env: {
      ...ownEnvironment(),
      RINGFENCE_ADMIN_TOKEN: adminToken,
      ...(installation.isTemporary ? { [temporaryFolder]: installation.folder } : {}),
    },
    // The demo handles Ctrl+C: it stops the service after the bank.
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
    // The cause is recorded before the stop, after which the service has ended in any case.
    const why = gone.signal.aborted ? await exited : (cause as Error).message;
    await stop(child, exited);
    if (signal.aborted) throw cause;
    throw new Error(`${why}. Last lines of its log:\n${await tailOf(logFile)}`, { cause });
  }
  return { gone: gone.signal, firstLink: () => firstLinkIn(logFile), stop: () => stop(child, exited) };
}

async function untilReady(managementUrl: string, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  while (!(await isReady(managementUrl))) {
    if (performance.now() > untilMs) throw new Error(`Ringfence was not ready within ${patienceMs / 1_000} s`);
    await sleep(pollMs, undefined, { signal });
  }
}

async function isReady(managementUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${managementUrl}/readyz`, { signal: AbortSignal.timeout(askMsMax) });
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
