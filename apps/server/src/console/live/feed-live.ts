import type { ClientBase, Pool } from 'pg';
import { eventId } from '../../records/event-id.ts';
import type { Environment, Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { FedEvent } from '../feed/fed-event.ts';
import { appendLive, type LiveEntry } from './live-log.ts';

type Tenant = Pick<Workspace, 'environment'>;

/** An action that ends is committed a moment after its recorded time: the last seconds are read again. */
const overlap = '10 seconds';
const actionsMax = 500;
/** Condition on `action a`: it ended, and its outcome was appended. Must match the index `action_ended`. */
const hasEnded = `a.finished_at is not null and a.outcome is null`;

/** Notifies open pages of decisions on which a rule fired. */
export function decisionEntries(workspace: Tenant, decided: readonly FedEvent[]): readonly LiveEntry[] {
  return decided.map(({ row }) => {
    const id = eventId(row, workspace);
    const { kind, fired, shadow, channel_id: channelId, subject, logged_at: at } = row;
    return {
      kind: 'decision',
      ref: id,
      data: { id, kind, fired, shadow, channelId, clientRef: subject, loggedAt: at.toISOString() },
    } as const;
  });
}

interface EndedAction {
  readonly id: string;
  readonly state: string;
  readonly reason: number;
  readonly action: number;
  readonly attempts: number;
  readonly epoch: number;
  readonly offset: number;
  readonly environment: Environment;
  readonly at: Date;
}

/** Workspaces in which an action ended since the last check. */
export async function workspacesWithEnds(pool: Pool): Promise<readonly string[]> {
  const found = await pool.query<{ workspace_id: string }>({
    name: 'feed_ends',
    // Looks up the last one that ended: `exists` would scan the whole table whenever there is none.
    text: `select p.workspace_id from console_position p
            where (select max(a.finished_at) from action a where a.workspace_id = p.workspace_id and ${hasEnded})
                  > p.actions_until`,
  });
  return found.rows.map((row) => row.workspace_id);
}

/** Notifies open pages of actions that ended since the last check. Skipped if another process is doing so. */
export async function feedActions(client: ClientBase, workspaceId: string): Promise<void> {
  const locked = await client.query<{ since: string }>({
    name: 'feed_actions_since',
    text: `select (actions_until - interval '${overlap}')::text as since from console_position
            where workspace_id = $1 for update skip locked`,
    values: [workspaceId],
  });
  const since = locked.rows[0]?.since;
  if (since === undefined) return;
  const found = await client.query<EndedAction>({
    name: 'feed_actions',
    // With a value, not a join: the join would read all ended actions in the order of their ends.
    text: `select a.id, a.state, a.reason, a.action, a.attempts, a.epoch, a."offset", w.environment,
                  a.finished_at as at
             from action a join workspace w on w.id = a.workspace_id
            where a.workspace_id = $1 and ${hasEnded} and a.finished_at > $2::timestamptz
              and not exists (select 1 from console_live l
                               where l.workspace_id = $1 and l.kind = 'action' and l.ref = a.id || ' ' || a.attempts || ' ' || a.state)
            order by a.finished_at limit ${actionsMax}`,
    values: [workspaceId, since],
  });
  const last = found.rows.at(-1);
  if (last === undefined) return;
  await client.query(
    `update console_position set actions_until = greatest(actions_until, $2) where workspace_id = $1`,
    [workspaceId, last.at],
  );
  await appendLive(
    client,
    workspaceId,
    found.rows.map(({ at, epoch, offset, environment, ...action }) => ({
      kind: 'action',
      ref: `${action.id} ${action.attempts} ${action.state}`,
      data: { ...action, event: eventId({ epoch, offset }, { environment }), finishedAt: at.toISOString() },
    })),
  );
}
