/** Records which master key sealed the database. One row. */
export const secretsSchema = `
create table installation (
  singleton        boolean primary key default true check (singleton),
  master_key_id    text not null,
  master_key_check bytea not null,
  made_at          timestamptz not null default now()
);
`;

/** Replaced master keys: none of them seals again. */
export const retiredKeysSchema = `
create table retired_master_key (
  id         text primary key,
  retired_at timestamptz not null default now()
);
`;
