/** Tables of the console's users, their roles and their sessions. */
export const accountsSchema = `
create table account (
  id            text primary key check (id ~ '^acc_[a-z2-7]{12}$'),
  email         text not null unique check (email = lower(email) and length(email) between 3 and 254),
  name          text not null check (length(name) between 1 and 100),
  language      text not null default 'en' check (language ~ '^[a-z]{2}(-[A-Z]{2})?$'),
  -- As password-hash.ts prints it; null: this account logs in elsewhere, or was invited and has not come yet.
  password      text,
  -- Who it is at the OpenID provider.
  issuer        text,
  subject       text,
  -- The second factor: sealed under the master key that is named; in force from its confirmation on.
  master_key_id text,
  totp_sealed   bytea,
  totp_since    timestamptz,
  -- The last step whose code was used: a code is good once.
  totp_step     bigint not null default 0,
  disabled_at   timestamptz,
  created_at    timestamptz not null default now(),
  unique (issuer, subject),
  check ((issuer is null) = (subject is null)),
  check ((master_key_id is null) = (totp_sealed is null))
);

-- '*': in every workspace, and in the installation as a whole.
create table account_role (
  account_id   text not null references account on delete cascade,
  workspace_id text not null,
  role         text not null check (role in ('viewer', 'analyst', 'author', 'approver', 'administrator')),
  primary key (account_id, workspace_id, role)
);

create table recovery_code (
  account_id text not null references account on delete cascade,
  hash       bytea not null,
  primary key (account_id, hash)
);

-- Links by which somebody sets a password. Without an account: the one that makes the first administrator.
create table invitation (
  token_hash bytea primary key,
  account_id text references account on delete cascade,
  expires_at timestamptz not null
);

create table console_session (
  id         text primary key check (id ~ '^ses_[a-z2-7]{12}$'),
  token_hash bytea not null unique,
  account_id text not null references account on delete cascade,
  opened_at  timestamptz not null,
  seen_at    timestamptz not null,
  address    text not null,
  agent      text not null
);
create index console_session_account on console_session (account_id, opened_at);
`;

/** A role for people who decide about held payments. */
export const deciderRole = `
alter table account_role drop constraint account_role_role_check;
alter table account_role add constraint account_role_role_check
  check (role in ('viewer', 'analyst', 'decider', 'author', 'approver', 'administrator'));
`;

/** Bounds of log-ins, and what the OpenID provider calls a session. */
export const logInBoundsSchema = `
-- Wrong codes of the second factor, less the right ones since.
alter table account add column wrong_codes integer not null default 0;

-- The \`sid\` of the ID token: the provider may end the session by it.
alter table console_session add column provider_session text;
create index console_session_provider on console_session (provider_session) where provider_session is not null;
`;
