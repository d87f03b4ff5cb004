import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FollowedCertificate } from '../../src/config/followed-certificate.ts';
import { type Issued, testAuthority } from '../deliver/support/certificates.ts';

const authority = testAuthority('a test of renewals');
const first = authority.issue('first.bank.example');

let folder: string;
let server: Server;
let followed: FollowedCertificate;
let said: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-renewal-'));
  write(first);
  said = [];
  followed = new FollowedCertificate({
    tls: {
      certPem: first.cert,
      keyPem: first.key,
      certFile: join(folder, 'cert.pem'),
      keyFile: join(folder, 'key.pem'),
    },
    now: Date.now,
    onChange: () => said.push('changed'),
    onRefused: (reason) => said.push(reason.replaceAll(`${folder}/`, '')),
  });
  server = createServer({ ...followed.context }, (_, response) => response.end('here'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  followed.start(server);
});
afterEach(async () => {
  await followed.close();
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
});

function write({ cert, key }: Partial<Issued>): void {
  if (cert !== undefined) writeFileSync(join(folder, 'cert.pem'), cert);
  if (key !== undefined) writeFileSync(join(folder, 'key.pem'), key);
}

async function look(times = 2): Promise<void> {
  for (let i = 0; i < times; i += 1) await followed.look();
}

/** The subject of the certificate that a new connection receives. */
async function shown(): Promise<string | undefined> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { CN: name } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(name);
}

it('new connections use the renewed files once two readings agree', async () => {
  const second = authority.issue('second.bank.example', 60);
  write({ cert: second.cert });
  await look(1);
  write({ key: second.key });
  await look(1);
  expect([await shown(), said]).toEqual(['first.bank.example', []]);
  await look(1);
  expect([await shown(), said]).toEqual(['second.bank.example', ['changed']]);
  expect(followed.until.getTime()).toBeGreaterThan(Date.now() + 50 * 86_400_000);
  await look();
  expect(said).toEqual(['changed']);
});

it.each<[string, () => Partial<Issued>, RegExp]>([
  ['no certificate', () => ({ cert: 'nothing' }), /^expected the PEM of one or more certificates$/],
  ['no key', () => ({ key: '' }), /^expected the PEM of a private key$/],
  [
    'the key of another certificate',
    () => ({ cert: authority.issue('other.bank.example').cert }),
    /^expected the private key that belongs to the certificate$/,
  ],
  [
    'an expired certificate',
    () => authority.issue('ended.bank.example', -1),
    /^the certificate of CN=ended\.bank\.example expired on /,
  ],
])(
  'the certificate in force stays if the files contain %s, which is reported once; the next valid pair is used',
  async (_, make, reason) => {
    write(make());
    await look(5);
    expect(said).toEqual([expect.stringMatching(reason)]);
    expect(await shown()).toBe('first.bank.example');
    write(authority.issue('third.bank.example'));
    await look();
    expect([await shown(), said.slice(1)]).toEqual(['third.bank.example', ['changed']]);
  },
);

it('the certificate in force stays while a file is missing', async () => {
  rmSync(join(folder, 'key.pem'));
  await look(3);
  expect(said).toEqual(['key.pem cannot be read (there is no such file)']);
  expect(await shown()).toBe('first.bank.example');
  write(first);
  await look();
  expect(said).toHaveLength(1);
});
