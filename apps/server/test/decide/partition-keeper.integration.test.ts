import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HostDeps } from '../../src/decide/host-deps.ts';
import { PartitionKeeper } from '../../src/decide/partition-keeper.ts';

/** Accepts connections and never answers, like a database behind a failed network. */
const mute = createServer((socket) => {
  sockets.push(socket.on('error', () => {}));
});
const sockets: Socket[] = [];
let port: number;

beforeEach(async () => {
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  ({ port } = mute.address() as { port: number });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => mute.close(resolve));
});

it('gives up on a database that does not answer, retries, and stops in time', async () => {
  const logged: string[] = [];
  const logger = { info: () => {}, warn: () => {}, error: (_: object, message: string) => void logged.push(message) };
  const keeper = new PartitionKeeper(
    {
      database: { host: '127.0.0.1', port, user: 'nobody', database: 'none' },
      process: 'test',
      workspaces: () => [],
      migrations: [],
    },
    { logger, report: { ready: () => {}, missed: () => {} } } as unknown as HostDeps,
  );
  const stop = new AbortController();
  const running = keeper.run(stop.signal);
  await expect.poll(() => sockets.length).toBeGreaterThan(1);
  expect(logged).toContain('the connection that holds the partition locks was lost');
  const startMs = performance.now();
  stop.abort();
  await running;
  expect(performance.now() - startMs).toBeLessThan(10_000);
});
