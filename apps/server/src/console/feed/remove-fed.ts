import type { ClientBase, Pool } from 'pg';

/** Minutes are read for a few days; older periods use the hours. */
const minutesKeptMs = 3 * 86_400_000;
/** The default retention of events. */
const hoursKeptMs = 400 * 86_400_000;
/** The same for decided alerts with their comments; never longer than their events. */
const alertsKeptMs = hoursKeptMs;
const rowsMax = 10_000;

/** The first kept event of each workspace. */
const keptEvents = `
  (select p.workspace_id, coalesce((select min(e."offset") from event e where e.workspace_id = p.workspace_id),
                                   p.next_offset) as kept
     from console_position p)`;

/** What to remove: rows of one table, `r`, joined with rows of `k`, one workspace each. */
interface Old {
  readonly table: 'alert' | 'console_count';
  readonly beside: string;
  /** Served by an index of the table, so that only rows to be removed are read. */
  readonly isOld: string;
  readonly values?: readonly unknown[];
}

/**
 * Removes data of events that are gone, and counts that are too old. Every process runs it now and then: if nothing is
 * to be removed, it reads a few pages per workspace, however much is stored.
 */
export async function removeFed(database: Pool | ClientBase, nowMs: number): Promise<void> {
  const before = new Date(nowMs - alertsKeptMs);
  const values = [before];
  await remove(database, {
    table: 'alert',
    beside: 'console_position',
    isOld: `r.state = 'closed' and r.closed_at < $1`,
    values,
  });
  await remove(database, {
    table: 'alert',
    beside: keptEvents,
    isOld: `r.state = 'closed' and r.last_offset < k.kept`,
  });
  await database.query(`delete from alert_suppression where until < $1`, [before]);
  for (const [span, keptMs] of [
    [60, minutesKeptMs],
    [3_600, hoursKeptMs],
  ] as const) {
    await remove(database, {
      table: 'console_count',
      beside: 'console_position',
      isOld: `r.span = $1 and r.at < $2`,
      values: [span, new Date(nowMs - keptMs)],
    });
  }
}

/**
 * In small pieces, so that it blocks nothing. By row location (ctid): rows found by an index are not looked up again.
 */
async function remove(database: Pool | ClientBase, { table, beside, isOld, values = [] }: Old): Promise<void> {
  const text = `delete from ${table} where ctid = any (array (
     select old.ctid from ${beside} k
      cross join lateral (select r.ctid from ${table} r where r.workspace_id = k.workspace_id and ${isOld} limit ${rowsMax}) old
      limit ${rowsMax}))`;
  for (;;) {
    const removed = await database.query(text, [...values]);
    if ((removed.rowCount ?? 0) < rowsMax) return;
  }
}
