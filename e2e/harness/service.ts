import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';
import { adminToken } from './management.ts';

const program = fileURLToPath(new URL('../../apps/server/bin/ringfence.js', import.meta.url));
/** Far longer than the bar (10 s for a first start), so that a slow machine fails the bar and not the harness. */
const readyTimeoutMs = 180_000;
/** Enough for a failure report. */
const outputLinesMax = 400;

export interface ServiceOptions {
  /** `undefined`: the service is configured only by its environment. */
  readonly configFile: string | undefined;
  readonly port: number;
  readonly managementPort: number;
  /** Where it listens; by default on loopback. */
  readonly address?: string;
  /** What starts a program on its host, if that is another one: the first words of the command line. */
  readonly enter?: readonly string[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments for Node itself, before the program, such as `--cpu-prof`. */
  readonly nodeArguments?: readonly string[];
  /** Further arguments of `serve`. */
  readonly serveArguments?: readonly string[];
  /** The program of another checkout. */
  readonly program?: string;
  /** Another copy of Node, for a user without access to this one. */
  readonly node?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** How many of the newest lines of its output are kept; by default 400. */
  readonly outputLinesMax?: number;
}

/** One running `ringfence serve`. */
export interface Service {
  readonly url: string;
  readonly managementUrl: string;
  readonly pid: number;
  /** From the start of the process to the first response "ready". */
  readonly readyMs: number;
  /** The newest lines of its output. */
  output(): string;
  /** Resolves with its exit code when it ends by itself or is stopped. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM. Resolves with its exit. */
  stop(): Promise<{ readonly code: number | null; readonly tookMs: number }>;
  /** SIGKILL: no warning, nothing is flushed. Its embedded database continues until its watchdog notices. */
  kill(): Promise<void>;
}

/**
 * Starts the service as an operator would, and waits until it is ready.
 * @throws with its output if it exits first
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const began = performance.now();
  const [command, ...words] = [...(options.enter ?? []), options.node ?? process.execPath];
  const child = spawn(
    command,
    [
      ...words,
      ...(options.nodeArguments ?? []),
      options.program ?? program,
      'serve',
      ...(options.configFile === undefined ? [] : ['--config', options.configFile]),
      ...(options.serveArguments ?? []),
    ],
    {
      env: { ...process.env, RINGFENCE_ADMIN_TOKEN: adminToken, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options.user,
    },
  );
  const output = keepOutput(child, options.outputLinesMax ?? outputLinesMax);
  const ended = once(child, 'exit');
  // However this process ends, it leaves no running service.
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  const address = options.address ?? '127.0.0.1';
  const managementUrl = `http://${address}:${options.managementPort}`;
  await Promise.race([
    eventually('the service is ready', readyTimeoutMs, () => isReady(managementUrl)),
    ended.then(([code]) => Promise.reject(new Error(`the service ended with code ${code} before it was ready`))),
  ]).catch((cause: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`${String(cause)}\n${output()}`, { cause });
  });
  return {
    url: `http://${address}:${options.port}`,
    managementUrl,
    pid: child.pid ?? 0,
    readyMs: performance.now() - began,
    output,
    ended: ended.then(([code]) => code as number | null),
    stop: async () => {
      const stopping = performance.now();
      child.kill('SIGTERM');
      await ended;
      return { code: child.exitCode, tookMs: performance.now() - stopping };
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** `true` if `/readyz` responds with 200, else `undefined`. */
export async function isReady(managementUrl: string): Promise<true | undefined> {
  const response = await fetch(`${managementUrl}/readyz`, { signal: AbortSignal.timeout(10_000) });
  await response.arrayBuffer();
  return response.status === 200 ? true : undefined;
}

function keepOutput(child: ChildProcess, linesMax: number): () => string {
  const lines: string[] = [];
  const take = (chunk: Buffer): void => {
    lines.push(...chunk.toString().split('\n'));
    lines.splice(0, Math.max(0, lines.length - linesMax));
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  return () => lines.join('\n');
}
