import type { Outbox } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';

/** Rows of one statement: some 20 ms, so that nobody waits for it. */
const batchRowsMax = 1_000;
/** Statements of one kind in one round of a workspace: 250,000 rows. What is left then waits for the next round. */
const batchesMax = 250;

/** The turn of one workspace in a round. */
export interface Turn {
  readonly workspaceId: string;
  readonly stop: AbortSignal;
}

/** How much one round removed, and whether it left some behind. */
export interface Removed {
  readonly count: number;
  readonly isAll: boolean;
}

/** Event rows with their decisions, and notes about records, of which the log keeps nothing any more. */
export async function removeEvents(pool: Pool, { workspaceId, stop }: Turn, start: number): Promise<Removed> {
  const removed = await inBatches(stop, async () => {
    const gone = await pool.query({
      name: 'retention_events',
      text: `delete from event where workspace_id = $1 and "offset" in (
               select "offset" from event where workspace_id = $1 and "offset" < $2 order by "offset" limit ${batchRowsMax})`,
      values: [workspaceId, start],
    });
    return gone.rowCount ?? 0;
  });
  await pool.query(`delete from label where workspace_id = $1 and "offset" < $2`, [workspaceId, start]);
  await pool.query(`delete from quarantine where workspace_id = $1 and "offset" < $2`, [workspaceId, start]);
  return removed;
}

/** Log records of a range that is too long to wait for its end. */
export async function removeRecords(
  log: Pick<EventLog, 'head' | 'deleteBefore'>,
  { workspaceId, stop }: Turn,
  offset: number,
): Promise<Removed> {
  let { start } = await log.head(workspaceId);
  return inBatches(stop, async () => {
    if (start >= offset) return 0;
    const from = start;
    start = await log.deleteBefore(workspaceId, offset, batchRowsMax);
    return start - from;
  });
}

/** Actions that were finished before an instant, with their attempts. */
export function removeActions(
  outbox: Pick<Outbox, 'removeFinished'>,
  { workspaceId, stop }: Turn,
  beforeMs: number,
): Promise<Removed> {
  return inBatches(stop, () => outbox.removeFinished({ workspaceId, beforeMs, limit: batchRowsMax }));
}

/** Until a batch is not full. */
async function inBatches(stop: AbortSignal, removeBatch: () => Promise<number>): Promise<Removed> {
  let count = 0;
  for (let batch = 0; batch < batchesMax && !stop.aborted; batch++) {
    const removed = await removeBatch();
    count += removed;
    if (removed < batchRowsMax) return { count, isAll: true };
  }
  return { count, isAll: false };
}
