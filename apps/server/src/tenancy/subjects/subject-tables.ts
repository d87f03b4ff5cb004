/** The clients' ids and keys. A row is the only link between a client and its stored data, and the key to it. */
export const subjectsSchema = `
create table subject (
  workspace_id text not null references workspace,
  id           text not null check (id ~ '^[a-z2-7]{16}$'),
  client_index bytea not null,
  sealed_key   bytea not null,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id),
  unique (workspace_id, client_index)
);

-- Which random ids were erased: processes forget their cached keys by it. Says nothing of the client.
create table erasure (
  id           bigint generated always as identity primary key,
  workspace_id text not null references workspace,
  subject      text not null,
  erased_at    timestamptz not null default now()
);
`;
