/** The refused requests; and the channels seen, which the console's feed writes. They contain no value that a client sent. */
export const ingestTables = `
-- A sample of the refused requests, kept for 7 days. workspace_id is null when the license key told nothing.
create table refused_request (
  id           bigint generated always as identity primary key,
  workspace_id text,
  key_id       text,
  request_id   text not null,
  at           timestamptz not null,
  method       text not null,
  path         text not null,
  status       smallint not null,
  code         text not null,
  body_bytes   integer,
  errors       text not null
);
create index refused_request_workspace on refused_request (workspace_id, id desc);
create index refused_request_at on refused_request (at);

-- All of them, by the hour. workspace_id is '' when the license key told nothing.
create table refused_count (
  workspace_id text not null,
  hour         timestamptz not null,
  code         text not null,
  path         text not null,
  requests     bigint not null,
  primary key (workspace_id, hour, code, path)
);

create table channel_seen (
  workspace_id  text not null,
  channel_id    integer not null,
  configured    boolean not null,
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  events        bigint not null,
  primary key (workspace_id, channel_id)
);
`;
