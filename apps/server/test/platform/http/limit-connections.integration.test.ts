/** Connections above a limit are refused before a request is read from them. For ingest see many-connections. */
import { once } from 'node:events';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ConnectionLimit,
  limitConnections,
  type RefusedConnection,
} from '../../../src/platform/http/limit-connections.ts';
import { testAuthority } from '../../deliver/support/certificates.ts';

const authority = testAuthority('a test of limits');
const full = 'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 4\r\n\r\nfull';
const open: (Socket | Server)[] = [];
afterEach(() => {
  for (const one of open.splice(0)) {
    if ('destroy' in one) one.destroy();
    else one.close();
  }
});

interface Limited {
  readonly server: Server;
  readonly port: number;
  readonly refused: RefusedConnection[];
  /** Paths of requests that reached the handler. */
  readonly handled: string[];
}

const kinds = {
  plain: (handler: RequestListener): Server => createHttp(handler),
  TLS: (handler: RequestListener): Server => createHttps(authority.issue('localhost'), handler),
};

async function limited(
  kind: keyof typeof kinds,
  limit: Pick<ConnectionLimit, 'max' | 'perAddressMax'> & { readonly isProxy?: boolean },
): Promise<Limited> {
  const handled: string[] = [];
  const refused: RefusedConnection[] = [];
  const server = kinds[kind]((request, response) => {
    handled.push(request.url!);
    response.end('ok');
  });
  limitConnections(server, {
    ...limit,
    senders: { isProxy: () => limit.isProxy === true },
    onRefused: (one) => refused.push(one),
    fullAnswer: () => full,
  });
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, refused, handled };
}

async function connected(kind: keyof typeof kinds, port: number): Promise<Socket> {
  const at = { port, host: '127.0.0.1' };
  const socket = kind === 'plain' ? connectPlain(at) : connectTls({ ...at, servername: 'localhost', ca: authority.ca });
  open.push(socket);
  await once(socket, kind === 'plain' ? 'connect' : 'secureConnect');
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('a listener: %s', (kind) => {
  it('answers 503 above the limit of all, those of proxies included, and handles nothing that they send', async () => {
    const { port, refused, handled } = await limited(kind, { max: 2, perAddressMax: 1, isProxy: true });
    const first = await connected(kind, port);
    const second = await connected(kind, port);
    const third = await connected(kind, port);
    third.write('GET /third HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await textOf(third)).toBe(full);
    expect(refused).toEqual([{ why: 'all', address: '127.0.0.1' }]);

    first.write('GET /first HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(first, 'data');
    second.destroy();
    const again = async (): Promise<string> => {
      const socket = await connected(kind, port);
      socket.write('GET /again HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      return textOf(socket);
    };
    await expect.poll(again).toContain('200 OK');
    expect(handled).toEqual(['/first', '/again']);
  });

  it('closes connections above the limit of an address, and forgets those that were closed', async () => {
    const { port, refused } = await limited(kind, { max: 100, perAddressMax: 2 });
    const first = await connected(kind, port);
    await connected(kind, port);
    const third = connected(kind, port).then(textOf, (error: NodeJS.ErrnoException) => error.code);
    // Under TLS before the handshake.
    expect(await third).toBe(kind === 'TLS' ? 'ECONNRESET' : '');
    expect(refused).toEqual([{ why: 'address', address: '127.0.0.1' }]);
    first.destroy();
    const answered = async (): Promise<string> => {
      const socket = await connected(kind, port);
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      return textOf(socket);
    };
    await expect.poll(() => answered().catch(() => 'closed')).toContain('200 OK');
  });
});

it('counts a connection that the kernel refuses for lack of a file; other errors still throw', async () => {
  const { server, refused } = await limited('plain', { max: 1, perAddressMax: 1 });
  server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE', syscall: 'accept' }));
  expect(refused).toEqual([{ why: 'files', address: undefined }]);
  expect(() => server.emit('error', Object.assign(new Error('no'), { syscall: 'listen' }))).toThrow('no');
});
