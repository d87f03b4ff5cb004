/** Tokens of the management API. A token never changes: it is created, and revoked or at its end. */
export const tokensSchema = `
create table api_token (
  id           text primary key check (id ~ '^tok_[a-z2-7]{12}$'),
  -- Never used again, not even after the token was revoked: the audit log names tokens by it.
  name         text not null unique check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$'),
  hash         bytea not null unique,
  hint         text not null,
  scopes       text[] not null,
  -- Ids; '*': every workspace, and the installation as a whole.
  workspaces   text[] not null,
  created_at   timestamptz not null,
  created_by   text not null,
  expires_at   timestamptz not null,
  revoked_at   timestamptz,
  last_used_at timestamptz
);
`;
