/**
 * One batch of the feed, in one transaction, so that every event is counted once.
 *
 *   event rows from the position on ---> counts of arrivals
 *         | waiting                 \--> counts of decisions; alerts, open pages
 *         v                              ^
 *   console_waiting ---(decided since)---'
 *
 * The database counts. Only events on which a rule fired are decrypted here.
 */
import type { EventLog } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { openEvents } from '../../records/event-opener.ts';
import { subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { appendLive, type LiveEntry } from '../live/live-log.ts';
import { decisionEntries } from '../live/feed-live.ts';
import type { FedEvent, FedRow } from './fed-event.ts';
import { type FedRange, putCounts } from './put-counts.ts';

/** About 10 ms of the database's work; 30 ms of this thread's if rules fired on all of them. */
const eventsMax = 2_000;

export interface FeedDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  /**
   * Called in the transaction with the decisions of the batch on which rules fired, in the order of their events.
   *
   * @returns additional entries for open pages
   */
  readonly onDecided: (
    client: ClientBase,
    workspace: Workspace,
    decided: readonly FedEvent[],
  ) => Promise<readonly LiveEntry[]>;
}

/** Feeds the events after the position. @returns whether there may be more */
export function feedBatch(deps: FeedDeps, workspace: Workspace): Promise<boolean> {
  return inTransaction(deps.pool, async (client) => {
    const from = await lockPosition(client, workspace.id);
    // Another process is feeding this workspace.
    if (from === undefined) return false;
    const came = await readCame(client, workspace.id, from);
    const late = await takeLate(client, workspace.id);
    if (came.count === 0 && late.length === 0) return false;

    const range = { workspaceId: workspace.id, from, to: came.to, late, channels: [...workspace.channels.keys()] };
    const decided = await openRows(deps, workspace, await readRows(client, range));
    await putCounts(client, range);
    await putWaiting(client, range);
    const more = await deps.onDecided(client, workspace, decided);
    if (came.count > 0) {
      await client.query(`update console_position set next_offset = $2 where workspace_id = $1`, [
        workspace.id,
        came.to,
      ]);
    }
    await appendLive(client, workspace.id, [...decisionEntries(workspace, decided), ...more]);
    return came.count === eventsMax || late.length === eventsMax;
  });
}

async function lockPosition(client: ClientBase, workspaceId: string): Promise<number | undefined> {
  await client.query(`insert into console_position (workspace_id) values ($1) on conflict do nothing`, [workspaceId]);
  const locked = await client.query<{ next_offset: number }>(
    `select next_offset from console_position where workspace_id = $1 for update skip locked`,
    [workspaceId],
  );
  return locked.rows[0]?.next_offset;
}

/** Counts the events that arrived, and returns the offset after them. */
async function readCame(
  client: ClientBase,
  workspaceId: string,
  from: number,
): Promise<{ readonly count: number; readonly to: number }> {
  const found = await client.query<{ count: number; to: number }>({
    name: 'feed_came',
    text: `select count(*), coalesce(max("offset") + 1, $2)::bigint as to
             from (select "offset" from event where workspace_id = $1 and "offset" >= $2 order by "offset" limit ${eventsMax}) e`,
    values: [workspaceId, from],
  });
  return found.rows[0]!;
}

/** Offsets of events that waited when they arrived and are decided now. */
async function takeLate(client: ClientBase, workspaceId: string): Promise<readonly number[]> {
  const found = await client.query<{ offset: number }>({
    name: 'feed_late',
    text: `delete from console_waiting w using event e
            where w.workspace_id = $1 and e.workspace_id = $1 and e."offset" = w."offset" and e.status <> 'waiting'
              and w."offset" in (select "offset" from console_waiting where workspace_id = $1 order by "offset" limit ${eventsMax})
           returning w."offset"`,
    values: [workspaceId],
  });
  return found.rows.map(({ offset }) => offset);
}

/** Events on which a rule fired. */
async function readRows(client: ClientBase, { workspaceId, from, to, late }: FedRange): Promise<readonly FedRow[]> {
  const columns = `"offset", epoch, kind, subject, logged_at, fired, shadow, detail, channel_id`;
  const found = await client.query<FedRow>({
    name: 'feed_rows',
    text: `select ${columns} from event
            where workspace_id = $1 and "offset" >= $2 and "offset" < $3 and (fired <> '{}' or shadow <> '{}')
           union all
           select ${columns} from event
            where workspace_id = $1 and "offset" = any($4::bigint[]) and (fired <> '{}' or shadow <> '{}')
            order by 1`,
    values: [workspaceId, from, to, late],
  });
  return found.rows;
}

async function openRows(deps: FeedDeps, workspace: Workspace, rows: readonly FedRow[]): Promise<readonly FedEvent[]> {
  if (rows.length === 0) return [];
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(rows));
  const events = await openEvents(deps.log, workspace, { offsets: rows.map(({ offset }) => offset), keys });
  return rows.map((row) => ({ row, opened: events.get(row.offset), keys }));
}

async function putWaiting(client: ClientBase, { workspaceId, from, to }: FedRange): Promise<void> {
  await client.query({
    name: 'feed_waiting',
    text: `insert into console_waiting (workspace_id, "offset")
           select workspace_id, "offset" from event
            where workspace_id = $1 and "offset" >= $2 and "offset" < $3 and status = 'waiting'
           on conflict do nothing`,
    values: [workspaceId, from, to],
  });
}
