/** Policies with a feature backfill: requested, computed while the old policy decides, then switched to. */
export const policyStartsSchema = `
create table policy_start (
  workspace_id  text not null,
  version       integer not null,
  -- What the record of the switch says of the history.
  history       jsonb not null,
  state         text not null default 'folding' check (state in ('folding', 'ready', 'switched', 'cancelled', 'failed')),
  -- Events and records that were folded, and how many there are.
  done          bigint not null default 0,
  total         bigint not null default 0,
  error         text,
  -- The record of the switch.
  switch_offset bigint,
  asked_at      timestamptz not null default now(),
  ended_at      timestamptz,
  primary key (workspace_id, version)
);
create index policy_start_folding on policy_start (workspace_id) where state = 'folding';
`;
