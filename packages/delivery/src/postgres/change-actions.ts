import type { ClientBase, Pool } from 'pg';
import type { ActionState, Redeliverable } from '../action-state.ts';
import { changeMax, type Selection } from '../deliveries.ts';
import { selectionCondition } from './action-condition.ts';
import { dueChannel } from './insert-actions.ts';

interface Change {
  readonly selection: Selection;
  readonly from: readonly ActionState[];
  /** Assignments; the table is `a`, the time `now.at`. */
  readonly set: string;
}

const sendAgain = `state = 'due', due_at = now.at, expires_at = now.at + a.lifetime, round = 0, finished_at = null`;

export async function redeliverActions(
  pool: Pool,
  change: { readonly selection: Selection; readonly states: readonly Redeliverable[] },
  nowMs: number,
): Promise<number> {
  const { selection, states } = change;
  // Someone who names an action that waits for its retry wants it now; its schedule and its end stay.
  const hurry = { selection, from: ['due'], set: 'due_at = least(a.due_at, now.at)' } as const;
  const hurried = 'filter' in selection ? 0 : await changeActions(pool, hurry, nowMs);
  return hurried + (await changeActions(pool, { selection, from: states, set: sendAgain }, nowMs));
}

/** Lets held actions go; in the caller's transaction when it gives its connection. */
export function releaseActions(database: Pool | ClientBase, selection: Selection, nowMs: number): Promise<number> {
  return changeActions(database, { selection, from: ['held'], set: sendAgain }, nowMs);
}

/** Ends held actions unsent; in the caller's transaction when it gives its connection. */
export function dropActions(database: Pool | ClientBase, selection: Selection, nowMs: number): Promise<number> {
  return changeActions(database, { selection, from: ['held'], set: `state = 'dropped', finished_at = now.at` }, nowMs);
}

/**
 * Changes at most `changeMax` actions, the oldest first, and wakes the dispatchers. Waits for a row that somebody else
 * is changing: what a person named is never passed over.
 */
async function changeActions(database: Pool | ClientBase, change: Change, nowMs: number): Promise<number> {
  const condition = selectionCondition(change.selection, 3);
  const { rows } = await database.query<{ count: number }>({
    text: `
with now as (select to_timestamp($1::float8 / 1000.0) as at),
changed as (
  update action a set ${change.set} from now
   where a.id = any (array (
     select a.id from action a where a.state = any ($2::text[]) and ${condition.text}
      order by a.seq limit ${changeMax} for update))
  returning a.workspace_id
)
select count(*)::integer as count,
       (select count(pg_notify('${dueChannel}', w.workspace_id)) from (select distinct workspace_id from changed) w) as notified
  from changed`,
    values: [nowMs, change.from, ...condition.values],
  });
  return rows[0]?.count ?? 0;
}
