/** Two processes write to the tables of ingest at the same time. */
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RefusedRequests } from '../../src/ingest/refused-requests.ts';
import { ingestTables } from '../../src/ingest/ingest-tables.ts';
import { KeyUses } from '../../src/tenancy/workspaces/key-uses.ts';
import { freshDatabase } from '../support/postgres.ts';

const atMs = Date.UTC(2026, 10, 21, 16, 30);

let pool: Pool;
let errors: unknown[];
const onError = (error: unknown): void => void errors.push(error);
beforeAll(async () => {
  pool = new Pool((await freshDatabase()).config);
  await pool.query(ingestTables);
  await pool.query(`create table license_key_use (key_id text primary key, last_used_at timestamptz not null)`);
});
afterAll(() => pool.end());

/** Writes one row for each of the numbers, noted in their order, as a separate process would. */
type Write = (numbers: readonly number[]) => Promise<void>;

const keys: Write = async (numbers) => {
  const uses = new KeyUses(pool);
  for (const number of numbers) uses.note(`key-${number}`, atMs);
  await uses.write().catch(onError);
};
const refusals: Write = async (numbers) => {
  const refused = new RefusedRequests({ pool, now: () => atMs, onError });
  for (const number of numbers)
    refused.note({
      atMs,
      workspaceId: 'one',
      keyId: undefined,
      requestId: 'r',
      method: 'POST',
      path: `/${number}`,
      status: 422,
      code: 'event.invalid',
      bodyBytes: 1,
      errors: [],
    });
  await refused.write();
};

it.each<[string, string, Write]>([
  ['uses of keys', `select 1 from license_key_use where key_id = 'key-2' for update`, keys],
  ['counts of refused requests', `select 1 from refused_count where path = '/2' for update`, refusals],
])('%s written in different orders do not deadlock', async (_, holdTheSecond, write) => {
  errors = [];
  await write([1, 2, 3]);
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query(holdTheSecond);
    const both = [write([1, 2, 3]), write([3, 2, 1])];
    await expect.poll(waiting).toBe(2);
    await holder.query('commit');
    await Promise.all(both);
  } finally {
    holder.release();
  }
  expect(errors).toEqual([]);
});

async function waiting(): Promise<number> {
  const found = await pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return found.rowCount!;
}
