/** What the database itself must remember about its secrets: which master key sealed it. One row. */
export const secretsSchema = `
create table installation (
  singleton        boolean primary key default true check (singleton),
  master_key_id    text not null,
  master_key_check bytea not null,
  made_at          timestamptz not null default now()
);
`;

/** Master keys that others have taken the place of: none of them seals ever again. */
export const retiredKeysSchema = `
create table retired_master_key (
  id         text primary key,
  retired_at timestamptz not null default now()
);
`;
