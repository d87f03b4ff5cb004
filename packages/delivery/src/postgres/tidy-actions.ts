import type { Pool } from 'pg';
import { batchMax, type Outbox, outcomeClaimMs, type PendingOutcome, type TidyResult } from '../outbox.ts';
import { isFinished } from '../schema.ts';
import { outcomeColumns, outcomeOf, type OutcomeRow } from './action-row.ts';

/** Does not expire a leased action before its lease has ended. */
const expireText = `
with now as (select to_timestamp($1::float8 / 1000.0) as at)
update action a
   set state = 'expired', finished_at = now.at, outcome = 'expired',
       outcome_claimed = now.at + ${outcomeClaimMs} * interval '1 millisecond'
  from now
 where a.id = any (array (
   select q.id from action q, now
    where q.state in ('waiting', 'due', 'leased') and q.expires_at <= now.at
      and (q.state <> 'leased' or q.due_at <= now.at)
    order by q.expires_at limit ${batchMax} for update of q skip locked))
returning ${outcomeColumns}`;

export async function expireActions(pool: Pool, nowMs: number): Promise<TidyResult> {
  const { rows } = await pool.query<OutcomeRow>({ name: 'action_expire', text: expireText, values: [nowMs] });
  return { expired: rows.length, outcomes: rows.map(outcomeOf) };
}

const claimText = `
with now as (select to_timestamp($1::float8 / 1000.0) as at)
update action a set outcome_claimed = now.at + ${outcomeClaimMs} * interval '1 millisecond'
  from now
 where a.id = any (array (
   select q.id from action q, now
    where q.outcome is not null and q.outcome_claimed <= now.at
    order by q.outcome_claimed limit ${batchMax} for update of q skip locked))
returning ${outcomeColumns}`;

export async function claimOutcomes(pool: Pool, nowMs: number): Promise<readonly PendingOutcome[]> {
  const { rows } = await pool.query<OutcomeRow>({ name: 'outcome_claim', text: claimText, values: [nowMs] });
  return rows.map(outcomeOf);
}

/** Locks in log order, like every change by a person, so that two transactions cannot deadlock. */
const appendedText = `
with appended as materialized (
  select a.id from action a join unnest($1::text[], $2::text[]) as o (id, outcome) on a.id = o.id and a.outcome = o.outcome
   order by a.seq for update of a)
update action a set outcome = null, outcome_claimed = null from appended where a.id = appended.id`;

export async function outcomesAppended(pool: Pool, outcomes: readonly PendingOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await pool.query({
    name: 'outcome_appended',
    text: appendedText,
    values: [outcomes.map(({ id }) => id), outcomes.map(({ result }) => result)],
  });
}

const removeText = `
delete from action where id = any (array (
  select q.id from action q
   where q.workspace_id = $1 and q.${isFinished} and q.outcome is null
     and coalesce(q.finished_at, q.decided_at) < to_timestamp($2::float8 / 1000.0)
   order by coalesce(q.finished_at, q.decided_at) limit $3 for update skip locked))`;

/** Attempts are deleted with their action. */
export async function removeFinished(
  pool: Pool,
  { workspaceId, beforeMs, limit }: Parameters<Outbox['removeFinished']>[0],
): Promise<number> {
  const values = [workspaceId, beforeMs, limit];
  return (await pool.query({ name: 'action_remove', text: removeText, values })).rowCount ?? 0;
}
