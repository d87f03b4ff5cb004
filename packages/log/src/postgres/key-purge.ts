import type { Pool } from 'pg';
import { clocksDifferMsMax, idempotencyKeptMs } from '../bounds.ts';

/** Rows of one statement: a fraction of a second, so that appends do not wait long for a row or for the disk. */
const purgeRowsMax = 10_000;

/**
 * Deletes idempotency keys that are older than 24 h: by their partition's log time, or by the clock in partitions
 * without new records. Expired keys that still exist do no harm, because log_append checks their age.
 *
 * @returns how many keys were deleted
 */
export async function purgeKeys(pool: Pool, nowMs: number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `DELETE FROM log_idempotency k USING (
         SELECT old.number, old.key FROM log_partition p, LATERAL (
           SELECT o.number, o.key FROM log_idempotency o
            WHERE o.number = p.number AND o.log_time_ms <= greatest(p.log_time_ms, $3::bigint) - $1 LIMIT $2
         ) old LIMIT $2
       ) old WHERE k.number = old.number AND k.key = old.key`,
      [idempotencyKeptMs, purgeRowsMax, nowMs - clocksDifferMsMax],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < purgeRowsMax) return deleted;
  }
}
