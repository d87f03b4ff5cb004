import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { httpReceiver, listening, type Receiver, rawReceiver } from './support/receivers.ts';
import { testAuthority } from './support/certificates.ts';
import { request, testTransport } from './support/test-transport.ts';

const authority = testAuthority('Bank CA');
const stranger = testAuthority('Another CA');
const name = 'webhook.bank.example';
const good = authority.issue(name);
const names = { resolve: () => Promise.resolve(['127.0.0.1']) };

async function httpsReceiver(options: ServerOptions): Promise<Receiver> {
  const server = createHttpsServer(options, (message, response) => {
    message.resume().on('end', () => response.end('{"code":1}'));
  });
  return { ...(await listening(server, 'https')), received: [] };
}

const urlOf = ({ port }: Receiver, host = name): string => `https://${host}:${port}/hook`;

describe('a receiver with TLS', () => {
  it("is trusted through the bank's own CA, and addressed by its name", async () => {
    const receiver = await httpsReceiver(good);
    const sent = await testTransport(names).send(urlOf(receiver), { settings: { caPem: authority.ca } });
    expect(sent).toMatchObject({ kind: 'answer', status: 200 });
    expect(sent.connection).toMatchObject({
      address: '127.0.0.1',
      tls: { protocol: 'TLSv1.3', subject: name, issuer: 'Bank CA' },
    });
  });

  it('may have a certificate for its address', async () => {
    const receiver = await httpsReceiver(authority.issue('IP:127.0.0.1'));
    const sent = await testTransport().send(urlOf(receiver, '127.0.0.1'), { settings: { caPem: authority.ca } });
    expect(sent).toMatchObject({ kind: 'answer', status: 200 });
  });

  it('receives the client certificate when one is set', async () => {
    const { cert, key } = authority.issue('ringfence');
    const asks = { ...good, ca: authority.ca, requestCert: true, rejectUnauthorized: true };
    const receiver = await httpsReceiver(asks);
    const { send } = testTransport(names);
    const settings = { caPem: authority.ca, clientCertificatePem: cert, clientKeyPem: key };
    expect(await send(urlOf(receiver), { settings })).toMatchObject({ kind: 'answer', status: 200 });
    expect(await send(urlOf(receiver), { settings: { caPem: authority.ca } })).toMatchObject({ kind: 'failure' });
  });

  it.each<[string, ServerOptions, { readonly caPem?: string }]>([
    ['of an unknown CA', stranger.issue(name), { caPem: authority.ca }],
    ['of a private CA that is not configured', good, {}],
    ['of another host', authority.issue('other.bank.example'), { caPem: authority.ca }],
    ['that has expired', authority.issue(name, -1), { caPem: authority.ca }],
    [
      'with an old protocol',
      { ...good, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' },
      { caPem: authority.ca },
    ],
  ])('gets no request with a certificate %s', async (_, options, settings) => {
    const receiver = await httpsReceiver(options);
    expect(await testTransport(names).send(urlOf(receiver), { settings })).toMatchObject({
      kind: 'failure',
      reason: 'tls',
    });
    expect(receiver.received).toEqual([]);
  });

  it('gets no request when it does not speak TLS', async () => {
    const plain = await httpReceiver();
    expect(await testTransport(names).send(urlOf(plain))).toMatchObject({ kind: 'failure', reason: 'tls' });
  });

  it('is aborted when the handshake hangs', async () => {
    const receiver = await rawReceiver(() => {});
    const sent = await testTransport(names).send(urlOf(receiver));
    expect(sent).toMatchObject({ kind: 'failure', reason: 'connectTimeout' });
    expect(sent.durationMs).toBeLessThan(10_000); // 5 s, and not the 15 of the whole attempt
  });
});

/** A forward proxy that opens tunnels to any target. */
async function proxy(answer = 'HTTP/1.1 200 Connection established\r\n\r\n'): Promise<Receiver & { heads: string[] }> {
  const heads: string[] = [];
  const receiver = await rawReceiver((socket) => {
    socket.once('data', (head: Buffer) => {
      heads.push(head.toString());
      const port = Number(/^CONNECT [^:]+:(\d+)/.exec(head.toString())?.[1]);
      const target: Socket = connect(port, '127.0.0.1', () => {
        socket.write(answer);
        socket.pipe(target).pipe(socket);
      });
      target.on('error', () => socket.destroy());
      socket.on('close', () => target.destroy());
    });
  });
  return { ...receiver, heads };
}

describe('a forward proxy', () => {
  it("carries the target's TLS, and resolves the target's name itself", async () => {
    const receiver = await httpsReceiver(good);
    const forward = await proxy();
    const nobody = { resolve: () => Promise.reject(new Error('not asked')) };
    const settings = { caPem: authority.ca, proxy: `http://user:p%40ss@127.0.0.1:${forward.port}` };
    const sent = await testTransport(nobody).send(urlOf(receiver), { settings, environment: 'production' });
    expect(sent).toMatchObject({ kind: 'answer', status: 200 });
    expect(sent.connection).toMatchObject({ proxy: `127.0.0.1:${forward.port}`, tls: { subject: name } });
    const credentials = Buffer.from('user:p@ss').toString('base64');
    expect(forward.heads).toEqual([expect.stringContaining(`Proxy-Authorization: Basic ${credentials}\r\n`)]);
    expect(forward.heads[0]).not.toContain(request.headers['authorization']);
  });

  it('carries plain http in development, but not in production', async () => {
    const receiver = await httpReceiver();
    const forward = await proxy();
    const settings = { proxy: `http://127.0.0.1:${forward.port}` };
    const url = `http://${name}:${receiver.port}/hook`;
    expect(await testTransport().send(url, { settings })).toMatchObject({ kind: 'answer' });
    const sent = await testTransport().send(url, { settings, environment: 'production' });
    expect(sent).toMatchObject({ kind: 'failure', reason: 'insecure' });
  });

  it('must itself be at an allowed address', async () => {
    const forward = await proxy();
    const settings = { proxy: `http://127.0.0.1:${forward.port}` };
    const sent = await testTransport({ allow: [] }).send(`https://${name}/hook`, { settings });
    expect(sent).toMatchObject({ kind: 'failure', reason: 'blocked' });
    expect(forward.connections()).toBe(0);
  });

  it('does not bypass the guard for refused addresses', async () => {
    const forward = await proxy();
    const settings = { proxy: `http://127.0.0.1:${forward.port}` };
    const sent = await testTransport().send('https://169.254.169.254/hook', { settings });
    expect(sent).toMatchObject({ kind: 'failure', reason: 'blocked' });
    expect(forward.connections()).toBe(0);
  });

  it.each([
    ['HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'],
    ['HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nno\n'],
    ['SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    [`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`],
  ])('that does not open a tunnel is reported as the cause (%#)', async (answer) => {
    const receiver = await httpsReceiver(good);
    const forward = await proxy(answer);
    const settings = { proxy: `http://127.0.0.1:${forward.port}` };
    const sent = await testTransport().send(urlOf(receiver), { settings });
    expect(sent).toMatchObject({ kind: 'failure', reason: 'proxy' });
  });
});
