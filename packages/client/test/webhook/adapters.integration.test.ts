/** The three adapters behind their real servers. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReceivedAction } from '../../src/webhook/action.ts';
import { expressHandler } from '../../src/webhook/express-handler.ts';
import { fastifyPlugin } from '../../src/webhook/fastify-plugin.ts';
import { nodeHandler } from '../../src/webhook/node-handler.ts';
import type { BodyBounds } from '../../src/webhook/read-body.ts';
import { createWebhookReceiver, type WebhookReceiver } from '../../src/webhook/receiver.ts';
import { action, licenseKey, secret, signedRequest } from './signed-request.ts';

const path = '/ringfence/webhook';
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function makeReceiver(): { readonly receiver: WebhookReceiver; readonly ran: ReceivedAction[] } {
  const ran: ReceivedAction[] = [];
  const receiver = createWebhookReceiver({
    licenseKeys: licenseKey,
    signingSecrets: secret,
    onAction: (action) => {
      ran.push(action);
      return { executed: true, message: 'done' };
    },
  });
  return { receiver, ran };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Each server with the webhook mounted, by name. */
const servers: Record<string, (receiver: WebhookReceiver, bounds?: BodyBounds) => Promise<string>> = {
  'node:http': (receiver, bounds) => listen(createServer(nodeHandler(receiver, bounds))),
  Express: (receiver, bounds) => listen(createServer(express().post(path, expressHandler(receiver, bounds)))),
  'Express behind express.raw()': (receiver) =>
    listen(
      createServer(
        express()
          .use(express.raw({ type: '*/*' }))
          .post(path, expressHandler(receiver)),
      ),
    ),
  'Express behind express.json() that keeps the bytes': (receiver) => {
    const verify = (request: object, _response: unknown, bytes: Buffer): void =>
      void Object.assign(request, { rawBody: bytes });
    return listen(createServer(express().use(express.json({ verify })).post(path, expressHandler(receiver))));
  },
  Fastify: async (receiver, bounds) => {
    const app = fastify();
    const bodyBytesMax = bounds?.bodyBytesMax;
    await app.register(fastifyPlugin(receiver), { path, ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }) });
    // The rest of the bank's application still gets its JSON parsed.
    app.post('/other', (request) => ({ got: request.body }));
    closers.push(() => app.close());
    return app.listen({ host: '127.0.0.1', port: 0 });
  },
};

async function post(
  base: string,
  request: ReturnType<typeof signedRequest>,
): Promise<{ status: number; body: unknown }> {
  const headers = request.headers as Record<string, string>;
  const response = await fetch(base + path, { method: 'POST', headers, body: Buffer.from(request.body) });
  return { status: response.status, body: await response.json() };
}

describe.each(Object.keys(servers))('%s', (name) => {
  it('executes an action once, and answers code and message both times', async () => {
    const { receiver, ran } = makeReceiver();
    const base = await servers[name]!(receiver);
    const right = { status: 200, body: { code: 1, message: 'done' } };
    expect([await post(base, signedRequest()), await post(base, signedRequest())]).toEqual([right, right]);
    expect(ran).toEqual([{ ...action, id: 'act_1', isTest: false, event: 'evt_1_1' }]);
  });

  it('refuses a wrong key and a modified body', async () => {
    const { receiver, ran } = makeReceiver();
    const base = await servers[name]!(receiver);
    const changed = { ...signedRequest(), body: Buffer.from(JSON.stringify({ ...action, action: 1 })) };
    const statuses = [await post(base, signedRequest(action, { key: 'wrong' })), await post(base, changed)];
    expect(statuses.map(({ status }) => status)).toEqual([401, 401]);
    expect(ran).toEqual([]);
  });
});

describe.each(['node:http', 'Express', 'Fastify'])('%s', (name) => {
  it('reads no more of a body than its limit', async () => {
    const { receiver, ran } = makeReceiver();
    const base = await servers[name]!(receiver, { bodyBytesMax: 1_000 });
    const large = signedRequest({ ...action, message: 'x'.repeat(100_000) });
    const status = await post(base, large).then(
      (answer) => answer.status,
      // The connection ends while the client is still writing: it may notice that before the response.
      () => 413,
    );
    expect(status).toBe(413);
    expect(ran).toEqual([]);
  });
});

describe('node:http', () => {
  it('answers only POST', async () => {
    const base = await servers['node:http']!(makeReceiver().receiver);
    const response = await fetch(base + path);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('aborts a body that does not arrive', async () => {
    const base = await servers['node:http']!(makeReceiver().receiver, { bodyTimeoutMs: 50 });
    const slow = httpRequest(base + path, { method: 'POST', headers: { 'content-length': 100 } });
    slow.on('error', () => undefined);
    slow.write('{');
    const [response] = (await once(slow, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(408);
    await once(slow, 'close');
  });

  it.each(['node:http', 'Express'])('writes nothing when the response has already begun: %s', async (name) => {
    const { receiver, ran } = makeReceiver();
    const handle = name === 'Express' ? expressHandler(receiver) : nodeHandler(receiver);
    const base = await listen(
      createServer((request, response) => {
        // Like a timeout of the bank's own server that fired first.
        response.writeHead(503).write('too');
        handle(request, response);
        void once(request, 'end').then(() => setImmediate(() => response.end(' late')));
      }),
    );
    const headers = signedRequest().headers as Record<string, string>;
    const response = await fetch(base + path, { method: 'POST', headers, body: Buffer.from(signedRequest().body) });
    expect([response.status, await response.text()]).toEqual([503, 'too late']);
    expect(ran).toHaveLength(1);
  });

  it('survives a caller that disconnects in the middle', async () => {
    const { receiver, ran } = makeReceiver();
    const base = await servers['node:http']!(receiver);
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"action"`);
    socket.end();
    await once(socket.resume(), 'close');
    expect((await post(base, signedRequest())).status).toBe(200);
    expect(ran).toHaveLength(1);
  });
});

describe('Express', () => {
  it('explains that the original bytes are missing', async () => {
    const { receiver, ran } = makeReceiver();
    const base = await listen(createServer(express().use(express.json()).post(path, expressHandler(receiver))));
    const { status, body } = await post(base, signedRequest());
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 0, message: expect.stringContaining('express.json()') as string });
    expect(ran).toEqual([]);
  });
});

describe('Fastify', () => {
  it("does not affect the application's other bodies", async () => {
    const base = await servers['Fastify']!(makeReceiver().receiver);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${base}/other`, { method: 'POST', headers, body: '{"a":1}' });
    expect(await response.json()).toEqual({ got: { a: 1 } });
  });
});
