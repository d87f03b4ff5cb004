/** Records which master key sealed the database. One row. */
export const secretsSchema = `
create table installation (
  singleton        boolean primary key default true check (singleton),
  master_key_id    text not null,
  master_key_check bytea not null,
  made_at          timestamptz not null default now()
);
`;

/**
 * Sealed values have a second form, which says more of their place (`seal.ts`). Older releases cannot open it, and would
 * decide events in it as if their client had been erased.
 */
export const boundSealsSchema = `
comment on table installation is 'values are sealed in form 2';
`;

/** Replaced master keys: none of them seals again. */
export const retiredKeysSchema = `
create table retired_master_key (
  id         text primary key,
  retired_at timestamptz not null default now()
);
`;
