/** Backtests with their results; their examples are encrypted under the clients' keys. */
export const backtestSchema = `
create table backtest (
  id             integer generated always as identity primary key,
  workspace_id   text not null references workspace,
  state          text not null check (state in ('running', 'done', 'failed', 'cancelled')),
  author         text not null,
  started_at     timestamptz not null default now(),
  ended_at       timestamptz,
  -- Said by the process that runs it, now and then; and what people ask of it.
  heartbeat_at   timestamptz not null default now(),
  cancel_asked   boolean not null default false,
  -- The candidate, and the version that its decisions name; what it is compared with, if anything.
  files          jsonb not null,
  policy_version integer not null,
  against        integer,
  -- Left out: the live log.
  history        text,
  from_ms        bigint,
  to_ms          bigint,
  done           bigint not null default 0,
  total          bigint not null default 0,
  result         jsonb,
  error          text
);
create index backtest_list on backtest (workspace_id, id desc);
-- One at a time: each takes as much of the machine as it gets.
create unique index backtest_running on backtest ((true)) where state = 'running';

create table backtest_example (
  backtest_id integer not null references backtest on delete cascade,
  place       integer not null,
  list        text not null check (list in ('rule', 'newlyFlagged', 'noLongerFlagged')),
  reason      integer,
  subject     text,
  detail      bytea not null,
  primary key (backtest_id, place)
);
`;

/** Which rules in shadow run as if live; the parameter that is varied, with its values. */
export const backtestOptions = `
alter table backtest
  add column as_live text not null default 'none' check (as_live in ('none', 'new', 'all')),
  add column vary jsonb;
`;

/** Results of earlier releases call capped actions held. */
export const cappedInBacktests = `
update backtest set result = replace(result::text, '"held":', '"capped":')::jsonb where result is not null;
`;

/** Work on history that makes or compares models: one runs at a time, together with backtests. */
export const trainingsSchema = `
alter table backtest
  add column purpose text not null default 'backtest' check (purpose in ('backtest', 'training', 'comparison')),
  -- Of a training or comparison: the model's name, and what was asked for.
  add column model text,
  add column request jsonb,
  add column phase text check (phase in ('events', 'trees')),
  -- Of a training that is done: the model's file, and its SHA-256.
  add column artifact text,
  add column sha256 text;
create index backtest_artifact on backtest (workspace_id, sha256) where sha256 is not null;
`;

/** The files of a backtest in the form of those of a version, which they are compared with. */
export const comparedFilesSchema = `
alter table backtest add column stored_files jsonb;
`;
