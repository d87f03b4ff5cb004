import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { whileLocked } from '../../platform/database/advisory-lock.ts';

const lock = 'ringfence.retention';
const tryEveryMs = 500;

/**
 * Runs `work` while no other process removes data. @returns `undefined` when one does, or when the log is being read
 */
export function whenAlone<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result | undefined> {
  return whileLocked(pool, { lock }, work);
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
  for (;;) {
    const result = await whileLocked(pool, { lock, isShared: true }, async () => ({ of: await work() }));
    if (result !== undefined) return result.of;
    if (performance.now() >= untilMs) {
      throw new Problem('rate.limited', 'Old records are being removed. Try again in a minute.', {
        retryAfterSeconds: askAgainSeconds,
      });
    }
    await delay(tryEveryMs);
  }
}
