import { assert } from '@ringfence/contract';
import type { ClientBase } from 'pg';
import type { NewAction } from '../action.ts';
import { type SessionKey, sessionKeyOf, sessionText } from '../session-key.ts';
import { isUrgent } from '../urgent.ts';
import { advanceSessions, inSession } from './advance-sessions.ts';

/** The NOTIFY channel; the payload is the workspace that has a due action. */
export const dueChannel = 'ringfence_due';

/*
 * An action waits when an earlier one of its session has not had its first attempt. If that one is completed
 * concurrently, neither transaction sees the other: `tidy` then makes the action due a second later.
 */
const insertText = `
with inserted as (
  insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, subject, session_index,
                      channel_id, payload, format, content_hash, state, decided_at, expires_at, lifetime, due_at, resolves)
  select r.id, r.workspace_id, r.epoch, r."offset", r.reason, r.position, r.action, r.urgent, r.subject, r.session_index,
         r.channel_id, r.payload, r.format, r.content_hash,
         case when r.state <> 'due' or r.urgent or r.session_index is null then r.state
              when r.behind
                or exists (select 1 from action p where ${inSession('p', 'r')}
                              and p.attempts = 0 and p.state in ('due', 'leased'))
                or exists (select 1 from action p where ${inSession('p', 'r')} and p.state = 'waiting') then 'waiting'
              else 'due' end,
         to_timestamp(r.decided_ms / 1000.0), to_timestamp(r.expires_ms / 1000.0),
         (r.expires_ms - r.decided_ms) * interval '1 millisecond', to_timestamp(r.due_ms / 1000.0), r.resolves
    from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::integer[], $7::bigint[],
                $8::boolean[], $9::text[], $10::bytea[], $11::bigint[], $12::bytea[], $13::text[], $14::bytea[],
                $15::text[], $16::boolean[], $17::float8[], $18::float8[], $19::float8[], $20::text[])
         with ordinality
         as r (id, workspace_id, epoch, "offset", reason, position, action, urgent, subject, session_index, channel_id,
               payload, format, content_hash, state, behind, decided_ms, due_ms, expires_ms, resolves, place)
   order by r.place
  on conflict (id) do nothing
  returning workspace_id, state
)
select count(*)::integer as count,
       (select count(pg_notify('${dueChannel}', d.workspace_id))
          from (select distinct workspace_id from inserted where state = 'due') d) as notified
  from inserted`;

const conflictText = `
select r.id from unnest($1::text[], $2::bytea[]) as r (id, content_hash)
  join action a on a.id = r.id where a.content_hash <> r.content_hash limit 1`;

/**
 * Stores actions in the caller's transaction, in their order; hundreds cost one statement. Dispatchers are notified of
 * due ones when the transaction commits. Writing the same actions again after a crash changes nothing.
 *
 * @throws InvariantError when an id exists with different content; the transaction must then be rolled back
 */
export async function insertActions(transaction: ClientBase, actions: readonly NewAction[]): Promise<void> {
  if (actions.length === 0) return;
  const inserted = await transaction.query<{ count: number }>({
    name: 'action_insert',
    text: insertText,
    values: columnsOf(actions),
  });
  if (inserted.rows[0]?.count === actions.length) return;

  const conflict = await transaction.query<{ id: string }>({
    name: 'action_conflict',
    text: conflictText,
    values: [actions.map((action) => action.id), actions.map((action) => action.contentHash)],
  });
  assert(conflict.rows.length === 0, `action ${conflict.rows[0]?.id} exists with different content`);
  // Some existed already and may have been sent long ago; actions must not wait for those.
  await advanceSessions(transaction, sessionsOf(actions));
}

function sessionsOf(actions: readonly NewAction[]): readonly SessionKey[] {
  return actions.flatMap((action) => sessionKeyOf(action) ?? []);
}

function columnsOf(actions: readonly NewAction[]): unknown[] {
  return [
    actions.map((action) => action.id),
    actions.map((action) => action.workspaceId),
    actions.map((action) => action.epoch),
    actions.map((action) => action.offset),
    actions.map((action) => action.reason),
    actions.map((action) => action.position),
    actions.map((action) => action.action),
    actions.map((action) => isUrgent(action.action)),
    actions.map((action) => action.subject ?? null),
    actions.map((action) => action.sessionIndex ?? null),
    actions.map((action) => action.channelId),
    actions.map((action) => action.payload),
    actions.map((action) => action.format),
    actions.map((action) => action.contentHash),
    actions.map((action) => action.state),
    behindInBatch(actions),
    actions.map((action) => action.decidedAtMs),
    actions.map((action) => action.dueAtMs),
    actions.map((action) => action.expiresAtMs),
    actions.map((action) => action.resolves ?? null),
  ];
}

/** For each action, whether an earlier one of the same call has the same session and is to be sent. */
function behindInBatch(actions: readonly NewAction[]): readonly boolean[] {
  const sessions = new Set<string>();
  return actions.map((action) => {
    const key = sessionKeyOf(action);
    if (key === undefined || action.state !== 'due') return false;
    const session = sessionText(key);
    const behind = sessions.has(session);
    sessions.add(session);
    return behind;
  });
}
