import { describe, expect, it, onTestFinished } from 'vitest';
import { makePool } from '../../src/database/database.ts';
import { freshDatabase } from '../../../../tools/testing/postgres.ts';

describe('makePool', () => {
  /** PostgreSQL was killed while a transaction was open: its user must hear of it, and nobody else. */
  it('outlives a connection that breaks while it is in use, between two queries', async () => {
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

    await expect(broken.query('SELECT 1')).rejects.toThrow('connection error');
    broken.release(true);
    expect((await pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});
