import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../support/postgres.ts';
import { ringfence } from '../support/terminal.ts';

it('serve can be stopped while it waits for the migrations of another process, and creates nothing', async () => {
  const database = await freshDatabase();
  const other = new Client(database.config);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`select pg_advisory_lock(hashtextextended('ringfence.migrate', 0))`);

  const stop = new AbortController();
  const environment = {
    DATABASE_URL: database.url,
    RINGFENCE_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
    RINGFENCE_ADMIN_TOKEN: 'a-token-of-this-test-and-of-no-other',
    RINGFENCE_LOG_LEVEL: 'fatal',
    PORT: '0',
    MANAGEMENT_PORT: '0',
  };
  const serving = ringfence('serve --door-only', { environment, stop: stop.signal });
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
  stop.abort();
  expect(await serving).toEqual({ code: 0, out: '', err: '' });
  const tables = await other.query(`select to_regclass('workspace') as workspace`);
  expect(tables.rows).toEqual([{ workspace: null }]);
});
