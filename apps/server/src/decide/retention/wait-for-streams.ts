import { dayMs, hourMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import type { LineLogger } from '../../platform/observability/thread-logger.ts';

/** How much longer than their time data is kept for streams that have not sent it. */
const waitMsMax = 7 * dayMs;
/** A stream at which no process has looked for this long is no longer in any configuration. */
const forgottenMs = dayMs;
/** A cursor notes a time when all that is decided has left; an event of that time may have been decided later. */
const marginMs = hourMs;

const lostMessage =
  'data past its retention period was removed although a stream has not sent it: its receiver has failed for too long';

/**
 * The time before which data of a workspace may be removed: what streams have not sent stays, but for at most seven days
 * more. What is then removed nevertheless is logged, and noted at the cursor.
 *
 * @param beforeMs by the retention period
 */
export async function beforeStreams(
  { pool, logger }: { readonly pool: Pool; readonly logger: LineLogger },
  workspaceId: string,
  beforeMs: number,
): Promise<number> {
  if (!Number.isFinite(beforeMs)) return beforeMs;
  const found = await pool.query<{ through: number | null }>(
    `select (extract(epoch from min(c.through)) * 1000)::float8 as through
       from stream_cursor c join stream s on s.name = c.stream
      where c.workspace_id = $1 and s.looked_at > now() - make_interval(secs => $2)`,
    [workspaceId, forgottenMs / 1_000],
  );
  const through = found.rows[0]?.through ?? null;
  if (through === null) return beforeMs;
  const sentMs = through - marginMs;
  const allowedMs = Math.max(Math.min(beforeMs, sentMs), beforeMs - waitMsMax);
  if (allowedMs > sentMs) await noteLost({ pool, logger }, workspaceId, allowedMs);
  return allowedMs;
}

async function noteLost(
  { pool, logger }: { readonly pool: Pool; readonly logger: LineLogger },
  workspaceId: string,
  beforeMs: number,
): Promise<void> {
  const lost = await pool.query<{ stream: string; kind: string }>(
    `update stream_cursor set lost_at = now()
      where workspace_id = $1 and through < to_timestamp($2::float8 / 1000.0) and through > 'epoch'
     returning stream, kind`,
    [workspaceId, beforeMs],
  );
  for (const { stream, kind } of lost.rows) logger.error({ workspace: workspaceId, stream, kind }, lostMessage);
}
