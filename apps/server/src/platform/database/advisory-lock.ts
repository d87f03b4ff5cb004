import type { Pool } from 'pg';

/** A lock of the database by name; as a shared one it only excludes those who take it alone. */
export interface AdvisoryLock {
  readonly lock: string;
  readonly isShared?: true;
}

/**
 * Runs `work` while this process holds a lock, for as long as it takes: the lock belongs to a connection and to no
 * transaction. It ends with the connection, so a crash frees it.
 *
 * @returns `undefined` when another process holds the lock
 */
export async function whileLocked<Result>(
  pool: Pool,
  { lock, isShared }: AdvisoryLock,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const shared = isShared === true ? '_shared' : '';
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    const taken = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock${shared}(hashtextextended($1, 0)) as taken`,
      [lock],
    );
    if (taken.rows[0]?.taken !== true) return undefined;
    const result = await work();
    // The work is done, even if the lock cannot be released.
    await client
      .query(`select pg_advisory_unlock${shared}(hashtextextended($1, 0))`, [lock])
      .catch((error: unknown) => {
        failed = error as Error;
      });
    return result;
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    client.release(failed); // a broken connection is closed, and its lock is free
  }
}
