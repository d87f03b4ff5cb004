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
  /** `changeMax` when omitted. */
  readonly limit?: number | undefined;
}

/** A changed action, with the members that identify it to the engine. */
export type ChangedAction = Pick<ActionCore, 'subject' | 'offset' | 'reason' | 'position'>;

/** Which held actions are selected, and how many at most: `changeMax` when omitted. */
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
  // An action that waits for its retry becomes due now; its schedule and its expiry stay.
  const hurry = { selection, from: ['due'], set: 'due_at = least(a.due_at, now.at)' } as const;
  const hurried = 'filter' in selection ? [] : await changeActions(pool, hurry, nowMs);
  const sent = await changeActions(pool, { selection, from: states, set: sendAgain }, nowMs);
  return hurried.length + sent.length;
}

/**
 * Releases held actions in the caller's transaction. Returns the changed ones, without those that were released or
 * dropped by someone else before.
 */
export function releaseActions(
  transaction: Pool | ClientBase,
  held: HeldSelection,
  nowMs: number,
): Promise<readonly ChangedAction[]> {
  return changeActions(transaction, { ...held, from: ['held'], set: sendAgain }, nowMs);
}

/** Ends held actions unsent, in the caller's transaction; returns the same as `releaseActions`. */
export function dropActions(
  transaction: Pool | ClientBase,
  held: HeldSelection,
  nowMs: number,
): Promise<readonly ChangedAction[]> {
  return changeActions(transaction, { ...held, from: ['held'], set: `state = 'dropped', finished_at = now.at` }, nowMs);
}

/**
 * Changes at most `limit` actions, oldest first, and notifies the dispatchers. Waits for locked rows: an action that a
 * person selected is never skipped.
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
