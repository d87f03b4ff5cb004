import { Client } from 'pg';
import { expect, it } from 'vitest';
import { connectForLongWork } from '../../../src/platform/database/database.ts';
import { freshDatabase } from '../../support/postgres.ts';

it('connectForLongWork ignores time limits of the role and the database', async () => {
  const { config } = await freshDatabase();
  const admin = new Client(config);
  await admin.connect();
  await admin.query(`alter database ${config.database} set statement_timeout = '50ms'`);
  await admin.query(`alter database ${config.database} set idle_in_transaction_session_timeout = '50ms'`);
  await admin.end();
  const client = await connectForLongWork(config);
  try {
    await client.query('begin');
    await expect(client.query('select pg_sleep(0.2)')).resolves.toMatchObject({ rowCount: 1 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await expect(client.query('commit')).resolves.toBeDefined();
  } finally {
    await client.end();
  }
});
