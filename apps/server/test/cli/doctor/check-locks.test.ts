import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { checkLocks } from '../../../src/cli/doctor/check-database.ts';

const database = (ranges: number): Pool =>
  ({ query: async () => ({ rows: [{ ranges, capacity: 6_400, connections: 100 }] }) }) as unknown as Pool;

it('says how many locks a database needs for the ranges of its events', async () => {
  expect(await checkLocks(database(50))).toMatchObject({ state: 'good' });
  expect(await checkLocks(database(51))).toMatchObject({
    state: 'unwise',
    detail: 'the database has room for 6400, and searches in 51 ranges of events may need 6528',
    mend: 'Set max_locks_per_transaction of the database to 66 and restart it.',
  });
});
