import type { Outbox } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { dropEventRanges, hasEventsBefore } from '../../records/event-ranges/event-ranges.ts';

/** Rows per statement: some 20 ms, so that nothing waits for long. */
const batchRowsMax = 1_000;
/** Statements of one kind per round and workspace: 250,000 rows. The rest waits for the next round. */
const batchesMax = 250;

/** The part of a round that concerns one workspace. */
export interface Turn {
  readonly workspaceId: string;
  readonly stop: AbortSignal;
}

/** How much one round removed, and whether it removed everything. */
export interface Removed {
  readonly count: number;
  readonly isAll: boolean;
}

/**
 * Removes events with their decisions, and notes about records, that the log no longer contains. Events of an earlier
 * release are moved into ranges first.
 */
export async function removeEvents(pool: Pool, { workspaceId, stop }: Turn, start: number): Promise<Removed> {
  if (await hasEventsBefore(pool)) return { count: 0, isAll: false };
  const dropped = await dropEventRanges(pool, workspaceId, start);
  // Of a workspace with few events, the log removes records one by one, too; else the range leaves as a whole, later.
  const isOfRecords = await hasPartOfRange(pool, workspaceId);
  const removed = await inBatches(stop, async () => {
    if (!isOfRecords) return 0;
    const gone = await pool.query(
      `delete from event where workspace_id = $1 and "offset" < $2 and "offset" in (
         select "offset" from event where workspace_id = $1 and "offset" < $2 order by "offset" limit ${batchRowsMax})`,
      [workspaceId, start],
    );
    return gone.rowCount ?? 0;
  });
  await removeFromAlerts(pool, { workspaceId, stop }, start);
  await pool.query(`delete from label where workspace_id = $1 and "offset" < $2`, [workspaceId, start]);
  await pool.query(`delete from event_report where workspace_id = $1 and "offset" < $2`, [workspaceId, start]);
  await pool.query(`delete from quarantine where workspace_id = $1 and "offset" < $2`, [workspaceId, start]);
  return { ...removed, count: dropped + removed.count };
}

/** Whether the log begins within one of its ranges. */
async function hasPartOfRange(pool: Pool, workspaceId: string): Promise<boolean> {
  const { rows } = await pool.query<{ has: boolean }>(
    `select start_offset % range_records <> 0 as has from log_partition where partition = $1`,
    [workspaceId],
  );
  return rows[0]?.has ?? false;
}

/**
 * Removes references of alerts to removed events. Open alerts stay until a person closes them, which may take years,
 * and every event on which a rule fires is added to one. Closed alerts are removed as a whole.
 */
async function removeFromAlerts(pool: Pool, { workspaceId, stop }: Turn, start: number): Promise<void> {
  await inBatches(stop, async () => {
    const gone = await pool.query({
      name: 'retention_alert_events',
      text: `delete from alert_event where (workspace_id, alert_id, "offset") in (
               select n.workspace_id, n.alert_id, n."offset" from alert a
                 join alert_event n on n.workspace_id = a.workspace_id and n.alert_id = a.id and n."offset" < $2
                where a.workspace_id = $1 and a.state = 'open' and a.first_offset < $2 limit ${batchRowsMax})`,
      values: [workspaceId, start],
    });
    return gone.rowCount ?? 0;
  });
}

/**
 * Removes directives made before an instant, whose records the log no longer contains, and suppressions that ended
 * before it. A directive is not read any more once it is in the log; it names accounts.
 */
export async function removeTold(pool: Pool, { workspaceId, stop }: Turn, beforeMs: number): Promise<Removed> {
  const before = new Date(beforeMs);
  await pool.query(`delete from suppression where workspace_id = $1 and until < $2`, [workspaceId, before]);
  return inBatches(stop, async () => {
    const gone = await pool.query({
      name: 'retention_told',
      // Only the lowest ids are considered: if these are young, so are all later ones, and nothing more is read.
      text: `delete from directive where workspace_id = $1 and id in (
               select id from (select id, made_at, appended from directive where workspace_id = $1
                                order by id limit ${batchRowsMax}) oldest
                where appended and made_at < $2)`,
      values: [workspaceId, before],
    });
    return gone.rowCount ?? 0;
  });
}

/** Removes the reports of outcomes that arrived before an instant. Their events are older still. */
export function removeOutcomes(pool: Pool, { workspaceId, stop }: Turn, beforeMs: number): Promise<Removed> {
  return inBatches(stop, async () => {
    const gone = await pool.query({
      name: 'retention_outcomes',
      text: `delete from outcome_report where id in (
               select id from outcome_report where workspace_id = $1 and received_at < to_timestamp($2::float8 / 1000.0)
                order by received_at limit ${batchRowsMax})`,
      values: [workspaceId, beforeMs],
    });
    return gone.rowCount ?? 0;
  });
}

/**
 * Removes holds of operations that the log no longer contains, with their operations and decisions. An open hold stays,
 * and one that ended since `beforeMs`.
 */
export function removeHolds(
  pool: Pool,
  { workspaceId, stop }: Turn,
  { start, beforeMs }: { readonly start: number; readonly beforeMs: number },
): Promise<Removed> {
  return inBatches(stop, async () => {
    const gone = await pool.query({
      name: 'retention_holds',
      text: `delete from hold where id in (
               select id from hold
                where workspace_id = $1 and "offset" < $2 and state <> 'open' and resolved_at < to_timestamp($3::float8 / 1000.0)
                order by "offset" limit ${batchRowsMax})`,
      values: [workspaceId, start, beforeMs],
    });
    return gone.rowCount ?? 0;
  });
}

/** Removes log records of a range that would expire as a whole too late. */
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

/** Removes actions that finished before an instant, with their attempts. */
export function removeActions(
  outbox: Pick<Outbox, 'removeFinished'>,
  { workspaceId, stop }: Turn,
  beforeMs: number,
): Promise<Removed> {
  return inBatches(stop, () => outbox.removeFinished({ workspaceId, beforeMs, limit: batchRowsMax }));
}

/** Repeats until a batch is not full. */
async function inBatches(stop: AbortSignal, removeBatch: () => Promise<number>): Promise<Removed> {
  let count = 0;
  for (let batch = 0; batch < batchesMax && !stop.aborted; batch++) {
    const removed = await removeBatch();
    count += removed;
    if (removed < batchRowsMax) return { count, isAll: true };
  }
  return { count, isAll: false };
}
