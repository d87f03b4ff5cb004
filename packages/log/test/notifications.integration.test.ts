import { Pool } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { Notifications } from '../src/postgres/notifications.ts';
import { startProxy } from './support/postgres-proxy.ts';

const database = await freshDatabase();
const pool = new Pool({ ...database.config, max: 4 });
afterAll(() => pool.end());

let notifications: Notifications;
beforeEach(() => {
  notifications = new Notifications(database.config);
});
afterEach(() => notifications.close());

function notify(channel: string, payload: string): Promise<unknown> {
  return pool.query('SELECT pg_notify($1, $2)', [channel, payload]);
}

/** Connections outside the pool, by their last statement. */
async function listening(): Promise<readonly number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen %' AND state = 'idle'`,
  );
  return rows.map(({ pid }) => pid);
}

/** Listens on a channel, and waits until the connection is listening. */
async function hear(channel: string): Promise<{ told: string[]; listenings: () => number; stop: () => void }> {
  const told: string[] = [];
  let count = 0;
  const stop = notifications.hear(channel, {
    told: (payload) => void told.push(payload),
    listening: () => void count++,
  });
  await expect.poll(() => count).toBe(1);
  return { told, listenings: () => count, stop };
}

describe('notifications', () => {
  it('use one connection for all listeners, and none without listeners', async () => {
    const [one, again, other] = [await hear('one'), await hear('one'), await hear('other')];
    expect(await listening()).toHaveLength(1);
    await notify('one', 'first');
    await notify('other', 'second');
    await notify('third', 'third');
    await expect.poll(() => other.told).toEqual(['second']);
    expect([one.told, again.told]).toEqual([['first'], ['first']]);
    again.stop();
    await notify('one', 'more');
    await expect.poll(() => one.told).toEqual(['first', 'more']);
    expect(again.told).toEqual(['first']);
  });

  it('continue after the connection was lost, and report that some may be missing', async () => {
    const [one, other] = [await hear('one'), await hear('other')];
    await pool.query('SELECT pg_terminate_backend($1)', [(await listening())[0]]);
    await expect.poll(() => [one.listenings(), other.listenings()]).toEqual([2, 2]);
    await notify('one', 'first');
    await notify('other', 'second');
    await expect.poll(() => [one.told, other.told]).toEqual([['first'], ['second']]);
  });

  it('reject a connection whose setup fails', async () => {
    let tries = 0;
    const fails = async (): Promise<void> => {
      if (++tries < 3) throw new Error('not yet');
    };
    const told: string[] = [];
    notifications.hear('one', { told: (payload) => void told.push(payload), listening: fails });
    await expect.poll(() => tries).toBe(3);
    await notify('one', 'first');
    await expect.poll(() => told).toEqual(['first']);
  });

  it('return undefined for a query that fails, and reconnect', async () => {
    const one = await hear('one');
    const before = await listening();
    expect(await notifications.ask((client) => client.query('SELECT 1 AS n'))).toMatchObject({ rows: [{ n: 1 }] });
    expect(await notifications.ask((client) => client.query('SELECT 1 / 0'))).toBeUndefined();
    await expect.poll(one.listenings).toBe(2);
    expect(await listening()).not.toEqual(before);
  });

  it('continue after a connection hung', async () => {
    const proxy = await startProxy(database.config);
    onTestFinished(() => proxy.close());
    notifications = new Notifications(proxy.connection);
    const one = await hear('one');
    proxy.mode = 'mute';
    const asked = notifications.ask((client) => client.query('SELECT 1'));
    await expect(asked).resolves.toBeUndefined();
    proxy.mode = 'pass';
    await expect.poll(one.listenings).toBe(2);
  });
});
