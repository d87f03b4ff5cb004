import type { PoolClient } from 'pg';
import { expect, it } from 'vitest';
import { makePool } from '../../../src/platform/database/database.ts';
import { refuseTransactionPooler } from '../../../src/platform/database/pooler.ts';
import { freshDatabase } from '../../support/postgres.ts';

/** A connection of a pooler in transaction mode: every statement goes to whichever server is free. */
function pooled(free: () => number): PoolClient {
  return { query: async () => ({ rows: [{ pid: free() }] }) } as unknown as PoolClient;
}

it('accepts PostgreSQL itself', async () => {
  const pool = makePool((await freshDatabase()).config, 2);
  const pair = [await pool.connect(), await pool.connect()] as const;
  try {
    await expect(refuseTransactionPooler(pair)).resolves.toBeUndefined();
  } finally {
    for (const client of pair) client.release();
    await pool.end();
  }
});

it('accepts a pooler in session mode', async () => {
  await expect(refuseTransactionPooler([pooled(() => 1), pooled(() => 2)])).resolves.toBeUndefined();
});

it.each([
  ['one server', () => 1],
  ['servers in turn', (turn = 0) => (turn += 1)],
])('refuses a pooler in transaction mode that has %s', async (_, free) => {
  let turn = 0;
  const next = (): number => free(turn++);
  await expect(refuseTransactionPooler([pooled(next), pooled(next)])).rejects.toThrow('transaction mode');
});
