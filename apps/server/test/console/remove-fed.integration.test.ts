import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeFed } from '../../src/console/feed/remove-fed.ts';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

const dayMs = 86_400_000;
let kit: ConsoleKit;

beforeAll(async () => {
  kit = await consoleKit();
  await kit.send('login', login('ana'));
  for (let i = 0; i < 7; i++) await kit.send('operation', payment('ana'));
  await kit.fed();
});

afterAll(() => kit.close());

const count = async (from: string): Promise<number> =>
  (await kit.pool.query<{ count: number }>(`select count(*) as count from ${from}`)).rows[0]!.count;

const closeAlerts = (): Promise<unknown> =>
  kit.pool.query(`update alert set state = 'closed', outcome = 'fraud', closed_by = 'x', closed_at = now()`);

it('keeps data of existing events, and minutes for three days', async () => {
  await removeFed(kit.pool, Date.now());
  const hours = await count('console_count where span = 3600');
  await removeFed(kit.pool, Date.now() + 4 * dayMs);
  expect(await count('console_count where span = 60')).toBe(0);
  expect(await count('console_count where span = 3600')).toBe(hours);
});

it('removes alerts long after they were decided, and never an open one', async () => {
  const later = Date.now() + 500 * dayMs;
  await removeFed(kit.pool, later);
  expect(await count('alert')).toBe(1);
  await closeAlerts();
  await removeFed(kit.pool, Date.now());
  expect(await count('alert')).toBe(1);
  await removeFed(kit.pool, later);
  expect([await count('alert'), await count('alert_event')]).toEqual([0, 0]);
});

it('removes decided alerts with the last of their events, but no open one', async () => {
  await kit.send('login', login('bob'));
  for (let i = 0; i < 7; i++) await kit.send('operation', payment('bob'));
  await kit.fed();
  await kit.pool.query(`delete from event`);
  await removeFed(kit.pool, Date.now());
  expect(await count('alert')).toBe(1);
  await closeAlerts();
  await removeFed(kit.pool, Date.now());
  expect(await count('alert')).toBe(0);
});

it('reads no alerts and counts that stay, however many there are', async () => {
  const client = await kit.pool.connect();
  const read = async (): Promise<number> => {
    const { rows } = await client.query<{ count: number }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as count
         from pg_stat_xact_user_tables where relname in ('alert', 'console_count')`,
    );
    return rows[0]!.count;
  };
  // In a table this small the planner would prefer a sequential scan.
  await client.query('begin; set local enable_seqscan = off; set local enable_bitmapscan = off');
  await client.query(
    `insert into alert (workspace_id, id, state, rank, risk, decisions, reasons, first_offset, last_offset, opened_at, last_at,
                        outcome, closed_by, closed_at)
     select $1, 'alr_' || translate(lpad(i::text, 12, 'a'), '0189', 'ghij'), 'closed', i, 1, 1, '{1}', 1000000 + i, 1000000 + i,
            now(), now(), 'fraud', 'x', now() from generate_series(1, 3000) i`,
    [kit.workspace.id],
  );
  await client.query(
    `insert into console_count select $1, 3600, date_bin('1 hour', now(), 'epoch') - i * interval '1 minute', 'x', 'y', 1
       from generate_series(1, 3000) i`,
    [kit.workspace.id],
  );
  await client.query('analyze alert; analyze console_count');
  const before = await read();
  await removeFed(client, Date.now());
  expect((await read()) - before).toBeLessThan(100);
  await client.query('rollback');
  client.release();
});
