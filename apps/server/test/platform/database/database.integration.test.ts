import { describe, expect, it } from 'vitest';
import { makePool, openDatabase } from '../../../src/platform/database/database.ts';
import { silentLog } from '../../../src/platform/database/database-log.ts';
import { OperatorError } from '../../../src/platform/observability/operator-error.ts';
import { freshDatabase } from '../../support/postgres.ts';

const database = await freshDatabase();

describe('openDatabase', () => {
  it('opens the database in DATABASE_URL, and describes its location without a password', async () => {
    const databaseUrl = database.url.replace('ringfence@', 'ringfence:secret@');
    const opened = await openDatabase({ databaseUrl, home: 'unused', log: silentLog });
    const { rows } = await opened.pool.query<{ name: string }>('SELECT current_database() AS name');
    expect(rows).toEqual([{ name: database.config.database }]);
    expect(opened).toMatchObject({ kind: 'external', where: `${database.config.host}/${database.config.database}` });
    await opened.close();
  });

  it('fails immediately, with advice, if the database does not exist', async () => {
    const databaseUrl = database.url.replace(database.config.database, 'nothing_here');
    const failure = await openDatabase({ databaseUrl, home: 'unused', log: silentLog }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(OperatorError);
    expect((failure as OperatorError).message).toContain('"nothing_here" does not exist');
  });
});

describe('makePool', () => {
  it('parses int8 to numbers, and throws for unsafe integers', async () => {
    const pool = makePool(database.config, 1);
    const { rows } = await pool.query('SELECT 9007199254740991::bigint AS safe, count(*) AS one, 1.50 AS exact');
    expect(rows).toEqual([{ safe: 9_007_199_254_740_991, one: 1, exact: '1.50' }]);
    await expect(pool.query('SELECT 9007199254740992::bigint')).rejects.toThrow(RangeError);
    await pool.end();
  });

  it('recovers after its connections were cut', async () => {
    const pool = makePool(database.config, 2);
    await pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    await pool.end();
  });
});
