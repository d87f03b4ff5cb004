import type { ServerOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { IngestDeps } from '../../src/ingest/ingest-deps.ts';
import { testAuthority } from '../deliver/support/certificates.ts';
import { doorKit, operation, productionKey } from './support/door-kit.ts';

const body = JSON.stringify(operation);

function requestWith(headers: string): string {
  return `POST /api/v5/analytics/app/operation HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${productionKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;
}

const open: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

async function listening(deps: Partial<IngestDeps>, https?: ServerOptions): Promise<number> {
  const { app } = await doorKit({ deps, https });
  open.push(app);
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

/** Waits until the client disconnects. */
const decisions: IngestDeps['decisions'] = {
  wait: async ({ gone }) => {
    if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve));
    return { kind: 'pending', waited: true };
  },
  close: () => undefined,
};

describe('a client that half-closes its socket after a request', () => {
  const plain = async (): Promise<Socket> => connect(await listening({}), '127.0.0.1');
  const secure = async (): Promise<Socket> => {
    const port = await listening({}, testAuthority('a test of ingest').issue('localhost'));
    return connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  };

  it.each([
    ['over plain http', plain],
    ['over TLS', secure],
  ])('still gets its answer %s', async (_, connected) => {
    const socket = await connected();
    socket.end(requestWith(''));
    expect(await text(socket)).toContain('"status":"accepted"');
  });

  it('gets both answers to two requests', async () => {
    const socket = await plain();
    socket.end(requestWith('').repeat(2));
    expect((await text(socket)).match(/"status":"accepted"/g)).toHaveLength(2);
  });

  it('is answered without a wait, since it may have disconnected', async () => {
    const socket = connect(await listening({ decisions }), '127.0.0.1');
    socket.end(requestWith('prefer: wait=5\r\n'));
    expect(await text(socket)).toContain('"status":"pending"');
  });
});
