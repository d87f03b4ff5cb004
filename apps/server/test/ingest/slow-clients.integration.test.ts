/**
 * Goal: a client that sends slowly, or not at all, is cut, and other clients do not wait for it.
 * Method: raw sockets against a listening server with shortened limits. The control is a server with limits so long
 * that the same sockets stay open.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { ServerOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { IngestLimits } from '../../src/ingest/ingest-deps.ts';
import { testAuthority } from '../deliver/support/certificates.ts';
import { doorKit, type DoorKit, opened, operation, productionKey, records } from './support/door-kit.ts';

const limits: Partial<IngestLimits> = { headersMs: 150, requestMs: 300, checkMs: 50 };
const patient: Partial<IngestLimits> = { headersMs: 60_000, requestMs: 60_000, checkMs: 50, drainMs: 200 };

const head = `POST /api/v5/analytics/app/operation HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${productionKey}\r\ncontent-type: application/json\r\n`;
const body = JSON.stringify(operation);

/** What a slow client sends; the rest never arrives. */
const starts: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['half a request line', 'POST /api/v5/anal'],
  ['half the headers', head],
  ['no body', `${head}content-length: ${body.length}\r\n\r\n`],
  ['half a body', `${head}content-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`],
  ['half a chunk', `${head}transfer-encoding: chunked\r\n\r\nff\r\n{`],
];

const open: (FastifyInstance | Socket)[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await ('listen' in one ? one.close() : one.destroy());
});

async function listening(
  given: Partial<IngestLimits>,
  https?: ServerOptions,
): Promise<{ readonly kit: DoorKit; readonly port: number }> {
  const kit = await doorKit({ deps: { limits: given }, https });
  const address = await kit.app.listen({ host: '127.0.0.1', port: 0 });
  open.push(kit.app);
  return { kit, port: Number(new URL(address).port) };
}

interface Talk {
  readonly socket: Socket;
  /** Everything received until the server closed the connection. */
  readonly closed: Promise<string>;
}

function talk(port: number, start: string | Buffer): Talk {
  const socket = connect(port, '127.0.0.1', () => void socket.write(start));
  open.push(socket);
  let received = '';
  socket.on('data', (chunk) => void (received += String(chunk)));
  socket.on('error', () => undefined);
  return { socket, closed: new Promise((resolve) => socket.on('close', () => resolve(received))) };
}

describe('a slow client', () => {
  it.each(starts)('that sends %s is cut', async (_, start) => {
    const { kit, port } = await listening(limits);
    const received = await talk(port, start).closed;
    expect(received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\ncontent-type: application\/problem\+json/);
    expect(received).toContain('"code":"request.slow"');
    expect(kit.refused).toMatchObject([{ code: 'request.slow', status: 408 }]);
  });

  // Within Node's default interval for checking connections, 30 seconds.
  it('is cut over TLS too', { timeout: 10_000 }, async () => {
    const { port } = await listening(limits, testAuthority('a test of ingest').issue('localhost'));
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    open.push(socket);
    socket.write(head);
    expect(await text(socket)).toContain('"code":"request.slow"');
  });

  // Node's default handshake timeout is two minutes, and a stop would wait for it.
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['half a handshake', Buffer.from('160301020001000001fc0303', 'hex')],
  ])('that sends %s to a TLS listener is cut', { timeout: 10_000 }, async (_, start) => {
    const { kit, port } = await listening(limits, testAuthority('a test of ingest').issue('localhost'));
    expect(await talk(port, start).closed).toBe('');
    expect(kit.refused).toMatchObject([{ code: 'request.slow', status: 408, method: '-' }]);
  });

  it('that sends one byte at a time is cut too', async () => {
    const { port } = await listening(limits);
    const { socket, closed } = talk(port, `${head}content-length: ${body.length}\r\n\r\n`);
    const drip = setInterval(() => socket.write('{'), 20);
    expect(await closed).toContain('408');
    clearInterval(drip);
  });

  it('of any kind keeps its connection under long limits (the control)', async () => {
    const { port } = await listening(patient);
    const closings = starts.map(([, start]) => talk(port, start).closed);
    // There is no event for a connection that stays open, so wait twice as long as the servers above allow.
    expect(await Promise.race([...closings, after(600, 'all open')])).toBe('all open');
  });

  it('delays no one else: with 200 of them, an honest client is served', async () => {
    // The limits are longer than a busy machine needs to serve the honest client.
    const { kit, port } = await listening({ headersMs: 3_000, requestMs: 4_000, checkMs: 50 });
    const slow = Array.from({ length: 200 }, (_, index) => talk(port, starts[index % starts.length]![1]));
    const request = `${head}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
    expect(await talk(port, request).closed).toContain('"status":"accepted"');
    await Promise.all(slow.map(({ closed }) => closed));
    expect(kit.refused).toHaveLength(200);
  });
});

describe('a body', () => {
  it('that arrives in pieces is read whole', async () => {
    const { kit, port } = await listening(patient);
    const asked = once(kit.app.server, 'request') as Promise<[IncomingMessage]>;
    const { socket, closed } = talk(port, `${head}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`);
    const [request] = await asked;
    for (const piece of [body.slice(0, 3), body.slice(3, 40), body.slice(40)]) {
      socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      await expect.poll(() => request.socket.bytesRead).toBe(socket.bytesWritten);
    }
    socket.write('0\r\n\r\n');
    expect(await closed).toContain('"status":"accepted"');
    expect(opened(kit, (await records(kit))[0]!).bodyText).toBe(body);
  });

  const half = 'x'.repeat(1_500);
  const halfChunk = `5dc\r\n${half}\r\n`;
  it.each([
    { says: 'states its length', first: `content-length: 3000\r\n\r\n${half}`, rest: half },
    {
      says: 'does not state it',
      first: `transfer-encoding: chunked\r\n\r\n${halfChunk}`,
      rest: `${halfChunk}0\r\n\r\n`,
    },
  ])('that is too long and $says is read to its end, so that its sender gets the answer', async ({ first, rest }) => {
    const { kit, port } = await listening({ ...patient, bodyBytesMax: 100 });
    const asked = once(kit.app.server, 'request') as Promise<[IncomingMessage]>;
    const { socket, closed } = talk(port, head + first);
    const [request] = await asked;
    await expect.poll(() => request.socket.bytesRead).toBe(socket.bytesWritten);
    expect(kit.refused).toEqual([]);
    socket.write(rest);
    const received = await closed;
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(received.toLowerCase()).toContain('connection: close');
    expect(kit.refused).toMatchObject([{ code: 'body.tooLarge', bodyBytes: 3_000 }]);
  });

  it.each([
    ['states its length', `content-length: ${2 ** 21}\r\n\r\n`],
    ['does not state it', `transfer-encoding: chunked\r\n\r\n200000\r\n${'x'.repeat(2 ** 20 + 1)}`],
  ])('of more than a MiB that %s is refused immediately', async (_, sent) => {
    const { kit, port } = await listening(patient);
    talk(port, head + sent);
    await expect.poll(() => kit.refused).toMatchObject([{ code: 'body.tooLarge' }]);
    expect(kit.refused[0]!.bodyBytes).toBeGreaterThan(2 ** 20);
  });

  it('that breaks off is recorded, and nothing is stored', async () => {
    const { kit, port } = await listening(patient);
    const asked = new Promise((resolve) => kit.app.server.once('request', resolve));
    const { socket } = talk(port, `${head}content-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`);
    await asked;
    socket.destroy();
    await expect.poll(() => kit.refused).toMatchObject([{ code: 'http.malformed', status: 400 }]);
    expect(await records(kit)).toEqual([]);
  });
});

describe('a client that does not speak HTTP', () => {
  it.each([
    ['hello\r\n\r\n', '400 Bad Request', 'http.malformed'],
    [`${head}content-length: x\r\n\r\n`, '400 Bad Request', 'http.malformed'],
    [`${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`, '400 Bad Request', 'http.malformed'],
    [`${head}x: ${'y'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large', 'headers.tooLarge'],
  ])('%# is answered and cut', async (text, status, code) => {
    const { port } = await listening(limits);
    const received = await talk(port, text).closed;
    expect(received).toContain(`HTTP/1.1 ${status}`);
    expect(received).toContain(`"code":"${code}"`);
    expect(received).toContain('connection: close');
  });
});

describe('requests that Node would refuse with an empty answer, or that are ambiguous, get problem details', () => {
  const asked = 'x-request-id: trace-7\r\n\r\n';
  it.each([
    ['an event without Host', head.replace('host: x\r\n', ''), { status: 400, code: 'http.malformed' }],
    ['another request without Host', 'GET /openapi.json HTTP/1.1\r\n', { status: 400, code: 'http.malformed' }],
    ['an unknown path, without Host', 'GET /nowhere HTTP/1.1\r\n', { status: 400, code: 'http.malformed' }],
    [
      'an unknown expectation',
      `${head}expect: 200-ok\r\ncontent-length: 2\r\n`,
      { status: 417, code: 'expectation.unknown' },
    ],
    ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nhost: x\r\n', { status: 400, code: 'http.malformed' }],
    ['two keys', `${head}AUTHORIZATION: Bearer x\r\n`, { status: 400, code: 'http.malformed' }],
    ['two media types', `${head}content-type: text/plain\r\n`, { status: 400, code: 'http.malformed' }],
    [
      'two idempotency keys',
      `${head}idempotency-key: a\r\nIdempotency-Key: a\r\n`,
      { status: 400, code: 'http.malformed' },
    ],
    [
      'an unsupported transfer coding',
      `${head}transfer-encoding: gzip, chunked\r\n`,
      { status: 501, code: 'coding.unknown' },
    ],
    [
      'the same, at another path',
      'POST /nowhere HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n',
      { status: 501, code: 'coding.unknown' },
    ],
  ])('%s', async (_, text, refusal) => {
    const { kit, port } = await listening(patient);
    const received = await talk(port, text + asked).closed;
    expect(received).toContain(`HTTP/1.1 ${refusal.status} `);
    expect(received).toContain('content-type: application/problem+json');
    expect(received).toContain('x-request-id: trace-7');
    expect(received).toContain(`"code":"${refusal.code}"`);
    expect(kit.refused).toMatchObject([{ ...refusal, requestId: 'trace-7' }]);
  });

  it('but HTTP/1.0 needs no Host', async () => {
    const { port } = await listening(patient);
    expect(await talk(port, 'GET /openapi.json HTTP/1.0\r\n\r\n').closed).toContain('200 OK');
  });

  it('and an error on the socket of a CONNECT request is handled', async () => {
    const { kit, port } = await listening(patient);
    const [{ socket }] = await Promise.all([
      once(kit.app.server, 'connect').then(([request]) => request as IncomingMessage),
      talk(port, `CONNECT x:80 HTTP/1.1\r\nhost: x\r\n${asked}`).closed,
    ]);
    expect(() => socket.emit('error', new Error('ECONNRESET'))).not.toThrow();
  });
});

describe('a closing listener', () => {
  it('finishes the request in progress, and then closes its connection', async () => {
    const { kit, port } = await listening({ ...patient, drainMs: 60_000 });
    const { socket, closed } = talk(port, `${head}content-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`);
    await new Promise((resolve) => kit.app.server.once('request', resolve));
    const closing = kit.app.close();
    socket.write(body.slice(10));
    const received = await closed;
    await closing;
    expect(received).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(received).toContain('connection: close');
    expect(await kit.log.read(kit.workspace.id, 0, 10)).toHaveLength(1);
  });

  it.each(starts)('does not wait long for a client that sends %s', async (_, start) => {
    const { kit, port } = await listening(patient);
    const connected = new Promise((resolve) => kit.app.server.once('connection', resolve));
    const { closed } = talk(port, start);
    await connected;
    await kit.app.close();
    expect(await closed).not.toContain('200 OK');
  });
});
