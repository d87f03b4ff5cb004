/**
 * Goal: an installation with events gets the indexes of a new one while it is written to, whatever interrupts that.
 * Method: migrate a database with one event in each table, so that the migration leaves its indexes alone; change them;
 * compare with a database that was empty.
 */
import { Client, type Pool } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { checkIndexes } from '../../../src/cli/doctor/check-database.ts';
import { indexChanges, migrations } from '../../../src/migrations.ts';
import { makePool } from '../../../src/platform/database/database.ts';
import { changeIndexes, remainingChanges } from '../../../src/platform/database/index-changes.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let pool: Pool;
let stop: AbortController;
const logger = { info: vi.fn(), warn: vi.fn() };

beforeEach(async () => {
  database = await freshDatabase();
  const before = migrations.findIndex(({ name }) => name === '0059-narrow-indexes');
  await migrate(database.config, migrations.slice(0, before));
  pool = makePool(database.config, 3);
  await insertEvent(0);
  await migrate(database.config, migrations);
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await pool.end();
  vi.clearAllMocks();
});

async function insertEvent(offset: number): Promise<void> {
  await pool.query(
    `with e as (insert into event (workspace_id, "offset", epoch, kind, subject, logged_at, status)
                values ('acme', $1, 1, 'login', 'aaaa', now(), 'decided'))
     insert into event_entity (workspace_id, "offset", channel) values ('acme', $1, 7)`,
    [offset],
  );
}

function change(): Promise<void> {
  return changeIndexes({ connection: database.config, changes: indexChanges, logger, stop: stop.signal });
}

async function indexesOf(target: Pool | Client): Promise<readonly string[]> {
  const { rows } = await target.query<{ text: string }>(
    `select indexdef || case when indisvalid then '' else ' invalid' end as text
       from pg_indexes join pg_class c on relname = indexname join pg_index i on i.indexrelid = c.oid
      where tablename in ('event', 'event_entity') order by 1`,
  );
  return rows.map(({ text }) => text);
}

async function indexesOfNew(): Promise<readonly string[]> {
  const empty = await freshDatabase();
  await migrate(empty.config, migrations);
  const client = new Client(empty.config);
  await client.connect();
  try {
    return await indexesOf(client);
  } finally {
    await client.end();
  }
}

it('gives stored events the indexes of a new installation, and reports how many are left', async () => {
  expect(await remainingChanges(pool, indexChanges)).toEqual(indexChanges);
  expect(await checkIndexes(pool)).toMatchObject({
    state: 'unwise',
    detail: '12 of 12 changes of this release are not made yet',
  });
  await change();
  expect(await indexesOf(pool)).toEqual(await indexesOfNew());
  expect(await checkIndexes(pool)).toMatchObject({ state: 'good' });
  expect(logger.info).toHaveBeenLastCalledWith({ index: 'event_entity_currency_offset', left: 0 }, 'changed an index');
});

it('does nothing where nothing is left', async () => {
  await change();
  logger.info.mockClear();
  await change();
  expect(logger.info).not.toHaveBeenCalled();
});

it('lets events be written while an index is built, and continues after an interruption', async () => {
  // Building waits for transactions that are older than the index.
  const reader = new Client(database.config);
  await reader.connect();
  await reader.query('begin isolation level repeatable read; select count(*) from event');
  const interrupted = change();
  const builds = `select pid from pg_stat_activity
                   where datname = current_database() and query like 'create index concurrently%' and wait_event = 'virtualxid'`;
  await expect.poll(async () => (await pool.query(builds)).rowCount).toBe(1);
  await insertEvent(1);
  await pool.query(`select pg_terminate_backend(pid) from (${builds}) b`);
  await expect.poll(() => logger.warn.mock.calls.length).toBe(1);
  stop.abort();
  await interrupted;
  await reader.end();
  expect((await indexesOf(pool)).filter((text) => text.endsWith('invalid'))).toHaveLength(1);

  stop = new AbortController();
  await change();
  expect(await indexesOf(pool)).toEqual(await indexesOfNew());
  const found = await pool.query(`select "offset" from event where subject = 'aaaa' order by "offset"`);
  expect(found.rows).toEqual([{ offset: 0 }, { offset: 1 }]);
});

it('is done by one process at a time', async () => {
  const both = [change(), change()];
  await Promise.race(both);
  expect(await indexesOf(pool)).toEqual(await indexesOfNew());
  stop.abort();
  await Promise.all(both);
  expect(
    logger.info.mock.calls.filter(([, text]) => text === 'changing indexes of the database while the service runs'),
  ).toHaveLength(1);
  expect(logger.warn).not.toHaveBeenCalled();
});
