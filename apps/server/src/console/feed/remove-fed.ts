import type { Pool } from 'pg';

/** Minutes are looked at for some days; what is older is told by the hours. */
const minutesKeptMs = 3 * 86_400_000;
/** As long as events are kept where nobody says otherwise. */
const hoursKeptMs = 400 * 86_400_000;
/** The same for alerts that were decided, with what was said of them; never longer than their events. */
const alertsKeptMs = hoursKeptMs;
const rowsMax = 10_000;

/** The first event of each workspace that is kept. */
const keptEvents = `
  (select p.workspace_id, coalesce((select min(e."offset") from event e where e.workspace_id = p.workspace_id),
                                   p.next_offset) as kept
     from console_position p)`;

/** Removes what belongs to events that are gone, and counts that are too old. */
export async function removeFed(pool: Pool, nowMs: number): Promise<void> {
  await untilFew(() =>
    pool.query(
      `delete from event_entity where (workspace_id, "offset") in (
         select n.workspace_id, n."offset" from event_entity n
           join ${keptEvents} k on k.workspace_id = n.workspace_id and n."offset" < k.kept
          limit ${rowsMax})`,
    ),
  );
  // Of batches that a process of an older release has fed.
  await pool.query(
    `delete from console_seen s using console_position p where p.workspace_id = s.workspace_id and s."offset" < p.next_offset`,
  );
  await removeAlerts(pool, nowMs);
  for (const [span, keptMs] of [
    [60, minutesKeptMs],
    [3_600, hoursKeptMs],
  ] as const) {
    await untilFew(() =>
      pool.query(
        `delete from console_count where (workspace_id, span, at, name, key) in (
           select workspace_id, span, at, name, key from console_count where span = $1 and at < $2 limit ${rowsMax})`,
        [span, new Date(nowMs - keptMs)],
      ),
    );
  }
}

async function removeAlerts(pool: Pool, nowMs: number): Promise<void> {
  const before = new Date(nowMs - alertsKeptMs);
  await untilFew(() =>
    pool.query(
      `delete from alert where (workspace_id, id) in (
         select a.workspace_id, a.id from alert a left join ${keptEvents} k on k.workspace_id = a.workspace_id
          where a.state = 'closed' and (a.closed_at < $1 or a.last_offset < k.kept) limit ${rowsMax})`,
      [before],
    ),
  );
  await pool.query(`delete from alert_suppression where until < $1`, [before]);
}

async function untilFew(remove: () => Promise<{ readonly rowCount: number | null }>): Promise<void> {
  for (;;) {
    if (((await remove()).rowCount ?? 0) < rowsMax) return;
  }
}
