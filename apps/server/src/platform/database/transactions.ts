import type { ClientBase, Pool } from 'pg';

type Work<Result> = (client: ClientBase) => Promise<Result>;

/** Runs `work` in one transaction: all of it is committed, or nothing. */
export function inTransaction<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  return run(pool, 'begin', work);
}

/**
 * Asks in a transaction whether something is still this process's own, and keeps it so until the transaction ends. Throws
 * when another process has taken it over: one that was stopped for a while goes on as if nothing had happened.
 */
export type Fence = (client: ClientBase) => Promise<void>;

/** Runs `work` in one transaction behind `fence`. @throws what the fence throws, with nothing written */
export function behindFence<Result>(pool: Pool, fence: Fence, work: Work<Result>): Promise<Result> {
  return inTransaction(pool, async (client) => {
    await fence(client);
    return work(client);
  });
}

/** Runs `work` on one state of the database, however many queries it makes. */
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
    // A connection whose rollback fails is thrown away with whatever it was in the middle of.
    await client.query('rollback').catch((cause: unknown) => {
      broken = cause as Error;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
