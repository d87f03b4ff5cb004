import { spreadFunction } from './identities.ts';

/**
 * Moving a workspace to another database.
 *
 *   workspace_move     in the home database: the moves under way, and how far each is
 *   workspace_leaving  in the source: what its triggers and partition owners must know
 *   move_change        in the source: keys of rows that changed since they were copied
 *   move_copied        in the target: how far each table is copied; written with the rows
 */
export const movesSchema = `
create table workspace_move (
  workspace_id  text primary key,
  name          text not null,
  environment   text not null,
  from_database text not null,
  to_database   text not null,
  phase         text not null check (phase in ('copying', 'closing', 'switched', 'kept', 'removing', 'aborting')),
  started_at    timestamptz not null default now(),
  rows          bigint not null default 0,
  bytes         bigint not null default 0,
  -- What was counted at the beginning.
  rows_total    bigint not null default 0,
  pause_ms      integer
);

create table workspace_leaving (
  workspace_id text primary key,
  -- Its partition's number in this database: a part of the names of its triggers.
  number       integer not null,
  -- No process decides it or leases its actions.
  released     boolean not null default false,
  -- Its rows cannot be changed.
  closed       boolean not null default false
);

create table move_change (
  workspace_id text not null,
  table_name   text not null,
  key          jsonb not null
);
create index move_change_table on move_change (workspace_id, table_name);

create table move_copied (
  workspace_id text not null,
  table_name   text not null,
  -- Of the last row copied, in the order of copying; null: none.
  last         jsonb,
  done         boolean not null default false,
  rows         bigint not null default 0,
  primary key (workspace_id, table_name)
);
${spreadFunction}`;
