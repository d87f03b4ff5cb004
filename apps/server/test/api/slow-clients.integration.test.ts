/** Slow clients of the listener with and without TLS: Fastify passes different options to a TLS server. */
import { once } from 'node:events';
import type { ServerOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { buildManagement } from '../../src/api/server/management-server.ts';
import type { ManagementDeps } from '../../src/api/server/management-deps.ts';
import { testAuthority } from '../deliver/support/certificates.ts';

const deps = {
  plugins: [],
  live: { close: () => {} },
  senders: { isProxy: () => false },
} as unknown as ManagementDeps;
let app: FastifyInstance;
afterEach(async () => {
  await app.close();
  vi.useRealTimers();
});

it.each<[string, ServerOptions | undefined]>([
  ['without TLS', undefined],
  ['over TLS', testAuthority('a test of the management API').issue('localhost')],
])('clients have 5 s for their headers, %s', async (_, https) => {
  app = await buildManagement(deps, https);
  expect(app.server.headersTimeout).toBe(5_000);
});

it.each(['GET /openapi', 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n'])(
  'slow clients delay a stop by no more than 3 s: %j',
  async (start) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    app = await buildManagement(deps);
    const asked = once(app.server, 'connection') as Promise<[Socket]>;
    const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
    const client = connect(port, '127.0.0.1', () => void client.write(start));
    const [socket] = await asked;
    await expect.poll(() => socket.bytesRead).toBe(start.length);
    const closed = app.close();
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(3_000);
    await expect(closed).resolves.toBeUndefined();
  },
);
