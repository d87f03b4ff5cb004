/**
 * The client against real sockets: a service that is down, hangs, disappears, or is flooded. An unhandled rejection
 * fails the run.
 */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import type { DropReason } from '../src/drop.ts';
import type { RingfenceOptions } from '../src/options.ts';
import { createRingfence, type Ringfence } from '../src/ringfence.ts';
import { login, operation } from './sample-events.ts';

/** Far longer than needed, even on a busy machine. */
const flushMs = 60_000;

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Service {
  readonly port: number;
  /** Bodies of the answered requests, by idempotency key. */
  readonly received: Map<string, string>;
  readonly connections: () => number;
  stop(): Promise<void>;
}

async function startService(port = 0, listener?: RequestListener): Promise<Service> {
  const received = new Map<string, string>();
  let connections = 0;
  const server: Server = createServer((request, response) => {
    if (listener !== undefined) return listener(request, response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.set(String(request.headers['idempotency-key']), Buffer.concat(chunks).toString());
      response.end('{"id":"evt_1_1"}');
    });
  });
  server.on('connection', () => void (connections += 1));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  closers.push(stop);
  return { port: (server.address() as AddressInfo).port, received, connections: () => connections, stop };
}

function connectTo(
  port: number,
  options: Partial<RingfenceOptions> = {},
): { ringfence: Ringfence; drops: DropReason[] } {
  const drops: DropReason[] = [];
  const ringfence = createRingfence({
    baseUrl: `http://127.0.0.1:${port}`,
    licenseKey: 'key-of-a-test',
    environment: 'production',
    onDrop: (reason) => void drops.push(reason),
    retryDelayMsMin: 5,
    retryDelayMsMax: 20,
    ...options,
  });
  closers.push(() => ringfence.close(0));
  return { ringfence, drops };
}

it('reuses its connections', async () => {
  const service = await startService();
  const { ringfence } = connectTo(service.port, { parallelMax: 4 });
  for (let i = 0; i < 400; i++) ringfence.operation(operation(`r-${i}`, `user-${i}`));
  expect(await ringfence.flush(flushMs)).toBe(true);
  expect(service.received.size).toBe(400);
  expect(service.connections()).toBeLessThanOrEqual(4);
});

it('delivers what was reported while the service was down', async () => {
  const first = await startService();
  await first.stop();
  const { ringfence, drops } = connectTo(first.port);
  for (let i = 0; i < 200; i++) ringfence.operation(operation(`r-${i}`, `user-${i}`));
  await expect.poll(() => ringfence.stats()).toMatchObject({ queued: 200, isBraked: true });
  expect(await ringfence.flush(1)).toBe(false);

  const second = await startService(first.port);
  expect(await ringfence.flush(flushMs)).toBe(true);
  expect(second.received.size).toBe(200);
  expect(drops).toEqual([]);
});

it('retries immediately when the service was closing the connection', async () => {
  const used = new WeakSet<Socket>();
  const service = await startService(0, (request, response) => {
    // To the client this is like an expired idle connection: its second request meets a reset.
    if (used.has(request.socket)) request.socket.resetAndDestroy();
    else request.resume().on('end', () => response.end('{}'));
    used.add(request.socket);
  });
  const { ringfence, drops } = connectTo(service.port);
  for (let i = 0; i < 5; i++) {
    ringfence.login(login());
    expect(await ringfence.flush(flushMs)).toBe(true);
  }
  expect(ringfence.stats()).toMatchObject({ delivered: 5, retried: 0 });
  expect(drops).toEqual([]);
});

it.each<[string, RequestListener]>([
  ['says nothing', () => undefined],
  ['says half', (_request, response) => void response.writeHead(200, { 'content-length': 100 }).write('{')],
  ['drips', (_request, response) => drip(response.writeHead(200))],
])('gives up an attempt at a service that %s, and keeps the event', async (_, listener) => {
  const service = await startService(0, listener);
  const { ringfence } = connectTo(service.port, { requestTimeoutMs: 50 });
  ringfence.login(login());
  await expect.poll(() => ringfence.stats().retried).toBeGreaterThanOrEqual(2);
  expect(ringfence.stats()).toMatchObject({ delivered: 0, queued: 1, lastFailure: 'no response within 50 ms' });
});

function drip(response: {
  write(text: string): boolean;
  readonly destroyed: boolean;
  on(name: string, f: () => void): unknown;
}): void {
  const timer = setInterval(() => response.write('x'), 10);
  response.on('close', () => clearInterval(timer));
}

it('stops reading an endless response', async () => {
  const cut = Promise.withResolvers<void>();
  const service = await startService(0, (_request, response) => {
    response.writeHead(422);
    const pour = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', pour);
    response.on('close', cut.resolve);
    pour();
  });
  // Longer than the test: the response must end by its size, not by the timeout.
  const { ringfence, drops } = connectTo(service.port, { requestTimeoutMs: 600_000 });
  ringfence.login(login());
  expect(await ringfence.flush(flushMs)).toBe(true);
  expect(drops).toMatchObject([{ kind: 'refused', status: 422 }]);
  await cut.promise;
});

it('does not follow a redirect with the license key', async () => {
  const elsewhere = await startService();
  const service = await startService(0, (_request, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${elsewhere.port}/` }).end();
  });
  const { ringfence, drops } = connectTo(service.port);
  ringfence.login(login());
  await ringfence.flush(flushMs);
  expect(drops).toMatchObject([{ kind: 'refused', status: 307 }]);
  expect(elsewhere.received.size).toBe(0);
});

describe('a flood of 10,000 events at a service that hangs', () => {
  const flood = async (size: number): Promise<{ grewBytes: number; workedMs: number; ringfence: Ringfence }> => {
    const service = await startService(0, () => undefined);
    const { ringfence } = connectTo(service.port, { queueEventsMax: 500, requestTimeoutMs: 60_000 });
    const before = memoryBytes();
    const began = process.cpuUsage();
    for (let i = 0; i < size; i++) {
      ringfence.operation({ ...operation(`r-${i}`, `user-${i}`), transaction: { description: 'x'.repeat(8_000) } });
    }
    const { user, system } = process.cpuUsage(began);
    await new Promise((resolve) => setImmediate(resolve));
    return { grewBytes: memoryBytes() - before, workedMs: (user + system) / 1_000, ringfence };
  };

  it('queues up to its limit, and drops the rest', async () => {
    const { ringfence, workedMs } = await flood(10_000);
    expect(ringfence.stats()).toMatchObject({ queued: 500, dropped: { queueFull: 9_500 } });
    expect(ringfence.stats().queuedBytes).toBeLessThan(500 * 9_000);
    // A call costs tens of microseconds of CPU in this process, whatever else the machine does.
    expect(workedMs).toBeLessThan(2_000);
  });

  it('does not leak memory for dropped events', async () => {
    // 8 KB each: if they were kept, 10,000 would be 80 MB.
    const { grewBytes } = await flood(10_000);
    expect(grewBytes).toBeLessThan(24_000_000);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Live memory on the heap and in buffers. */
function memoryBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
