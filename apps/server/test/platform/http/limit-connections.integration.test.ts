/** A TLS listener closes connections above the limit before their handshake. For ingest see many-connections. */
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect as connectPlain, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { limitConnections } from '../../../src/platform/http/limit-connections.ts';
import { testAuthority } from '../../deliver/support/certificates.ts';

it('counts TLS connections, and stops counting them once closed', async () => {
  const authority = testAuthority('a test of limits');
  const server = createServer(authority.issue('localhost'), (_request, response) => response.end('ok'));
  const refused: string[] = [];
  limitConnections(server, {
    perAddressMax: 2,
    max: 100,
    senders: { isProxy: () => false },
    onRefused: (address) => refused.push(address),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<TLSSocket> => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.ca });
    await once(socket, 'secureConnect');
    return socket;
  };

  const first = await open();
  const second = await open();
  await expect(open()).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(refused).toEqual(['127.0.0.1']);
  first.destroy();
  await expect
    .poll(() =>
      open().then(
        (socket) => socket.destroy() && true,
        () => false,
      ),
    )
    .toBe(true);
  second.destroy();
  server.close();
});

it('closes connections above the limit of all addresses, those of proxies included', async () => {
  const server = createHttp();
  const refused: string[] = [];
  limitConnections(server, {
    perAddressMax: 1,
    max: 3,
    senders: { isProxy: () => true },
    onRefused: (address) => refused.push(address),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = (): Socket => connectPlain({ port, host: '127.0.0.1' });
  const kept = [open(), open(), open()];
  await Promise.all(kept.map((socket) => once(socket, 'connect')));
  const fourth = open();
  fourth.on('error', () => {});
  await once(fourth, 'close');
  expect(refused).toEqual(['127.0.0.1']);
  expect(kept.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  for (const socket of kept) socket.destroy();
  server.close();
});
