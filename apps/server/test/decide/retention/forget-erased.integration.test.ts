import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePool } from '../../../src/platform/database/database.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { migrations } from '../../../src/migrations.ts';
import { forgetErased } from '../../../src/decide/retention/forget-erased.ts';
import { makeEventRange } from '../../support/event-range.ts';
import { freshDatabase } from '../../support/postgres.ts';

const database = await freshDatabase();
const pool = makePool(database.config, 1);
/** Four events per round instead of a million. */
const bounds = { batchEventsMax: 2, batchesMax: 2 };
const stop = new AbortController().signal;

beforeAll(async () => {
  await migrate(database.config, migrations);
  await makeEventRange(pool, 'bank');
  // The workspace's row is irrelevant here.
  await pool.query('set session_replication_role = replica');
  for (const [place, subject] of ['much', 'little'].entries()) {
    const count = place === 0 ? 9 : 1;
    await pool.query(
      `insert into event (workspace_id, "offset", epoch, kind, subject, logged_at, status, ip,
                          payee_bank, country)
       select 'bank', $1 + i, 1, 'login', $2, now(), 'decided', 'x', 'B1', 'MX' from generate_series(1, $3::integer) i`,
      [place * 100, subject, count],
    );
    await pool.query(
      `insert into erasure (workspace_id, subject, erased_at) values ('bank', $1, now() - interval '1 hour')`,
      [subject],
    );
  }
});
afterAll(() => pool.end());

const found = async (): Promise<number> =>
  (
    await pool.query<{ count: number }>(`select count(*)::integer as count from event
      where coalesce(encode(ip, 'hex'), payee_bank, country) is not null`)
  ).rows[0]!.count;

it('finishes a client with more events than a round allows, and continues with the next client in the next round', async () => {
  expect(await forgetErased(pool, stop, bounds)).toBe(false);
  expect(await found()).toBe(1);
  expect(await forgetErased(pool, stop, bounds)).toBe(true);
  expect(await found()).toBe(0);
});
