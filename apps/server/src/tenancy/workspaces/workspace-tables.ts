/** Workspaces, their secrets, license keys, channels and policies. */
export const workspacesSchema = `
create table workspace (
  id             text primary key check (id ~ '^[a-z2-7]{8}$'),
  name           text not null check (length(name) between 1 and 64),
  environment    text not null check (environment in ('production', 'development')),
  -- Who may change each thing: the configuration file or the management API. Never both.
  settings_owner text not null check (settings_owner in ('config', 'api')),
  keys_owner     text not null check (keys_owner in ('config', 'api')),
  policy_owner   text not null check (policy_owner in ('config', 'api')),
  settings       jsonb not null,
  -- Keyed digest of what the file declared when it was last applied.
  declaration    bytea,
  -- The version that was last activated; what the log knows of it and of the settings follows in the two below.
  policy_version integer,
  logged_policy  integer,
  logged_settings bytea,
  created_at     timestamptz not null default now(),
  changed_at     timestamptz not null default now(),
  unique (name, environment)
);

create table channel (
  workspace_id   text not null references workspace,
  id             integer not null,
  name           text not null,
  idle_minutes   integer not null,
  absolute_hours integer not null,
  sessions       text not null check (sessions in ('required', 'optional')),
  primary key (workspace_id, id)
);

-- Sealed under the master key that master_key_id names; versions that are retired can still be opened.
create table workspace_secret (
  workspace_id  text not null references workspace,
  name          text not null,
  version       integer not null,
  master_key_id text not null,
  sealed        bytea not null,
  made_at       timestamptz not null default now(),
  retired_at    timestamptz,
  primary key (workspace_id, name, version)
);
create unique index workspace_secret_live on workspace_secret (workspace_id, name) where retired_at is null;

-- The hash stays after a revocation, so that a revoked key never revives; the sealed copy does not.
create table license_key (
  id            text primary key,
  workspace_id  text not null references workspace,
  hash          bytea not null unique,
  hint          text not null,
  origin        text not null check (origin in ('generated', 'brought')),
  sending       boolean not null,
  master_key_id text not null,
  sealed        bytea,
  -- Not of the transaction: two keys of one transaction have an order.
  created_at    timestamptz not null default clock_timestamp(),
  revoked_at    timestamptz,
  check ((revoked_at is null) = (sealed is not null)),
  check (revoked_at is null or not sending)
);
create index license_key_workspace on license_key (workspace_id);
create unique index license_key_sending on license_key (workspace_id) where sending;

-- Apart from license_key, so that noting a use wakes nobody.
create table license_key_use (
  key_id       text primary key references license_key,
  last_used_at timestamptz not null
);

create table policy_version (
  workspace_id text not null references workspace,
  version      integer not null check (version > 0),
  files        jsonb not null,
  hash         bytea not null,
  author       text not null,
  comment      text not null,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, version)
);

-- Grows with every change of the tables above, whoever makes it: processes compare it and load again.
create table workspace_change (
  singleton boolean primary key default true check (singleton),
  counter   bigint not null
);
insert into workspace_change (counter) values (0);

create function note_workspace_change() returns trigger language plpgsql as $$
begin
  update workspace_change set counter = counter + 1;
  perform pg_notify('ringfence_workspace', '');
  return null;
end
$$;
create trigger workspace_changed after insert or update or delete on workspace
  for each statement execute function note_workspace_change();
create trigger channel_changed after insert or update or delete on channel
  for each statement execute function note_workspace_change();
create trigger workspace_secret_changed after insert or update or delete on workspace_secret
  for each statement execute function note_workspace_change();
create trigger license_key_changed after insert or update or delete on license_key
  for each statement execute function note_workspace_change();
`;

/** A replaced signing secret may keep signing for a while, in addition to the new one. */
export const signingOverlapSchema = `
alter table workspace_secret add column signs_until timestamptz check (signs_until is null or retired_at is not null);
`;

/** Whether the logins of a channel carry device tokens; null: they do. */
export const channelDeviceSchema = `
alter table channel add column device text check (device in ('token', 'none'));
`;
