/** Connections of a real server that ends them like a load balancer: silently, until something is written. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createHttpTransport } from '../src/http-transport.ts';

const connectionsMax = 8;
const request = { path: '/', headers: {}, body: Buffer.from('{}'), timeoutMs: 5_000 };

it('retries on a new connection when an idle one was closed, however many were closed', async () => {
  let areGone = false;
  let connections = 0;
  const held: (() => void)[] = [];
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      held.push(() => response.end('{}'));
      // All together, so that each has its own connection.
      if (held.length === connectionsMax || areGone) for (const answer of held.splice(0)) answer();
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    const isOld = !areGone;
    socket.on('data', () => void (areGone && isOld && socket.resetAndDestroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const transport = createHttpTransport({ origin, connectionsMax });
  try {
    await Promise.all(Array.from({ length: connectionsMax }, () => transport.send(request)));
    expect(connections).toBe(connectionsMax);
    areGone = true;
    expect((await transport.send(request)).status).toBe(200);
    expect(connections).toBe(connectionsMax + 1);
  } finally {
    transport.close();
    server.closeAllConnections();
    server.close();
  }
});
