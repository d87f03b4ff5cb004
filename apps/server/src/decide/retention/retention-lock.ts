import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';

const key = `hashtextextended('ringfence.retention', 0)`;
const tryEveryMs = 500;

/**
 * Runs `work` while no other process removes data. @returns `undefined` when one does, or when the log is being read
 */
export function whenAlone<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result | undefined> {
  return locked(pool, { take: 'pg_try_advisory_lock', free: 'pg_advisory_unlock' }, work);
}

/** How long a person waits for a page; a round that steps many old records takes longer. */
export const personWaitsMsMax = 20_000;
const askAgainSeconds = 60;

/**
 * Runs `work` while no process removes data, for readers of the log from its base on. Waits for a running round to end.
 *
 * @throws Problem `rate.limited` after waiting `waitMsMax`
 */
export async function whileAllIsKept<Result>(
  pool: Pool,
  work: () => Promise<Result>,
  waitMsMax = Infinity,
): Promise<Result> {
  const untilMs = performance.now() + waitMsMax;
  const held = { take: 'pg_try_advisory_lock_shared', free: 'pg_advisory_unlock_shared' };
  for (;;) {
    const result = await locked(pool, held, async () => ({ of: await work() }));
    if (result !== undefined) return result.of;
    if (performance.now() >= untilMs) {
      throw new Problem('rate.limited', 'Old records are being removed. Try again in a minute.', {
        retryAfterSeconds: askAgainSeconds,
      });
    }
    await delay(tryEveryMs);
  }
}

async function locked<Result>(
  pool: Pool,
  lock: { readonly take: string; readonly free: string },
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    const taken = await client.query<{ taken: boolean }>(`select ${lock.take}(${key}) as taken`);
    if (taken.rows[0]?.taken !== true) return undefined;
    const result = await work();
    // The work is done, even if the lock cannot be released.
    await client.query(`select ${lock.free}(${key})`).catch((error: unknown) => {
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
