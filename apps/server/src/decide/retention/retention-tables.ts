/**
 * Tables of retention. The base is where a replay of the kept log starts: the engine's whole state as of one offset,
 * with the chain of decisions up to there. No record at or after it is removed.
 */
export const retentionSchema = `
create table log_base (
  workspace_id   text primary key,
  next_offset    bigint not null,
  decided        bigint not null,
  digest         bytea not null,
  engine_version text not null,
  state          bytea not null,
  -- The last erasure that its state knows of.
  erasure_id     bigint not null,
  made_at        timestamptz not null default now()
);

-- As entity_state, as of the base. Written only together with it.
create table base_entity (
  workspace_id  text not null,
  key           bytea not null,
  subject       text,
  state         bytea not null,
  expires_at_ms bigint,
  primary key (workspace_id, key)
);
create index base_entity_expiry on base_entity (workspace_id, expires_at_ms) where expires_at_ms is not null;
create index base_entity_subject on base_entity (workspace_id, subject) where subject is not null;

-- Where the engine stood, noted every hour: all records before next_offset had come by noted_at.
create table decision_mark (
  workspace_id text not null,
  next_offset  bigint not null,
  decided      bigint not null,
  digest       bytea not null,
  noted_at     timestamptz not null,
  primary key (workspace_id, next_offset)
);

-- When everything that is too old was last seen to be gone, by any process.
create table retention_round (
  singleton   boolean primary key default true check (singleton),
  finished_at timestamptz not null
);
insert into retention_round (finished_at) values (now());

-- A table whose oldest rows go as new ones come must be cleaned before a fifth of it is dead.
alter table event set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
`;

/** The last erasure whose client's events have lost their search entries. */
export const erasureForgottenSchema = `
create table erasure_forgotten (
  singleton  boolean primary key default true check (singleton),
  erasure_id bigint not null
);
`;
