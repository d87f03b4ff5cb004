import type { ClientBase, Pool } from 'pg';
import type { SessionKey } from '../session-key.ts';

/** SQL condition: the action `a` belongs to the session `s`. Matches the indexes of `sessionOrderIndexes`. */
export function inSession(a: string, s: string): string {
  return `${a}.workspace_id = ${s}.workspace_id and ${a}.session_index = ${s}.session_index
          and ${a}.channel_id = ${s}.channel_id and coalesce(${a}.subject, '') = coalesce(${s}.subject, '')`;
}

/** Sessions per sweep, about 150 ms. More may wait behind an unreachable endpoint: the next sweep continues there. */
export const sweptSessionsMax = 5_000;

/*
 * The first waiting action of a session becomes due when no earlier one lacks its first attempt. The inner query has no
 * `for update`: two concurrent statements then pick the same row, and the second finds that it no longer waits. With
 * it, the second would skip to the next row, which would overtake. The picked rows are locked in log order, like in
 * every statement that locks several rows, so there is no deadlock. A row that was leased after it was picked is locked
 * too.
 */
const picked = `
picked as materialized (
  select a.id from action a
   where a.state = 'waiting' and a.id = any (array (
   select head.id from sessions s
    cross join lateral (
      select w.id from action w
       where ${inSession('w', 's')} and w.state = 'waiting'
       order by w.seq limit 1
    ) head
    where not exists (
      select 1 from action p
       where ${inSession('p', 's')}
         and p.attempts = 0 and p.state in ('due', 'leased'))))
   order by a.seq for update
)`;
const giveTurn = `update action a set state = 'due' from picked where a.id = picked.id`;

const advanceText = `
with sessions as (
  select * from unnest($1::text[], $2::bytea[], $3::bigint[], $4::text[]) as s (workspace_id, session_index, channel_id, subject)
),
${picked}
${giveTurn}`;

/** The next session after `session` with a waiting action. */
function nextAfter(session: string): string {
  return `(
    select n.workspace_id, n.session_index, n.channel_id, coalesce(n.subject, '') as subject from action n
     where n.state = 'waiting' and (n.workspace_id, n.session_index, n.channel_id, coalesce(n.subject, '')) > (${session})
     order by n.workspace_id, n.session_index, n.channel_id, coalesce(n.subject, '') limit 1
  )`;
}

/**
 * Jumps from session to session over the index, however many actions wait in each. Returns the last session of a full
 * sweep.
 */
const sweepText = `
with recursive jumps as (
  ${nextAfter('$1, $2, $3::bigint, $4')}
  union all
  select next.* from jumps s
   cross join lateral ${nextAfter('s.workspace_id, s.session_index, s.channel_id, s.subject')} next
),
sessions as materialized (select * from jumps limit ${sweptSessionsMax}),
${picked},
given as (${giveTurn})
select * from sessions order by workspace_id, session_index, channel_id, subject offset ${sweptSessionsMax - 1}`;

/** Makes the next action of each session due. Must see the commit that ended the previous attempt. */
export async function advanceSessions(client: ClientBase | Pool, sessions: readonly SessionKey[]): Promise<void> {
  if (sessions.length === 0) return;
  await client.query({
    name: 'action_advance',
    text: advanceText,
    values: [
      sessions.map((session) => session.workspaceId),
      sessions.map((session) => session.sessionIndex),
      sessions.map((session) => session.channelId),
      sessions.map((session) => session.subject),
    ],
  });
}

/** Sorts before every session. */
const beforeAll: SessionKey = { workspaceId: '', sessionIndex: Buffer.alloc(0), channelId: 0, subject: '' };

interface SweptRow {
  readonly workspace_id: string;
  readonly session_index: Buffer;
  readonly channel_id: string;
  readonly subject: string;
}

/**
 * Does the same for the next sessions with waiting actions, which a crash or a race may have left behind.
 *
 * @param after where the previous sweep stopped
 * @returns where this one stopped; `undefined` when no sessions follow and the next sweep starts from the beginning
 */
export async function sweepSessions(pool: Pool, after = beforeAll): Promise<SessionKey | undefined> {
  const { rows } = await pool.query<SweptRow>({
    name: 'action_sweep',
    text: sweepText,
    values: [after.workspaceId, after.sessionIndex, after.channelId, after.subject],
  });
  const [last] = rows;
  if (last === undefined) return undefined;
  const { workspace_id: workspaceId, session_index: sessionIndex, channel_id: channelId, subject } = last;
  return { workspaceId, sessionIndex, channelId: Number(channelId), subject };
}
