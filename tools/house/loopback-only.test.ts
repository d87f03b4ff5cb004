/** No test connects to another machine, neither directly nor through a process that it starts. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type LookupFunction, type Server } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
});
afterAll(() => {
  server.close();
});

/** Addresses reserved for documentation, and a name that cannot exist. */
const strangers = ['192.0.2.1', '2001:db8::1', 'stranger.invalid'];

it.each(strangers)('no connection to %s is made', async (host) => {
  await expect(once(connect({ host, port: 443 }), 'connect')).rejects.toMatchObject({ code: 'ENETUNREACH' });
  await expect(fetch(`https://${host.includes(':') ? `[${host}]` : host}/`)).rejects.toMatchObject({
    cause: { code: 'ENETUNREACH' },
  });
});

it('a custom look-up does not circumvent this', async () => {
  const lookup: LookupFunction = (_name, _options, done) => done(null, '192.0.2.1', 4);
  const socket = connect({ host: 'bank.example', port: 443, lookup, autoSelectFamily: false });
  await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ENETUNREACH' });
});

it('connections to this machine are allowed', async () => {
  await expect(once(connect({ host: '127.0.0.1', port }), 'connect')).resolves.toEqual([]);
  await expect(once(connect(port), 'connect')).resolves.toEqual([]);
});

it('started processes are restricted too', async () => {
  const script = `fetch('https://192.0.2.1/').catch(({ cause }) => console.log(cause.code))`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', script]);
  expect([stdout, stderr]).toEqual(['ENETUNREACH\n', '']);
});
