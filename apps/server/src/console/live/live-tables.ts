/** Changes of the last hour, for open pages, in commit order. */
export const liveSchema = `
create table console_live (
  workspace_id text not null,
  seq          bigint generated always as identity,
  at           timestamptz not null default now(),
  kind         text not null check (kind in ('decision', 'action', 'alert')),
  -- Says a thing once, however often it is come by.
  ref          text not null,
  data         jsonb not null,
  primary key (workspace_id, seq),
  unique (workspace_id, kind, ref)
);
create index console_live_at on console_live (at);

-- Up to when the ends of actions were looked at.
alter table console_position add column actions_until timestamptz not null default now();
`;
