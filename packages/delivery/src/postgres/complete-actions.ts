import type { ClientBase, Pool } from 'pg';
import { executedLateFrom } from '../action-state.ts';
import type { Health } from '../breaker.ts';
import { type Completed, type Completion, outcomeClaimMs } from '../outbox.ts';
import { outcomeResultOf } from '../outcome-result.ts';
import { outcomeColumns, outcomeOf, type OutcomeRow } from './action-row.ts';
import type { SessionKey } from '../session-key.ts';
import { advanceSessions } from './advance-sessions.ts';
import { foldHealth } from './breaker-row.ts';
import { inTransaction } from './transaction.ts';

const completedColumns = `${outcomeColumns}, a.token, a.attempts, a.session_index, a.channel_id`;

/**
 * Locks in log order, as does `advanceSessions`, which may have picked a row before it was leased. Includes the actions
 * whose lease was lost: `executeLate` may change them in the same transaction.
 */
const completeText = `
with now as (select to_timestamp($7::float8 / 1000.0) as at),
completed as (
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::float8[], $5::integer[], $6::text[])
    as c (id, token, state, due_ms, sent, outcome)
),
locked as materialized (
  select a.id from action a
   where a.id = any ($1::text[])
   order by a.seq for update
)
update action a
   set state = c.state,
       due_at = coalesce(to_timestamp(c.due_ms / 1000.0), now.at),
       attempts = a.attempts + c.sent, round = a.round + c.sent,
       finished_at = case when c.state <> 'due' then now.at end,
       outcome = coalesce(c.outcome, a.outcome),
       outcome_claimed = case when c.outcome is null then a.outcome_claimed
                              else now.at + ${outcomeClaimMs} * interval '1 millisecond' end
  from now, completed c, locked
 where a.id = locked.id and a.id = c.id and a.token = c.token and a.state = 'leased'
returning ${completedColumns}`;

const executeLateText = `
with now as (select to_timestamp($3::float8 / 1000.0) as at)
update action a
   set state = 'executed', due_at = now.at, finished_at = now.at,
       attempts = a.attempts + late.sent, round = a.round + late.sent,
       outcome = 'executed', outcome_claimed = now.at + ${outcomeClaimMs} * interval '1 millisecond'
  from now, unnest($1::text[], $2::integer[]) as late (id, sent)
 where a.id = late.id and a.state = any ($4::text[])
returning ${completedColumns}`;

interface CompletedRow extends OutcomeRow {
  readonly token: string;
  readonly attempts: number;
  readonly session_index: Buffer | null;
  readonly channel_id: string;
}

export async function completeActions(
  pool: Pool,
  completions: readonly Completion[],
  nowMs: number,
): Promise<Completed> {
  if (completions.length === 0) return { accepted: [], outcomes: [], breakers: [] };
  const { ended, breakers } = await inTransaction(pool, async (client) => {
    const inTime = paired(completions, await endLeases(client, completions, nowMs));
    const ended = [...inTime, ...(await executeLate(client, lostLeases(completions, inTime), nowMs))];
    await insertAttempts(client, ended);
    return { ended, breakers: await foldHealth(client, healthByWorkspace(inTime)) };
  });

  // After the commit: two concurrent completions of one session must see each other. If this fails, the leases have
  // ended nevertheless, and the next `tidy` makes the waiting actions due.
  await advanceSessions(pool, turnsEnded(ended)).catch(() => undefined);
  const finished = ended.filter(({ completion }) => outcomeResultOf(completion.next.state) !== undefined);
  return {
    accepted: ended.map(({ completion }) => completion),
    outcomes: finished.map(({ row }) => outcomeOf(row)),
    breakers,
  };
}

/** A completion and the row that it changed. */
interface Ended {
  readonly completion: Completion;
  readonly row: CompletedRow;
}

/** Also by token: a process that stalled may complete an action under a lost lease and a new one in the same call. */
function paired(completions: readonly Completion[], rows: readonly CompletedRow[]): readonly Ended[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return completions.flatMap((completion) => {
    const row = byId.get(completion.id);
    if (row === undefined || Number(row.token) !== completion.token) return [];
    byId.delete(completion.id); // recorded once, even if passed twice
    return [{ completion, row }];
  });
}

function lostLeases(completions: readonly Completion[], inTime: readonly Ended[]): readonly Completion[] {
  const found = new Set(inTime.map(({ completion }) => completion));
  return completions.filter((completion) => !found.has(completion));
}

/** Records executions under lost leases; per action only the first one reported. */
async function executeLate(client: ClientBase, lost: readonly Completion[], nowMs: number): Promise<readonly Ended[]> {
  const late = new Map<string, Completion>();
  for (const completion of lost) {
    if (completion.next.state === 'executed' && !late.has(completion.id)) late.set(completion.id, completion);
  }
  if (late.size === 0) return [];
  const sent = [...late.values()].map(sentBy);
  const { rows } = await client.query<CompletedRow>({
    name: 'action_execute_late',
    text: executeLateText,
    values: [[...late.keys()], sent, nowMs, executedLateFrom],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...late.values()].flatMap((completion) => {
    const row = byId.get(completion.id);
    return row === undefined ? [] : [{ completion, row }];
  });
}

/** Attempts that a completion contains. */
function sentBy({ attempt }: Completion): number {
  return attempt === undefined ? 0 : 1;
}

async function endLeases(
  client: ClientBase,
  completions: readonly Completion[],
  nowMs: number,
): Promise<readonly CompletedRow[]> {
  const { rows } = await client.query<CompletedRow>({
    name: 'action_complete',
    text: completeText,
    values: [
      completions.map(({ id }) => id),
      completions.map(({ token }) => token),
      completions.map(({ next }) => next.state),
      completions.map(({ next }) => (next.state === 'due' ? next.dueAtMs : null)),
      completions.map(sentBy),
      completions.map(({ next }) => outcomeResultOf(next.state) ?? null),
      nowMs,
    ],
  });
  return rows;
}

async function insertAttempts(client: ClientBase, ended: readonly Ended[]): Promise<void> {
  const sent = ended.flatMap(({ completion, row }) =>
    completion.attempt === undefined ? [] : [{ ...completion.attempt, id: row.id, number: row.attempts }],
  );
  if (sent.length === 0) return;
  await client.query({
    name: 'attempt_insert',
    text: `insert into attempt (action_id, number, started_at, duration_ms, result, reason, status, detail)
           select t.action_id, t.number, to_timestamp(t.started_ms / 1000.0), t.duration_ms, t.result, t.reason, t.status,
                  t.detail
             from unnest($1::text[], $2::integer[], $3::float8[], $4::integer[], $5::text[], $6::text[], $7::integer[],
                         $8::bytea[])
                  as t (action_id, number, started_ms, duration_ms, result, reason, status, detail)`,
    values: [
      sent.map(({ id }) => id),
      sent.map(({ number }) => number),
      sent.map(({ startedAtMs }) => startedAtMs),
      sent.map(({ durationMs }) => Math.round(durationMs)),
      sent.map(({ result }) => result),
      sent.map(({ reason }) => reason ?? null),
      sent.map(({ status }) => status ?? null),
      sent.map(({ detail }) => detail),
    ],
  });
}

function healthByWorkspace(ended: readonly Ended[]): ReadonlyMap<string, readonly Health[]> {
  const health = new Map<string, Health[]>();
  for (const { completion, row } of ended) {
    if (completion.health === undefined) continue;
    health.set(row.workspace_id, [...(health.get(row.workspace_id) ?? []), completion.health]);
  }
  return health;
}

/** Sessions in which an action may have waited for these: for a first attempt, or for an action that had none. */
function turnsEnded(ended: readonly Ended[]): readonly SessionKey[] {
  return ended.flatMap(({ row }) => {
    const { workspace_id: workspaceId, session_index: sessionIndex, channel_id: channelId, subject, attempts } = row;
    if (sessionIndex === null || attempts > 1) return [];
    return [{ workspaceId, sessionIndex, channelId: Number(channelId), subject: subject ?? '' }];
  });
}
