import type { EventLog } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import { openEvents } from '../../records/event-opener.ts';
import { subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { FedRow } from '../feed/fed-event.ts';
import { appendLive } from '../live/live-log.ts';
import { openAlertOf } from './open-alerts.ts';

interface KeptDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

/** Holds that one transaction alerts about, to keep it short. */
const keptTogether = 100;

/** The workspaces with payments that are still held although they were to be released. */
export async function workspacesWithKept(pool: Pool): Promise<ReadonlySet<string>> {
  const found = await pool.query<{ id: string }>(`select distinct workspace_id as id from hold where not alerted`);
  return new Set(found.rows.map(({ id }) => id));
}

/**
 * Raises an alert for each payment that was kept instead of being released, after the feed has seen its event. The
 * position of the feed is locked meanwhile, so that one process at a time opens alerts.
 */
export function alertKeptHolds({ pool, log, subjects }: KeptDeps, workspace: Workspace): Promise<void> {
  return inTransaction(pool, async (client) => {
    const kept = await takeKept(client, workspace.id);
    if (kept.size === 0) return;
    const { rows } = await client.query<FedRow>(
      `select "offset", epoch, kind, subject, logged_at, fired, shadow, detail, channel_id from event
        where workspace_id = $1 and "offset" = any($2) order by "offset"`,
      [workspace.id, [...kept.keys()]],
    );
    const keys = await subjects.bySubject(workspace, subjectsIn(rows));
    const events = await openEvents(log, workspace, { offsets: rows.map(({ offset }) => offset), keys });
    for (const row of rows) {
      const reasons = row.fired.length > 0 ? row.fired : [kept.get(row.offset)!];
      const event = { row, opened: events.get(row.offset), keys };
      await appendLive(client, workspace.id, await openAlertOf(client, workspace, { event, reasons }));
    }
  });
}

/** Their rules, by the offsets of their events. */
async function takeKept(client: ClientBase, workspaceId: string): Promise<ReadonlyMap<number, number>> {
  const found = await client.query<{ offset: number; reason: number }>(
    `with fed as (select next_offset from console_position where workspace_id = $1 for update skip locked),
          kept as (select h.id from hold h, fed where h.workspace_id = $1 and not h.alerted and h."offset" < fed.next_offset
                    order by h.id limit ${keptTogether} for update of h skip locked)
     update hold h set alerted = true from kept where h.id = kept.id returning h."offset", h.reason`,
    [workspaceId],
  );
  return new Map(found.rows.map(({ offset, reason }) => [offset, reason]));
}
