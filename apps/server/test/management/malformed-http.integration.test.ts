/** What no request can be read from is refused with problem details, as everything else is. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ManagementDeps } from '../../src/management/management-deps.ts';
import { buildManagement } from '../../src/management/management-server.ts';

let app: FastifyInstance;
let port: number;
beforeAll(async () => {
  app = await buildManagement({ plugins: [], live: { close: () => {} } } as unknown as ManagementDeps);
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => app.close());

/** All that is answered until the server closes. */
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
])('%# is answered and cut', async (request, status, code) => {
  const received = await talk(request);
  expect(received).toContain(`HTTP/1.1 ${status}`);
  expect(received).toContain('content-type: application/problem+json');
  expect(received).toContain(`"code":"${code}"`);
  expect(received.toLowerCase()).toContain('connection: close');
});

it('HTTP/1.0 needs no Host', async () => {
  expect(await talk('GET /openapi.json HTTP/1.0\r\n\r\n')).toContain('200 OK');
});
