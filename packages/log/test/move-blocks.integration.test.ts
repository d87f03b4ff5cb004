import { Pool } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { entry, keyed, TestClock } from '../conformance/log-harness.ts';
import { MemoryRecordStore } from '../src/memory-record-store.ts';
import { countPlacedBlocks, moveToPostgres } from '../src/postgres/move-blocks.ts';
import { PostgresLog } from '../src/postgres/postgres-log.ts';
import { logSteps } from '../src/schema.ts';

const { config: connection } = await freshDatabase();
const pool = new Pool({ ...connection, max: 4 });
await pool.query(logSteps.join(''));
afterAll(() => pool.end());

it('moves every byte into PostgreSQL while others append, can be stopped, and then needs no store', async () => {
  const clock = new TestClock();
  const store = new MemoryRecordStore();
  const open = (writes: boolean): PostgresLog =>
    new PostgresLog({ connection, pool, clock: clock.read, rangeRecords: 100, records: { store, writes } });
  const writing = open(true);
  for (const p of ['a', 'b']) {
    await writing.createPartition(p);
    await writing.append(p, keyed(0, 7, 1));
    await Promise.all(
      Array.from({ length: 150 }, (_, index) => writing.append(p, entry(index, { payload: Buffer.alloc(500, index) }))),
    );
    await Promise.all([writing.append(p, keyed(0, 7, 1)), writing.append(p, entry(9))]);
  }
  const before = [await writing.read('a', 0, 1_000), await writing.read('b', 0, 1_000)];
  await writing.close();

  const log = open(false);
  expect([...(await countPlacedBlocks(pool)).values()].map(({ records }) => records)).toEqual([153, 153]);
  // Stopped by a failure in the middle.
  await expect(
    moveToPostgres(pool, log.placed, () => {
      throw new Error('stopped');
    }),
  ).rejects.toThrow('stopped');
  await log.append('a', entry(200));
  expect(await moveToPostgres(pool, log.placed, () => {})).toBe(true);
  expect((await countPlacedBlocks(pool)).size).toBe(0);
  await log.close();

  const without = new PostgresLog({ connection, pool, clock: clock.read });
  expect((await without.read('a', 0, 1_000)).slice(0, 153)).toEqual(before[0]);
  expect(await without.read('b', 0, 1_000)).toEqual(before[1]);
  // A new life is not held up by a store that is left.
  await pool.query(`UPDATE log_partition SET life = 'another'`);
  expect(await without.append('a', entry(1))).toMatchObject({ offset: 154 });
  await without.close();
});
