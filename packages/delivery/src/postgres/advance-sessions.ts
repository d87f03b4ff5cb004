import type { ClientBase, Pool } from 'pg';

/** A session whose next action may have got its turn. */
export interface SessionKey {
  readonly workspaceId: string;
  readonly sessionIndex: Uint8Array;
}

/** Sessions that one sweep looks at, some 150 ms. Behind an endpoint that is away more wait: the next sweep goes on there. */
export const sweptSessionsMax = 5_000;

/*
 * The first waiting action of a session becomes due when no earlier one is without its first attempt. Without `for
 * update` inside: two that run at once pick the same row, and the second finds that it no longer waits. With it, the
 * second would skip to the next row, and that one would overtake. The rows that were picked are locked in the order of
 * the log, as every statement that waits for several rows locks them: a row may have been leased since it was picked,
 * and is locked all the same. So nobody waits for another in a circle.
 */
const picked = `
picked as materialized (
  select a.id from action a
   where a.state = 'waiting' and a.id = any (array (
   select head.id from sessions s
    cross join lateral (
      select w.id from action w
       where w.workspace_id = s.workspace_id and w.session_index = s.session_index and w.state = 'waiting'
       order by w.seq limit 1
    ) head
    where not exists (
      select 1 from action p
       where p.workspace_id = s.workspace_id and p.session_index = s.session_index
         and p.attempts = 0 and p.state in ('due', 'leased'))))
   order by a.seq for update
)`;
const giveTurn = `update action a set state = 'due' from picked where a.id = picked.id`;

const advanceText = `
with sessions as (select * from unnest($1::text[], $2::bytea[]) as s (workspace_id, session_index)),
${picked}
${giveTurn}`;

/** Jumps from session to session over the index, however many actions wait in each. Answers the last one of a full sweep. */
const sweepText = `
with recursive jumps as (
  (select workspace_id, session_index from action where state = 'waiting' and (workspace_id, session_index) > ($1, $2)
    order by workspace_id, session_index limit 1)
  union all
  select next.workspace_id, next.session_index from jumps s
   cross join lateral (
     select n.workspace_id, n.session_index from action n
      where n.state = 'waiting' and (n.workspace_id, n.session_index) > (s.workspace_id, s.session_index)
      order by n.workspace_id, n.session_index limit 1
   ) next
),
sessions as materialized (select * from jumps limit ${sweptSessionsMax}),
${picked},
given as (${giveTurn})
select workspace_id as "workspaceId", session_index as "sessionIndex" from sessions
 order by workspace_id, session_index offset ${sweptSessionsMax - 1}`;

/** Gives the next action of each session its turn. Must see the commit that ended the turn before. */
export async function advanceSessions(client: ClientBase | Pool, sessions: readonly SessionKey[]): Promise<void> {
  if (sessions.length === 0) return;
  await client.query({
    name: 'action_advance',
    text: advanceText,
    values: [sessions.map((session) => session.workspaceId), sessions.map((session) => session.sessionIndex)],
  });
}

/** Before every session. */
const beforeAll: SessionKey = { workspaceId: '', sessionIndex: Buffer.alloc(0) };

/**
 * The same for the next sessions in which something waits: turns that a crash or a race left out.
 *
 * @param after where the sweep before ended
 * @returns where this one ended; `undefined` when nothing is behind it, and the next one begins anew
 */
export async function sweepSessions(pool: Pool, after = beforeAll): Promise<SessionKey | undefined> {
  const { rows } = await pool.query<SessionKey>({
    name: 'action_sweep',
    text: sweepText,
    values: [after.workspaceId, after.sessionIndex],
  });
  return rows[0];
}
