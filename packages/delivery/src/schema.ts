import { finished } from './action-state.ts';

/** Queries must repeat this condition literally for the index to serve them. */
export const isFinished = `state in (${finished.map((state) => `'${state}'`).join(', ')})`;

/**
 * Tables of the outbox. The states that still move are covered by partial indexes only: the cost of the queue depends
 * on what is queued, not on what was ever sent.
 */
export const deliverySchema = `
create table action (
  seq           bigint generated always as identity,
  id            text primary key,
  workspace_id  text not null,
  epoch         bigint not null,
  "offset"      bigint not null,
  reason        bigint not null,
  position      integer not null,
  action        bigint not null,
  urgent        boolean not null,
  subject       text,
  session_index bytea,
  channel_id    bigint not null,
  payload       bytea not null,
  format        text not null check (format in ('text', 'html')),
  content_hash  bytea not null,
  state         text not null check (state in ('waiting', 'due', 'leased', 'executed', 'notExecuted', 'expired', 'dead',
                                               'erased', 'held', 'dropped', 'observed', 'notAddressable')),
  decided_at    timestamptz not null,
  expires_at    timestamptz not null,
  lifetime      interval not null,
  -- When it may be leased: the next attempt's time, or the end of its lease. So a lost lease is due by itself.
  due_at        timestamptz not null,
  attempts      integer not null default 0,
  round         integer not null default 0,
  token         bigint not null default 0,
  finished_at   timestamptz,
  -- What the engine has yet to be told, and until when somebody is about to tell it.
  outcome         text check (outcome in ('executed', 'notExecuted', 'failed', 'expired')),
  outcome_claimed timestamptz
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- The queue, in the order in which it is leased.
create index action_queue on action (workspace_id, urgent, due_at, seq) where state in ('due', 'leased');
-- First attempts that are still to come, and those who wait for them.
create index action_first on action (workspace_id, session_index)
  where attempts = 0 and state in ('due', 'leased') and session_index is not null;
create index action_waiting on action (workspace_id, session_index, seq) where state = 'waiting';
create index action_expiring on action (expires_at) where state in ('waiting', 'due', 'leased');
create index action_held on action (workspace_id, seq) where state = 'held';
create index action_outcome on action (outcome_claimed) where outcome is not null;
-- For people.
create index action_list on action (workspace_id, seq desc);
create index action_subject on action (workspace_id, subject, seq desc) where subject is not null;
create index action_session on action (workspace_id, session_index, seq desc) where session_index is not null;
create index action_event on action (workspace_id, "offset");

create table attempt (
  action_id   text not null references action (id) on delete cascade,
  number      integer not null,
  started_at  timestamptz not null,
  duration_ms integer not null,
  result      text not null check (result in ('executed', 'notExecuted', 'failed')),
  reason      text,
  status      integer,
  detail      bytea not null,
  primary key (action_id, number)
);

create table endpoint (
  workspace_id  text primary key,
  target        text,
  state         text not null default 'closed' check (state in ('closed', 'open', 'disabled')),
  opened_at     timestamptz,
  probe_at      timestamptz,
  failing_since timestamptz,
  failures      bigint not null default 0,
  -- The breaker's window, slot by slot.
  slot_at       bigint[] not null default '{}',
  slot_answered integer[] not null default '{}',
  slot_failed   integer[] not null default '{}'
);

-- '*' pauses everything outgoing.
create table delivery_pause (
  scope text primary key,
  since timestamptz not null
);
`;

/** Actions that can be removed by age, the first finished first. */
export const finishedActionsIndex = `
create index action_finished on action (workspace_id, coalesce(finished_at, decided_at))
  where ${isFinished} and outcome is null;
`;

/** Actions that ended and whose outcome the engine knows, newest first, for live updates of open console pages. */
export const endedActionsIndex = `
create index action_ended on action (workspace_id, finished_at) where finished_at is not null and outcome is null;
`;

/** States in which an action never arrived or was not carried out: few rows, and the ones that people search for. */
const isFailed = `state in ('notExecuted', 'expired', 'dead', 'erased', 'dropped', 'notAddressable')`;

/**
 * Expired actions in the queue are skipped within the index, and failed ones are listed without a scan over everything
 * that was sent. Filtered columns follow the sort columns, so that no row is read in vain.
 */
export const largeOutboxIndexes = `
drop index action_queue;
create index action_queue on action (workspace_id, urgent, due_at, seq, expires_at) where state in ('due', 'leased');
create index action_failed on action (workspace_id, seq, state) where ${isFailed};
`;

/**
 * Actions by rule, newest first: those of a rule that rarely fires are found without a scan over everything that was
 * sent.
 */
export const ruleActionsIndex = `
create index action_reason on action (workspace_id, reason, seq);
`;

/**
 * The same with the state, without rows read in vain: a rule may have ten thousand executed actions and none dropped.
 */
export const ruleStatesIndex = `
drop index action_reason;
create index action_reason on action (workspace_id, reason, seq, state);
`;

/** A session belongs to one client in one channel: rows of other sessions with the same id are not scanned. */
export const sessionOrderIndexes = `
drop index action_first;
drop index action_waiting;
create index action_first on action (workspace_id, session_index, channel_id, coalesce(subject, ''))
  where attempts = 0 and state in ('due', 'leased') and session_index is not null;
create index action_waiting on action (workspace_id, session_index, channel_id, coalesce(subject, ''), seq)
  where state = 'waiting';
`;

/** The action that ends a hold names the one that asked for it; an answer may have asked before any attempt. */
export const holdActionsSchema = `
alter table action add column resolves text;
alter table action add column answered boolean not null default false;
create index action_resolves on action (resolves) where resolves is not null;
`;

/** All steps, oldest first. */
export const deliverySteps: readonly string[] = [
  deliverySchema,
  finishedActionsIndex,
  endedActionsIndex,
  largeOutboxIndexes,
  ruleActionsIndex,
  ruleStatesIndex,
  sessionOrderIndexes,
  holdActionsSchema,
];
