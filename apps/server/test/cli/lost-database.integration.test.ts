import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../src/cli/run-cli.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { ringfence } from '../support/terminal.ts';

const masterKey = Buffer.alloc(32, 5).toString('base64');

/** A connection to the database that the test can cut. */
async function wayTo({ config }: TestDatabase): Promise<{ readonly url: string; takeAway(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-way-'));
  const sockets = new Set<Socket>();
  const socketIn = (host: string): string => join(host, `.s.PGSQL.${config.port}`);
  const server = createServer((near) => {
    const far = createConnection(socketIn(config.host));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    near.pipe(far).pipe(near);
  });
  server.listen(socketIn(folder));
  await once(server, 'listening');
  const takeAway = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    takeAway();
    rmSync(folder, { recursive: true });
  });
  const url = `postgresql://${config.user}@/${config.database}?host=${encodeURIComponent(folder)}&port=${config.port}`;
  return { url, takeAway };
}

it('a database connection lost during a command is reported as such, not as a bug', async () => {
  const database = await freshDatabase();
  const environment = { DATABASE_URL: database.url, RINGFENCE_MASTER_KEY: masterKey };
  await ringfence('migrate', { environment });
  await ringfence('workspace create bank -e production', { environment });

  const way = await wayTo(database);
  let said = '';
  const code = await runCli('key create --bring -w bank'.split(' '), {
    environment: { ...environment, DATABASE_URL: way.url },
    folder: '/nowhere',
    isTerminal: false,
    write: () => {},
    complain: (text) => {
      said += text;
    },
    readInput: () => {
      way.takeAway();
      return Promise.resolve('a-key-that-the-bank-has-had-for-years');
    },
    now: Date.now,
    stop: new AbortController().signal,
  });
  expect(code).toBe(1);
  expect(said).toContain('The database connection was lost while the command ran: ');
  expect(said).toContain('ringfence doctor');
  expect(said).not.toContain('This is a bug');
});
