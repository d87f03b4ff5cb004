import { holdActionsSchema } from '@ringfence/delivery';

/** Payments that a bank was asked to hold, and what people decide about them. */
export const holdsSchema = `
${holdActionsSchema}

-- Written by the deciding thread, from the effects of the engine.
create table hold (
  workspace_id text not null,
  -- The webhook id of the action that asked for it.
  id           text primary key,
  epoch        bigint not null,
  "offset"     bigint not null,
  reason       bigint not null,
  position     integer not null,
  subject      text not null,
  channel_id   bigint not null,
  amount       numeric,
  currency     text,
  otherwise    text not null check (otherwise in ('release', 'reject', 'keep')),
  state        text not null default 'open' check (state in ('open', 'released', 'rejected', 'unresolved')),
  opened_at    timestamptz not null,
  due_at       timestamptz not null,
  -- Why it was not ended when its time was over.
  kept_because text check (kept_because in ('policy', 'fraud', 'blocked', 'proposed', 'interrupted')),
  -- Whether its alert was raised, if it needs one.
  alerted      boolean not null default true,
  resolved_at  timestamptz,
  resolved_by  text check (resolved_by in ('person', 'deadline', 'bank', 'age', 'erased', 'dropped', 'crowded')),
  author       text,
  -- The bank decided by itself where a second person was required.
  bypassed     boolean not null default false
);
create index hold_open on hold (workspace_id, due_at) where state = 'open';
create index hold_list on hold (workspace_id, opened_at desc, id);
create index hold_identity on hold (workspace_id, "offset");
create index hold_subject on hold (workspace_id, subject, opened_at desc);
create index hold_unalerted on hold (workspace_id) where not alerted;

-- The operations of a hold: the first one and its repeats.
create table hold_member (
  workspace_id text not null,
  hold_id      text not null references hold on delete cascade,
  "offset"     bigint not null,
  epoch        bigint not null,
  -- The webhook id of its action that asked for the hold.
  webhook_id   text not null,
  joined_at    timestamptz not null,
  -- How it ended, and the webhook id of the action that says so to the bank, if there is one.
  resolution   text check (resolution in ('released', 'rejected', 'unresolved')),
  ended_at     timestamptz,
  resolved_with text,
  primary key (workspace_id, "offset", epoch)
);
create index hold_member_hold on hold_member (hold_id);

-- What people decided. Each can be undone for some seconds; then it becomes a record of the log.
create table hold_decision (
  workspace_id text not null,
  id           bigint generated always as identity,
  hold_id      text not null references hold on delete cascade,
  decision     text not null check (decision in ('release', 'reject')),
  author       text not null,
  -- Sealed under the client's key.
  comment      bytea,
  made_at      timestamptz not null default now(),
  -- Until then it can be undone.
  undo_until   timestamptz not null,
  -- \`second\`: waits for another person; \`sent\`: in the log; \`undone\`: taken back; \`refused\`: by the second person.
  state        text not null check (state in ('undoable', 'second', 'sent', 'undone', 'refused')),
  needs_second boolean not null,
  second       text,
  second_at    timestamptz,
  primary key (workspace_id, id)
);
create unique index hold_decision_open on hold_decision (hold_id) where state in ('undoable', 'second');
create index hold_decision_due on hold_decision (undo_until) where state = 'undoable';
create index hold_decision_hold on hold_decision (hold_id, id);
`;

/** Ends of holds that the bank was not told: few, among all that it was told. */
export const undeliveredEndsIndex = `
create index action_end_undelivered on action (workspace_id)
  where resolves is not null and state in ('waiting', 'due', 'leased', 'notExecuted', 'dead', 'expired');
`;

/** Lists of holds are paged by a number, newest first. */
export const holdSequence = `
alter table hold add column seq bigint generated always as identity;
drop index hold_list;
create index hold_list on hold (workspace_id, seq desc);
`;
