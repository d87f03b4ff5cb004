import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePool } from '../../../src/platform/database/database.ts';
import { freshDatabase } from '../../../../../tools/testing/postgres.ts';

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
});
