/** Tables of the engine host. `event` has one row per event, with its decision; the event's body stays in the log. */
export const hostSchema = `
-- Processes that decide, by the connection on which they hold partitions, and how many they mean to keep.
create table partition_keeper (
  backend_pid  integer primary key,
  process      text not null,
  held         integer not null default 0,
  since        timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
);

-- Who took each partition last; the lock says whether it is held.
create table partition_owner (
  workspace_id text primary key,
  epoch        bigint not null,
  process      text not null,
  backend_pid  integer not null,
  since        timestamptz not null default now()
);

-- Moved in every transaction that writes effects; owner_epoch is the fence that a zombie does not pass.
create table engine_position (
  workspace_id text primary key,
  owner_epoch  bigint not null,
  next_offset  bigint not null,
  decided      bigint not null,
  digest       bytea not null,
  moved_at     timestamptz not null default now()
);

create table checkpoint (
  workspace_id   text primary key,
  next_offset    bigint not null,
  decided        bigint not null,
  digest         bytea not null,
  engine_version text not null,
  state          bytea not null,
  made_at        timestamptz not null default now()
);

-- Sealed; key is a keyed hash of the entity's name. Written only together with the checkpoint.
create table entity_state (
  workspace_id text not null,
  key          bytea not null,
  subject      text,
  state        bytea not null,
  -- From this log time on it is the same as absent.
  expires_at_ms bigint,
  primary key (workspace_id, key)
);
create index entity_state_expiry on entity_state (workspace_id, expires_at_ms) where expires_at_ms is not null;
create index entity_state_subject on entity_state (workspace_id, subject) where subject is not null;

create table quarantine (
  workspace_id   text not null,
  "offset"       bigint not null,
  tries          integer not null,
  error          text not null,
  first_at       timestamptz not null default now(),
  quarantined_at timestamptz,
  primary key (workspace_id, "offset")
);

-- Ranges of the log whose decisions cannot be reproduced, and why.
create table irreproducible_range (
  workspace_id text not null,
  from_offset  bigint not null,
  to_offset    bigint not null,
  reason       text not null,
  noted_at     timestamptz not null default now(),
  primary key (workspace_id, from_offset, to_offset)
);

create table event (
  workspace_id   text not null,
  "offset"       bigint not null,
  epoch          bigint not null,
  kind           text not null,
  subject        text,
  session_index  bytea,
  channel_id     integer,
  logged_at      timestamptz not null,
  event_at       timestamptz,
  status         text not null check (status in ('waiting', 'decided', 'repeat', 'unreadable', 'quarantined')),
  decided_at     timestamptz,
  policy_version integer,
  repeat_of      bigint,
  matched        boolean,
  mismatch       text,
  fired          integer[] not null default '{}',
  shadow         integer[] not null default '{}',
  detail         bytea,
  primary key (workspace_id, "offset")
);
create index event_subject on event (workspace_id, subject, "offset" desc);
create index event_session on event (workspace_id, session_index, "offset" desc) where session_index is not null;
create index event_logged on event (workspace_id, logged_at, "offset");
create index event_status on event (workspace_id, status, "offset" desc) where status <> 'decided';
create index event_kind on event (workspace_id, kind, "offset" desc) where kind <> 'operation';
create index event_fired on event (workspace_id, "offset" desc) where fired <> '{}' or shadow <> '{}';

-- How often each rule fired, was held back or met a missing fact. Moves only with the checkpoint, so it is exact.
create table rule_health (
  workspace_id   text not null,
  policy_version integer not null,
  reason         integer not null,
  fired          bigint not null default 0,
  shadow         bigint not null default 0,
  suppressed     bigint not null default 0,
  missing        bigint not null default 0,
  primary key (workspace_id, policy_version, reason)
);
`;

/** From this migration on, entities are written in a form that older releases cannot read. */
export const shorterStatesSchema = `
comment on table entity_state is 'Entities of the engine, in versions 1 to 3 of its snapshots.';
`;
