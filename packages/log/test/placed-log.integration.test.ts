import { Pool, type PoolClient } from 'pg';
import { afterAll } from 'vitest';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { logConformance } from '../conformance/log-conformance.ts';
import { MemoryRecordStore } from '../src/memory-record-store.ts';
import { PostgresLog } from '../src/postgres/postgres-log.ts';
import { logSteps } from '../src/schema.ts';

const { config: connection } = await freshDatabase();
const pool = new Pool({ ...connection, max: 4 });
await pool.query(logSteps.join(''));
await pool.query('CREATE TABLE note (text text NOT NULL)');
afterAll(() => pool.end());

const store = new MemoryRecordStore();

logConformance('PostgreSQL, and the bytes in a store in memory', {
  copiesBlocks: true,
  open: (clock, rangeRecords) =>
    Promise.resolve(
      new PostgresLog({ connection, pool, clock: clock.read, rangeRecords, records: { store, writes: true } }),
    ),
  beginLife: async (_, partition) => {
    await pool.query(`UPDATE log_partition SET life = 'another cluster' WHERE partition = $1`, [partition]);
  },
  closePartition: async (_, partition) => {
    await pool.query('UPDATE log_partition SET closed = true WHERE partition = $1', [partition]);
  },
  notes: {
    write: async (transaction, text) => {
      await (transaction as PoolClient).query('INSERT INTO note VALUES ($1)', [text]);
    },
    all: async () => (await pool.query<{ text: string }>('SELECT text FROM note')).rows.map(({ text }) => text),
  },
});
