import type { ClientBase, Pool } from 'pg';

type Work<Result> = (client: ClientBase) => Promise<Result>;

/** Runs `work` in one transaction: all of it is committed, or none. */
export function inTransaction<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  return run(pool, 'begin', work);
}

/**
 * Checks in a transaction that this process still owns something, and keeps it so until the transaction ends. Throws if
 * another process has taken it over: a process that was suspended for a while continues as if nothing had happened.
 */
export type Fence = (client: ClientBase) => Promise<void>;

/** Runs `work` in one transaction after `fence`. @throws what the fence throws, with nothing written */
export function behindFence<Result>(pool: Pool, fence: Fence, work: Work<Result>): Promise<Result> {
  return inTransaction(pool, async (client) => {
    await fence(client);
    return work(client);
  });
}

/** Runs `work` on one snapshot of the database, however many queries it makes. */
export function inSnapshot<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  return run(pool, 'begin isolation level repeatable read read only', work);
}

async function run<Result>(pool: Pool, begin: string, work: Work<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    // A connection whose rollback fails is discarded.
    await client.query('rollback').catch((cause: unknown) => {
      broken = cause as Error;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
