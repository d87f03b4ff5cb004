import type { ClientBase, Pool } from 'pg';
import type { ActionState, Redeliverable } from '../action-state.ts';
import type { ActionCore } from '../action.ts';
import { changeMax, type Selection } from '../deliveries.ts';
import { selectionCondition } from './action-condition.ts';
import { dueChannel } from './insert-actions.ts';

interface Change {
  readonly selection: Selection;
  readonly from: readonly ActionState[];
  /** Assignments; the table is `a`, the time `now.at`. */
  readonly set: string;
  /** `changeMax` when left out. */
  readonly limit?: number | undefined;
}

/** An action that was changed, with what names it to the engine. */
export type ChangedAction = Pick<ActionCore, 'subject' | 'offset' | 'reason' | 'position'>;

/** Which held actions are meant, and of those at most how many: `changeMax` when left out. */
export interface HeldSelection {
  readonly selection: Selection;
  readonly limit?: number;
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
  const hurried = 'filter' in selection ? [] : await changeActions(pool, hurry, nowMs);
  const sent = await changeActions(pool, { selection, from: states, set: sendAgain }, nowMs);
  return hurried.length + sent.length;
}

/** Lets held actions go, in the caller's transaction. Answers those that it changed: none that somebody else decided first. */
export function releaseActions(
  transaction: Pool | ClientBase,
  held: HeldSelection,
  nowMs: number,
): Promise<readonly ChangedAction[]> {
  return changeActions(transaction, { ...held, from: ['held'], set: sendAgain }, nowMs);
}

/** Ends held actions unsent, in the caller's transaction; answers as `releaseActions` does. */
export function dropActions(
  transaction: Pool | ClientBase,
  held: HeldSelection,
  nowMs: number,
): Promise<readonly ChangedAction[]> {
  return changeActions(transaction, { ...held, from: ['held'], set: `state = 'dropped', finished_at = now.at` }, nowMs);
}

/**
 * Changes at most `limit` actions, the oldest first, and wakes the dispatchers. Waits for a row that somebody else
 * is changing: what a person named is never passed over.
 */
async function changeActions(
  database: Pool | ClientBase,
  change: Change,
  nowMs: number,
): Promise<readonly ChangedAction[]> {
  const condition = selectionCondition(change.selection, 4);
  const { rows } = await database.query<ChangedRow>({
    text: `
with now as (select to_timestamp($1::float8 / 1000.0) as at),
changed as (
  update action a set ${change.set} from now
   where a.id = any (array (
     select a.id from action a where a.state = any ($2::text[]) and ${condition.text}
      order by a.seq limit $3 for update))
  returning a.workspace_id, a.subject, a."offset", a.reason, a.position
),
notified as (
  select count(pg_notify('${dueChannel}', w.workspace_id)) from (select distinct workspace_id from changed) w
)
select subject, "offset", reason, position, (select count from notified) from changed`,
    values: [nowMs, change.from, change.limit ?? changeMax, ...condition.values],
  });
  return rows.map(({ subject, offset, reason, position }) => ({
    subject: subject ?? undefined,
    offset: Number(offset),
    reason: Number(reason),
    position,
  }));
}

interface ChangedRow {
  readonly subject: string | null;
  readonly offset: string;
  readonly reason: string;
  readonly position: number;
}
