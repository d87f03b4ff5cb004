/**
 * Starts the service of an unpacked bundle in the current folder, without any configuration, sends a login and an
 * operation, and prints what it saw as JSON. It is run by the bundle's own Node, where nothing else is installed.
 *
 *     node first-event.ts BUNDLE
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { login, operation } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { descendantsOf } from '../harness/process-tree.ts';

/** What the test reads. */
export interface Report {
  readonly uid: number | undefined;
  readonly interfaces: readonly string[];
  readonly login: number;
  readonly operation: number;
  readonly decision: { readonly status: string; readonly session?: { readonly matched: boolean } };
  /** HTTP status of the console's first page. */
  readonly console: number;
  /** Programs of the service and its processes. */
  readonly programs: readonly string[];
  /** Files with code that these have loaded. */
  readonly libraries: readonly string[];
  readonly exitCode: number | null;
}

const bundle = process.argv[2] ?? '';
const startsWithinMs = 60_000;
const visit = { client: 'ana', session: 's-1' };

const child = spawn(join(bundle, 'ringfence'), ['serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
const ended = once(child, 'exit');
let output = '';
child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
try {
  const key = await eventually('the start prints a key', startsWithinMs, () => keyIn(output));
  const base = await eventually('the service takes events', startsWithinMs, () => acceptingBase(key));
  const logged = await send(`${base}/v5/analytics/app/login`, key, login(visit));
  const body = operation({ ...visit, category: 'transfer', reference: 'r-1' });
  const decided = await send(`${base}/v5/analytics/app/operation`, key, body);
  const page = await fetch('http://127.0.0.1:8081/console/');
  const running = [child.pid ?? 0, ...descendantsOf(child.pid ?? 0).map(({ pid }) => pid)];
  const seen = {
    uid: process.getuid?.(),
    interfaces: Object.keys(networkInterfaces()),
    login: logged.status,
    operation: decided.status,
    decision: (await decided.json()) as Report['decision'],
    console: page.status,
    programs: [...new Set(running.map((pid) => readlinkSync(`/proc/${pid}/exe`)))],
    libraries: [...new Set(running.flatMap((pid) => codeOf(pid)))],
  };
  child.kill('SIGTERM');
  const [exitCode] = (await ended) as [number | null];
  process.stdout.write(JSON.stringify({ ...seen, exitCode } satisfies Report));
} finally {
  child.kill('SIGTERM');
}

function keyIn(text: string): string | undefined {
  return /\brf_(?!admin)[A-Za-z]+_[0-9A-Za-z_]{20,}(?=\s)/.exec(text)?.[0];
}

/** Each key is valid in one environment, and the output does not say in which. */
async function acceptingBase(key: string): Promise<string | undefined> {
  for (const prefix of ['/api', '/api-dev']) {
    const base = `http://127.0.0.1:8080${prefix}`;
    const answer = await send(`${base}/v5/analytics/app/login`, key, login({ client: 'probe', session: 'probe' }));
    if (answer.status === 200) return base;
  }
  return undefined;
}

function send(url: string, key: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=5' },
    body: JSON.stringify(body),
  });
}

/** Files that are mapped as code. */
function codeOf(pid: number): readonly string[] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  return lines.flatMap((line) => /^\S+ r-xp .* (\/\S+)$/.exec(line)?.[1] ?? []);
}
