import { Pool } from 'pg';
import type { EpochMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { PostgresLog } from '../src/postgres/postgres-log.ts';
import { logSteps } from '../src/schema.ts';

it('names the connection that appends, for people who look at the database', async () => {
  const { config } = await freshDatabase();
  const pool = new Pool({ ...config, max: 1 });
  await pool.query(logSteps.join(''));
  const log = new PostgresLog({ connection: config, pool, clock: () => Date.now() as EpochMs });
  try {
    await log.createPartition('bank');
    await log.append('bank', { kind: 'tick', payload: new Uint8Array([0]) });
    const found = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'ringfence appender'`,
    );
    expect(found.rowCount).toBe(1);
  } finally {
    await log.close();
    await pool.end();
  }
});
