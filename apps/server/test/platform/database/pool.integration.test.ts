import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { QueryConfig } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePool } from '../../../src/platform/database/database.ts';
import { freshDatabase, type TestServer } from '../../../../../tools/testing/postgres.ts';

describe('makePool', () => {
  /** Like a PostgreSQL that is killed during a transaction: only the user of that connection gets an error. */
  it('survives a connection that breaks between two queries', async () => {
    const { config } = await freshDatabase();
    const pool = makePool(config, 2);
    onTestFinished(() => pool.end());
    const broken = await pool.connect();
    const pid = await broken.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');

    const ended = new Promise((resolve) => {
      broken.once('end', resolve);
    });
    await pool.query('SELECT pg_terminate_backend($1)', [pid.rows[0]?.pid]);
    await ended;

    const told: unknown = await broken.query('SELECT 1').catch((error: unknown) => error);
    expect(told).toMatchObject({ message: expect.stringContaining('connection error'), cause: { code: '57P01' } });
    broken.release(true);
    expect((await pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('waits longer for a free connection than for a server that does not answer', async () => {
    const { config } = await freshDatabase();
    const pool = makePool(config, 1, 60_000);
    onTestFinished(() => pool.end());
    const held = await pool.connect();
    setTimeout(() => held.release(), 4_000);
    expect((await pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);

    const mute = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void mute.close());
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const unheard = makePool({ host: '127.0.0.1', port, user: 'nobody', database: 'none' }, 1, 60_000);
    await expect(unheard.query('SELECT 1')).rejects.toThrow('timeout expired');
  });

  it('gives up a connection whose server stops answering: neither its rollback nor its next user waits', async () => {
    const { config } = await freshDatabase();
    const wire = await openWire(config);
    const pool = makePool({ ...config, ...wire.address }, 1);
    onTestFinished(() => pool.end());
    const client = await pool.connect();
    wire.carry(0);
    await expect(client.query({ text: 'SELECT 1', query_timeout: 100 } as QueryConfig)).rejects.toThrow('timeout');
    await expect(client.query('rollback')).rejects.toThrow(/connection/iu);
    client.release();
    wire.carry(Infinity);
    expect((await pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('gives up a new connection whose server stops answering after the log-in', async () => {
    const { config } = await freshDatabase();
    const wire = await openWire(config);
    const pool = makePool({ ...config, ...wire.address }, 1, 60_000);
    onTestFinished(() => pool.end());
    wire.carry(1);
    await expect(pool.query('SELECT 1')).rejects.toThrow('timeout');
    wire.carry(Infinity);
    expect((await pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});

/** A TCP connection to a server's Unix socket. `carry` says how many more messages of the client arrive. */
async function openWire({ host, port }: TestServer): Promise<{
  readonly address: { readonly host: string; readonly port: number };
  carry(messages: number): void;
}> {
  let left = Infinity;
  const server = createServer((client) => {
    const database = connect(`${host}/.s.PGSQL.${port}`);
    for (const socket of [client, database]) socket.on('error', () => {});
    client.on('data', (message) => void (left-- > 0 && database.write(message)));
    client.on('close', () => database.destroy());
    database.pipe(client);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  return { address, carry: (messages) => void (left = messages) };
}
