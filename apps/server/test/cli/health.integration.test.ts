/** `ringfence health`: the health check of containers, which needs only the configuration. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { checkService } from '../../src/cli/doctor/check-machine.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { healthPlugin, type Readiness } from '../../src/platform/observability/health.ts';
import { testAuthority } from '../deliver/support/certificates.ts';
import { ringfence } from '../support/terminal.ts';

const ready: Readiness = { ready: true, checks: { database: 'well', policies: 'impaired' } };
const notReady: Readiness = { ready: false, checks: { database: 'failed', workspaces: 'well' } };

let folder: string;
const open: { close(): unknown }[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-health-'));
  // Issued for a name that this machine does not have, like a service's certificate.
  const { cert, key } = testAuthority('a test of health').issue('ringfence.bank.example');
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
});
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tls = 'tls: { certFile: cert.pem, keyFile: key.pem }';

/** A service with this health answer, on a port that is set only in the file. */
async function serving(readiness: Readiness, withTls: boolean): Promise<string> {
  return declare(await listening(readiness, withTls), withTls);
}

/** @returns the bound port */
async function listening(readiness: Readiness, withTls: boolean): Promise<number> {
  const { listen } = loadConfiguration({ config: declare(0, withTls), withoutWorkspaces: true }, {}, folder);
  const https = listen.tls === undefined ? null : { cert: listen.tls.certPem, key: listen.tls.keyPem };
  const app = fastify({ https });
  open.push(app);
  await app.register(healthPlugin({ readiness: () => Promise.resolve(readiness) }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

function declare(port: number, withTls: boolean): string {
  const file = join(folder, `${port}.yaml`);
  const listener = `{ host: 0.0.0.0, port: ${port}${withTls ? `, ${tls}` : ''} }`;
  // Commands ignore the file's workspaces: the license key is not in this environment.
  writeFileSync(
    file,
    `listen: ${listener}\nmanagement: ${listener}\nworkspaces: [{ name: a, environment: production, licenseKeys: ["\${KEY}"] }]\n`,
  );
  return file;
}

it.each([false, true])('health queries the ingest listener of the configuration file (TLS: %s)', async (withTls) => {
  const file = await serving(ready, withTls);
  const said = await ringfence(`health --config ${file}`);
  const url = /https?:\/\/127\.0\.0\.1:\d+/.exec(said.out)?.[0];
  expect(said).toEqual({ code: 0, out: `Ready, ${url}/readyz; policies impaired\n`, err: '' });
  expect(url).toMatch(withTls ? /^https:/ : /^http:/);
  expect(await ringfence(`health --alive --config ${file}`)).toEqual({
    code: 0,
    out: `Alive, ${url}/healthz\n`,
    err: '',
  });
});

it('health prefers the address of the command line to file and environment', async () => {
  const port = await listening(ready, false);
  const environment = { HOST: '192.0.2.1', PORT: '1' };
  expect(await ringfence(`health --host 127.0.0.1 --port ${port}`, { environment })).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Ready, http://127.0.0.1:${port}/readyz`),
  });
});

it('health exits with 1 and names the failed checks', async () => {
  const file = await serving(notReady, false);
  expect(await ringfence(`health --config ${file}`)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^Not ready, http:.*\/readyz; database failed\n$/),
  });
  expect(await ringfence(`health --json --alive --config ${file}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining('"ok":true'),
  });
});

it('health exits with 1 if nothing answers, the answer is late, or another program answers', async () => {
  const deaf = createServer((socket) => socket.resume()).listen({ host: '127.0.0.1', port: 0 });
  const other = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')).listen({
    host: '127.0.0.1',
    port: 0,
  });
  open.push(deaf, other);
  await Promise.all([once(deaf, 'listening'), once(other, 'listening')]);
  const asked = (port: number): ReturnType<typeof ringfence> =>
    ringfence('health', { environment: { PORT: String(port) } });
  expect(await asked((deaf.address() as AddressInfo).port)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^No answer from http:.*: timed out after \d+ ms\n/),
  });
  expect(await asked((other.address() as AddressInfo).port)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not from Ringfence'),
  });
  expect(await asked(1)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/127\.0\.0\.1:1\/readyz.*ECONNREFUSED[^]*--port/),
  });
  expect(await asked(0)).toMatchObject({ code: 1, err: expect.stringContaining('any free port') });
});

it('doctor also queries a management listener with TLS', async () => {
  const file = await serving(ready, true);
  expect(await checkService(loadConfiguration({ config: file, withoutWorkspaces: true }, {}, folder))).toMatchObject([
    { state: 'good', detail: expect.stringMatching(/^ready at https:/) },
  ]);
});

it('doctor reports an address that is in use, and one that does not belong to this machine', async () => {
  const other = createServer((socket) => socket.destroy()).listen({ host: '127.0.0.1', port: 0 });
  open.push(other);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { listen, management } = loadConfiguration({ withoutWorkspaces: true }, {}, folder);
  const found = await checkService({
    listen: { ...listen, port },
    management: { ...management, host: '192.0.2.1', port: 0 },
  });
  expect(found).toMatchObject([
    { state: 'unwise', detail: expect.stringContaining('nothing answers') },
    { state: 'bad', detail: `listen: another program already listens on 127.0.0.1:${port}.` },
    { state: 'bad', detail: 'management: cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL).' },
  ]);
});

it('doctor does not mistake a service with another management port for another program', async () => {
  const port = await listening(ready, false);
  const { listen, management } = loadConfiguration({ withoutWorkspaces: true }, {}, folder);
  const found = await checkService({ listen: { ...listen, port }, management: { ...management, port: 0 } });
  expect(found).toMatchObject([{ state: 'unwise' }]);
});
