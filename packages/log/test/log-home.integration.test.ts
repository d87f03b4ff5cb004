import type { EpochMs } from '@ringfence/contract';
import { Client, Pool } from 'pg';
import { expect, it } from 'vitest';
import { freshDatabase, type TestServer } from '../../../tools/testing/postgres.ts';
import { entry } from '../conformance/log-harness.ts';
import { StaleGenerationError } from '../src/log.ts';
import { PostgresLog } from '../src/postgres/postgres-log.ts';
import { logHomeSchema, logSteps } from '../src/schema.ts';

const p = 'acme';

it('begins a new epoch in a copy of its database on the same server, but not in the original', async () => {
  const { config } = await freshDatabase();
  await run(config, logSteps.join(''));
  const { epoch, generation } = await appendOnce(config);
  const copy = { ...config, database: `${config.database}_copy` };
  await run(config, `CREATE DATABASE ${copy.database} TEMPLATE ${config.database}`, 'postgres');

  // Neither accepts what was encrypted under a key that only the other one has.
  await expect(appendOnce(copy, generation)).rejects.toThrow(StaleGenerationError);
  const copied = await appendOnce(copy);
  expect(copied.epoch).toBeGreaterThan(epoch);
  expect(await appendOnce(copy)).toEqual(copied);
  expect(await appendOnce(config, generation)).toEqual({ epoch, generation });
});

it('begins a new epoch when a dump replaced its tables', async () => {
  const { config } = await freshDatabase();
  await run(config, logSteps.join(''));
  const before = await appendOnce(config);
  await run(
    config,
    `ALTER TABLE log_partition RENAME TO away;
     CREATE TABLE log_partition (LIKE away INCLUDING ALL);
     INSERT INTO log_partition OVERRIDING SYSTEM VALUE SELECT * FROM away;
     DROP TABLE away`,
  );
  const after = await appendOnce(config);
  expect(after.epoch).toBeGreaterThan(before.epoch);
  expect(await appendOnce(config)).toEqual(after);
});

it('keeps its epoch when the step is applied: for connected sessions and new ones', async () => {
  const { config } = await freshDatabase();
  await run(config, logSteps.filter((step) => step !== logHomeSchema).join(''));
  await withLog(config, async (connected) => {
    await connected.append(p, entry(0));
    const before = await connected.head(p);
    const migrating = new Client(config);
    await migrating.connect();
    await migrating.query('BEGIN');
    await migrating.query(logHomeSchema);
    const during = connected.append(p, entry(1));
    await migrating.query('COMMIT');
    await migrating.end();
    await during;
    await connected.append(p, entry(2));
    const { epoch, generation } = before;
    expect(await appendOnce(config, generation)).toEqual({ epoch, generation });
    expect(await connected.head(p)).toMatchObject({ end: 4, epoch, generation });
  });
});

async function run(config: TestServer, sql: string, database = config.database): Promise<void> {
  const client = new Client({ ...config, database });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** On a new connection, like a process that starts. */
async function appendOnce(
  config: TestServer,
  generation?: number,
): Promise<{ readonly epoch: number; readonly generation: number }> {
  return withLog(config, async (log) => {
    await log.append(p, entry(0), generation);
    const head = await log.head(p);
    return { epoch: head.epoch, generation: head.generation };
  });
}

async function withLog<T>(config: TestServer, use: (log: PostgresLog) => Promise<T>): Promise<T> {
  const pool = new Pool({ ...config, max: 2 });
  const log = new PostgresLog({ connection: config, pool, clock: () => Date.now() as EpochMs });
  try {
    await log.createPartition(p);
    return await use(log);
  } finally {
    await log.close();
    await pool.end();
  }
}
