/**
 * Compares ways to send requests from Node without a dependency, and times the calls themselves. Not a test: `node
 * packages/client/test/measure-transport.ts`. Results: docs/decisions/0031-client-package.md.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { printEvent } from '../src/event-body.ts';
import { createHttpTransport } from '../src/http-transport.ts';
import { createRingfence } from '../src/ringfence.ts';
import { operation } from './sample-events.ts';

const requests = 20_000;
const parallel = 32;

if (isMainThread) await measure();
else serve();

/** A service that reads and answers, in its own thread. */
function serve(): void {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"id":"evt_1_1"}'));
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread's port has no origin
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address()));
}

async function measure(): Promise<void> {
  const worker = new Worker(new URL(import.meta.url));
  const [address] = (await once(worker, 'message')) as [{ port: number }];
  const origin = new URL(`http://127.0.0.1:${address.port}`);
  const body = printEvent({ kind: 'operation', event: operation('r-1') });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer x', 'idempotency-key': 'k' };
  const transport = createHttpTransport({ origin, connectionsMax: parallel });
  const ways: Record<string, () => Promise<unknown>> = {
    'node:http': () => transport.send({ path: '/', headers, body, timeoutMs: 5_000 }),
    fetch: async () => {
      const options = { method: 'POST', headers, body: new Uint8Array(body), signal: AbortSignal.timeout(5_000) };
      await (await fetch(origin, options)).text();
    },
  };
  for (const name of ['node:http', 'fetch', 'node:http', 'fetch']) {
    const rate = await perSecond(ways[name]!);
    process.stdout.write(`${name.padEnd(10)} ${rate} requests/s\n`);
  }
  transport.close();
  await measureClient(origin);
  await worker.terminate();
}

async function perSecond(send: () => Promise<unknown>): Promise<number> {
  let left = requests;
  const startedMs = performance.now();
  const loop = async (): Promise<void> => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: parallel }, loop));
  return Math.round((requests / (performance.now() - startedMs)) * 1_000);
}

async function measureClient(origin: URL): Promise<void> {
  const ringfence = createRingfence({
    baseUrl: origin.href,
    licenseKey: 'key-of-a-measurement',
    environment: 'production',
    queueEventsMax: requests,
  });
  const startedMs = performance.now();
  for (let i = 0; i < requests; i++) ringfence.operation(operation(`r-${i}`, `user-${i}`));
  const calledMs = performance.now() - startedMs;
  await ringfence.flush(60_000);
  const wholeMs = performance.now() - startedMs;
  const microseconds = ((calledMs / requests) * 1_000).toFixed(1);
  process.stdout.write(`client     ${Math.round((requests / wholeMs) * 1_000)} events/s, ${microseconds} us a call\n`);
  await ringfence.close();
}
