/**
 * Moves the events of an earlier release into ranges while the service runs. Each piece is one transaction, so every
 * query finds an event once; an interrupted process continues with what is left.
 */
import type { ClientBase, ClientConfig, Pool } from 'pg';
import { connectForLongWork } from '../../platform/database/database.ts';
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
  readonly connection: ClientConfig;
  readonly logger: Record<'info' | 'warn', (fields: object, message: string) => void>;
  /** Ends the work after the present piece; the next start continues. */
  readonly stop: AbortSignal;
}

/** About how many events are not moved yet; `undefined` when all are. */
export async function eventsLeft(database: Pick<ClientBase | Pool, 'query'>): Promise<number | undefined> {
  const { rows } = (await database.query(
    `select greatest(c.reltuples, s.n_live_tup, 0)::float8 as events
       from pg_class c left join pg_stat_all_tables s on s.relid = c.oid where c.oid = to_regclass('event_before')`,
  )) as { rows: readonly { readonly events: number }[] };
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
async function carryOnce({ connection, logger, stop }: CarryOver): Promise<boolean> {
  const client = await connectForLongWork(connection);
  try {
    const total = await eventsLeft(client);
    if (total === undefined) return true;
    const locked = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('ringfence.carry-over', 0)) as locked`,
    );
    if (locked.rows[0]?.locked !== true) return false;
    logger.info({ events: total }, 'moving stored events into ranges while the service runs');
    const { rows } = await client.query<{ workspace: string }>(
      `select partition as workspace from log_partition order by 1`,
    );
    const progress = { moved: 0, toldAtMs: performance.now() };
    for (const { workspace } of rows) {
      const ranges = new EventRanges(workspace);
      while (!stop.aborted && (await movePiece(client, { workspace, ranges, progress, stop }))) {
        if (performance.now() - progress.toldAtMs < tellEveryMs) continue;
        progress.toldAtMs = performance.now();
        logger.info({ moved: progress.moved, events: total }, 'moving stored events into ranges');
      }
    }
    if (stop.aborted || !(await endIfEmpty(client))) return false;
    logger.info({ events: progress.moved }, 'all stored events are in ranges');
    return true;
  } finally {
    await client.end(); // releases the lock
  }
}

interface Piece {
  readonly workspace: string;
  readonly ranges: EventRanges;
  readonly progress: { moved: number };
  readonly stop: AbortSignal;
}

/** Newest first: those are read most. @returns whether there was one */
async function movePiece(client: ClientBase, { workspace, ranges, progress, stop }: Piece): Promise<boolean> {
  const begunAtMs = performance.now();
  const { rows } = await client.query<{ low: number | null; high: number | null }>(
    `select min("offset")::float8 as low, max("offset")::float8 as high
       from (select "offset" from event_before where workspace_id = $1 order by "offset" desc limit ${rowsMax}) newest`,
    [workspace],
  );
  const { low, high } = rows[0]!;
  if (low === null || high === null) return false;
  await ranges.make(client, [low, high]);
  const moved = await client.query(
    moveEvents(
      `select workspace_id, "offset" from event_before where workspace_id = $1 and "offset" >= $2 and "offset" <= $3`,
    ),
    [workspace, low, high],
  );
  progress.moved += moved.rowCount ?? 0;
  await sleep((performance.now() - begunAtMs) * restShare, stop);
  return true;
}

/** @returns false when readers, or a row of a partition that is gone, are in the way */
async function endIfEmpty(client: ClientBase): Promise<boolean> {
  await client.query(`begin; set local lock_timeout = '${endLockTimeout}'`);
  try {
    await client.query(`lock table event_before, event_entity_before in access exclusive mode`);
    const { rows } = await client.query<{ left: boolean }>(`select exists (select from event_before) as left`);
    if (rows[0]?.left === false) await client.query(endCarryOver);
    await client.query('commit');
    return rows[0]?.left === false;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
