/** Transactions notify open pages at their end, so that no two of them deadlock (PostgreSQL would report 40P01). */
import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience } from '../../../../tools/testing/patience.ts';
import { openAlerts } from '../../src/console/alerts/open-alerts.ts';
import { closeAlert } from '../../src/console/alerts/work-on-alerts.ts';
import { feedBatch } from '../../src/console/feed/feed-batch.ts';
import { feedActions } from '../../src/console/live/feed-live.ts';
import { appendLive } from '../../src/console/live/live-log.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

/** Each time, one transaction waits for the other at the critical point. */
const turns = 10;

let kit: ConsoleKit;
beforeAll(async () => {
  kit = await consoleKit();
});
afterAll(() => kit.close());

/** Consecutive payments on which a rule of the starter policy acts; the feed has not processed them. */
async function burst(client: string): Promise<void> {
  const session = randomUUID();
  await kit.send('login', login(client, session));
  for (let i = 0; i < 7; i++) await kit.send('operation', payment(client, randomUUID(), session));
  await kit.settled();
}

/** Resolves when one transaction of this database waits for another. */
async function oneWaits(): Promise<void> {
  const waiting = async (): Promise<number | null> =>
    (
      await kit.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rowCount;
  await expect.poll(waiting, patience).toBe(1);
}

const well = [{ status: 'fulfilled' }, { status: 'fulfilled' }];

it('ends of actions are left to the running feed, and reported after it', async () => {
  const { pool, workspace } = kit;
  await burst('the first, by which the feed has a position');
  await kit.fed();
  // Every action has ended, and is reported again.
  await pool.query(`update action set state = 'expired', outcome = null, finished_at = now()`);
  await pool.query(`delete from console_live where kind = 'action'`);
  await pool.query(`update console_position set actions_until = '2000-01-01'`);
  const told = async (): Promise<number | null> => {
    await inTransaction(pool, (client) => feedActions(client, workspace.id));
    return (await pool.query(`select 1 from console_live where kind = 'action'`)).rowCount;
  };
  await inTransaction(pool, async (client) => {
    await client.query('select 1 from console_position for update');
    expect(await told()).toBe(0);
  });
  expect(await told()).toBeGreaterThan(0);
});

describe('an alert on which a user works', () => {
  const analyst = { accountId: undefined, name: 'a program', nowMs: Date.now() };

  async function oneAlert(): Promise<string> {
    await burst(randomUUID());
    await kit.fed();
    const found = await kit.pool.query<{ id: string }>(
      `select id from alert where state = 'open' order by opened_at desc limit 1`,
    );
    return found.rows[0]!.id;
  }

  /** Locks the alert, waits until `other` waits for it, and notifies open pages. */
  function holding(id: string, other: () => void): Promise<void> {
    return inTransaction(kit.pool, async (client: ClientBase) => {
      await client.query(`select 1 from alert where id = $1 for update`, [id]);
      other();
      await oneWaits();
      await appendLive(client, kit.workspace.id, [{ kind: 'alert', ref: randomUUID(), data: {} }]);
    });
  }

  it('can be closed', async () => {
    for (let turn = 0; turn < turns; turn++) {
      const id = await oneAlert();
      let closing: Promise<unknown> | undefined;
      const held = holding(id, () => {
        closing = closeAlert(kit.pool, kit.workspace.id, { id, analyst, outcome: 'legitimate' });
      });
      const [holder] = await Promise.allSettled([held]);
      expect([holder, ...(await Promise.allSettled([closing]))]).toMatchObject(well);
    }
  });

  it('can grow by a batch', async () => {
    const { pool, log, subjects, workspace } = kit;
    for (let turn = 0; turn < turns; turn++) {
      await burst('ana');
      await kit.fed();
      const found = await pool.query<{ id: string }>(
        `select id from alert where state = 'open' order by last_at desc limit 1`,
      );
      await burst('ana');
      let feeding: Promise<unknown> | undefined;
      const held = holding(found.rows[0]!.id, () => {
        feeding = feedBatch({ pool, log, subjects, onDecided: openAlerts }, workspace);
      });
      const [holder] = await Promise.allSettled([held]);
      expect([holder, ...(await Promise.allSettled([feeding]))]).toMatchObject(well);
    }
  });
});
