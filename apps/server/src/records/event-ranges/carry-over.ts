/**
 * Moves the events of an earlier release into ranges while the service runs. Each piece is one transaction, so every
 * query finds an event once; an interrupted process continues with what is left.
 */
import type { Pool } from 'pg';
import { whileLocked } from '../../platform/database/advisory-lock.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { sleep } from '../../platform/sleep.ts';
import { EventRanges } from './event-ranges.ts';
import { endCarryOver, moveEvents } from './event-tables.ts';

/** Rows of one transaction: a tenth of a second. */
const rowsMax = 2_000;
/** Between two pieces, as long as the piece took: half of the database's time is left to the events that come. */
const restShare = 1;
/** Until the next attempt, after a failure or while another process works on it. */
const againMs = 60_000;
const tellEveryMs = 30_000;
/** The end waits this long for readers, since others queue behind. */
const endLockTimeout = '1s';

export interface CarryOver {
  readonly pool: Pool;
  readonly logger: Record<'info' | 'warn', (fields: object, message: string) => void>;
  /** Ends the work after the present piece; the next start continues. */
  readonly stop: AbortSignal;
}

/** About how many events are not moved yet; `undefined` when all are. */
export async function eventsLeft(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ events: number }>(
    `select greatest(c.reltuples, s.n_live_tup, 0)::bigint as events
       from pg_class c left join pg_stat_all_tables s on s.relid = c.oid where c.oid = to_regclass('event_before')`,
  );
  return rows[0]?.events;
}

/** Moves all events, in one process at a time. Resolves when none is left, or when stopped. */
export async function carryEventsOver(of: CarryOver): Promise<void> {
  const { logger, stop } = of;
  while (!stop.aborted) {
    try {
      if (await carryOnce(of)) return;
    } catch (error) {
      if (stop.aborted) return;
      logger.warn({ err: error }, 'stored events could not be moved into ranges; will retry in a minute');
    }
    await sleep(againMs, stop);
  }
}

/** @returns whether none is left */
async function carryOnce(of: CarryOver): Promise<boolean> {
  const total = await eventsLeft(of.pool);
  if (total === undefined) return true;
  const isDone = await whileLocked(of.pool, { lock: 'ringfence.carry-over' }, () => carryAll(of, total));
  return isDone ?? false;
}

/** @param total about how many there are */
async function carryAll({ pool, logger, stop }: CarryOver, total: number): Promise<boolean> {
  logger.info({ events: total }, 'moving stored events into ranges while the service runs');
  const { rows } = await pool.query<{ workspace: string }>(
    `select partition as workspace from log_partition order by 1`,
  );
  let moved = 0;
  let toldAtMs = performance.now();
  for (const { workspace } of rows) {
    const ranges = new EventRanges(workspace);
    while (!stop.aborted) {
      const begunAtMs = performance.now();
      const count = await movePiece(pool, workspace, ranges);
      if (count === 0) break;
      moved += count;
      await sleep((performance.now() - begunAtMs) * restShare, stop);
      if (performance.now() - toldAtMs < tellEveryMs) continue;
      toldAtMs = performance.now();
      logger.info({ moved, events: total }, 'moving stored events into ranges');
    }
  }
  if (stop.aborted || !(await endIfEmpty(pool))) return false;
  logger.info({ events: moved }, 'all stored events are in ranges');
  return true;
}

/** Moves the newest events of a workspace: those are read most. @returns how many */
async function movePiece(pool: Pool, workspace: string, ranges: EventRanges): Promise<number> {
  const { rows } = await pool.query<{ low: number | null; high: number | null }>(
    `select min("offset") as low, max("offset") as high
       from (select "offset" from event_before where workspace_id = $1 order by "offset" desc limit ${rowsMax}) newest`,
    [workspace],
  );
  const { low, high } = rows[0]!;
  if (low === null || high === null) return 0;
  await ranges.make(pool, [low, high]);
  const moved = await pool.query(
    moveEvents(
      `select workspace_id, "offset" from event_before where workspace_id = $1 and "offset" >= $2 and "offset" <= $3`,
    ),
    [workspace, low, high],
  );
  return moved.rowCount!;
}

/** @returns false when a row of a partition that is gone is in the way @throws when readers are */
function endIfEmpty(pool: Pool): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '${endLockTimeout}'`);
    await client.query(`lock table event_before, event_entity_before in access exclusive mode`);
    const { rows } = await client.query<{ left: boolean }>(`select exists (select from event_before) as left`);
    if (rows[0]!.left) return false;
    await client.query(endCarryOver);
    return true;
  });
}
