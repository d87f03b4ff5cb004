/** Requests that cannot be parsed are refused with problem details, like all others. */
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ManagementDeps } from '../../src/api/server/management-deps.ts';
import { buildManagement } from '../../src/api/server/management-server.ts';
import { ClientAddresses } from '../../src/platform/http/client-address.ts';

const origin = 'fraud.bank.example';
let app: FastifyInstance;
let port: number;
beforeAll(async () => {
  const consoleOrigin = `https://${origin}`;
  const deps = { plugins: [], live: { close: () => {} }, senders: new ClientAddresses([]), consoleOrigin };
  app = await buildManagement(deps as unknown as ManagementDeps);
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => app.close());

/** Everything that the server sends until it closes the connection. */
async function talk(request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => void socket.write(request));
  return text(socket);
}

const asked = 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n';

it.each([
  ['hello\r\n\r\n', '400 Bad Request', 'http.malformed'],
  [`${asked}content-length: x\r\n\r\n`, '400 Bad Request', 'http.malformed'],
  [`${asked}a header: x\r\n\r\n`, '400 Bad Request', 'http.malformed'],
  [`${asked}x: ${'y'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large', 'headers.tooLarge'],
  ['CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n', '400 Bad Request', 'http.malformed'],
  [`${asked}expect: 200-ok\r\ncontent-length: 2\r\n\r\n`, '417 Expectation Failed', 'expectation.unknown'],
  ['GET /openapi.json HTTP/1.1\r\nconnection: close\r\n\r\n', '400 Bad Request', 'http.malformed'],
  [`${asked}connection: close\r\nHOST: y\r\n\r\n`, '400 Bad Request', 'http.malformed'],
  [`${asked}connection: close\r\nauthorization: x\r\nAuthorization: y\r\n\r\n`, '400 Bad Request', 'http.malformed'],
  [`${asked}connection: close\r\ncontent-type: x\r\nContent-Type: y\r\n\r\n`, '400 Bad Request', 'http.malformed'],
  [`${asked}connection: close\r\ntransfer-encoding: gzip, chunked\r\n\r\n`, '501 Not Implemented', 'coding.unknown'],
])('malformed request %# is answered and its connection closed', async (request, status, code) => {
  const received = await talk(request);
  expect(received).toContain(`HTTP/1.1 ${status}`);
  expect(received).toContain('content-type: application/problem+json');
  expect(received).toContain(`"code":"${code}"`);
  expect(received.toLowerCase()).toContain('connection: close');
});

it.each([
  [`${asked}content-length: 1\r\ncontent-length: 1\r\n\r\nx`, 'Duplicate Content-Length'],
  [`${asked}a header: x\r\n\r\n`, 'Invalid header token'],
  [`${asked}transfer-encoding: chunked\r\n\r\nzz`, 'Invalid character in chunk size'],
])('malformed request %# gets the reason in its answer', async (request, reason) => {
  expect(await talk(request)).toContain(`"detail":"The request could not be read: ${reason}."`);
});

it('a request that ends too early gets that as the reason', async () => {
  const socket = connect(port, '127.0.0.1', () => void socket.end(`${asked}content-length: 5\r\n\r\nx`));
  expect(await text(socket)).toContain('could not be read: it is incomplete.');
});

it('HTTP/1.0 needs no Host', async () => {
  expect(await talk('GET /openapi.json HTTP/1.0\r\n\r\n')).toContain('200 OK');
});

const asking = (host: string, path = '/openapi.json'): Promise<string> =>
  talk(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);

it.each([
  'evil.example',
  'evil.example:8081',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'localhost.',
  'bank.internal.example',
  '%65vil.example',
])(
  "a request on the same machine with the host %s is refused, because that site's page could read the answer",
  async (host) => {
    for (const path of ['/openapi.json', '/docs', '/nothing', '/management/v1/session/options']) {
      const received = await asking(host, path);
      expect(received).toContain('HTTP/1.1 400 Bad Request');
      expect(received).toContain('Host is a foreign name');
    }
  },
);

it.each([
  '127.0.0.1:8081',
  '127.8.8.8',
  '[::1]:8081',
  'localhost:8081',
  'LOCALHOST',
  'a.localhost',
  'ringfence.fraud.svc.cluster.local:8081',
  'ringfence.bank.internal',
  'ringfence:8081',
  hostname(),
  origin,
  `${origin}:443`,
])('a request with the host %s is accepted', async (host) => {
  expect(await asking(host)).toContain('200 OK');
});
