/** A database that cannot be reached over TLS: the cause is reported immediately, with what to do. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { silentLog } from '../../../src/platform/database/database-log.ts';
import { OperatorError } from '../../../src/platform/observability/operator-error.ts';
import { type Issued, testAuthority } from '../../deliver/support/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'ringfence-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const ours = testAuthority('ours');
writeFileSync(join(folder, 'ours.pem'), ours.ca);
writeFileSync(join(folder, 'other.pem'), testAuthority('other').ca);
writeFileSync(join(folder, 'empty.pem'), 'no certificate');

/** The start of PostgreSQL's protocol: the client requests TLS, and the server answers with one letter. */
async function listen(identity: Issued | undefined): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.once('data', () => {
      socket.write(identity === undefined ? 'N' : 'S');
      if (identity !== undefined) new TLSSocket(socket, { isServer: true, ...identity }).on('error', () => {});
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function failure(identity: Issued | undefined, file: string): Promise<OperatorError> {
  const port = await listen(identity);
  const databaseUrl = `postgresql://bank@127.0.0.1:${port}/bank?sslmode=verify-full&sslrootcert=${join(folder, file)}`;
  const told = await openDatabase({ databaseUrl, home: 'unused', log: silentLog }).catch((error: unknown) => error);
  expect(told).toBeInstanceOf(OperatorError);
  return told as OperatorError;
}

it.each([
  {
    what: 'another authority',
    identity: ours.issue('IP:127.0.0.1'),
    file: 'other.pem',
    reason: 'not signed by a trusted authority',
  },
  { what: 'another name', identity: ours.issue('database.bank.example'), file: 'ours.pem', reason: 'for other names' },
  { what: 'an old certificate', identity: ours.issue('IP:127.0.0.1', -1), file: 'ours.pem', reason: 'not valid now' },
  { what: 'a server without TLS', identity: undefined, file: 'ours.pem', reason: 'does not speak TLS' },
  { what: 'a missing file', identity: undefined, file: 'nowhere.pem', reason: 'nowhere.pem' },
  { what: 'a file without a certificate', identity: undefined, file: 'empty.pem', reason: 'contains no certificate' },
])('reports $what', async ({ identity, file, reason }) => {
  const told = await failure(identity, file);
  expect(told.message).toContain(reason);
  expect(told.mend).not.toContain('the correct host, port');
});
