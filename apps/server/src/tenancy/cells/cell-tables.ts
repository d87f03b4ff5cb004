/**
 * Several databases of one installation. Each has all tables; the rows of a workspace, all of them, lie in one.
 *
 *   cell                 in each database: whose it is, and by which name
 *   cell_number          in the home database: all that were ever used
 *   workspace_database   in the home database: the workspaces that do not lie there, or are moving
 *   license_key_owner    in the home database: whose each license key is, or was
 *   workspace.placement  in each database: whether a workspace is served from there
 */
export const cellsSchema = `
create table cell (
  singleton    boolean primary key default true check (singleton),
  installation uuid not null,
  name         text not null,
  -- 0: the home database.
  number       integer not null check (number >= 0)
);

create table cell_number (
  name   text primary key,
  number integer not null unique check (number > 0)
);

create table workspace_database (
  workspace_id text primary key,
  name         text not null,
  environment  text not null,
  database     text not null,
  -- The database to which it is moving; null: it is not.
  moving_to    text,
  moved_at     timestamptz,
  unique (name, environment)
);

-- arriving: its rows are still being copied to this database. left: another database serves it.
alter table workspace add column placement text not null default 'here'
  check (placement in ('here', 'arriving', 'left'));

-- Accounts are in the home database alone. A claim is over within a day: its name is that of its time.
alter table alert drop constraint alert_claimed_by_fkey, drop constraint alert_handed_by_fkey,
  add column claimed_by_name text;
update alert a set claimed_by_name = (select c.email from account c where c.id = a.claimed_by)
 where a.claimed_by is not null;
`;

/** A license key names one workspace of all databases. */
export const keyOwnersSchema = `
create table license_key_owner (
  hash         bytea primary key,
  workspace_id text not null
);
insert into license_key_owner (hash, workspace_id) select hash, workspace_id from license_key;
`;
