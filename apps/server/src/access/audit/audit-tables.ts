/**
 * The audit log is append-only: the database refuses updates and deletes, and each row's hash includes the one before.
 */
export const auditSchema = `
create table audit_entry (
  seq          bigint primary key,
  at           timestamptz not null,
  workspace_id text,
  actor_kind   text not null check (actor_kind in ('person', 'machine', 'nobody')),
  actor        text not null,
  action       text not null,
  target       text,
  address      text not null,
  request_id   text not null,
  -- The very text that is hashed: jsonb would print it otherwise.
  detail       text not null,
  hash         bytea not null
);
create index audit_entry_workspace on audit_entry (workspace_id, seq desc);
create index audit_entry_actor on audit_entry (actor, seq desc);
create index audit_entry_action on audit_entry (action, seq desc);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end
$$;
create trigger audit_entry_stays before update or delete on audit_entry
  for each row execute function refuse_audit_change();
create trigger audit_entry_stays_whole before truncate on audit_entry
  for each statement execute function refuse_audit_change();

-- Where the chain ends: who appends takes this row.
create table audit_head (
  singleton boolean primary key default true check (singleton),
  seq       bigint not null,
  hash      bytea not null
);
insert into audit_head (seq, hash) values (0, '\\x0000000000000000000000000000000000000000000000000000000000000000');
`;

/**
 * Restoring a backup truncates the tables first: truncating an empty audit log is allowed, because it loses nothing.
 */
export const auditRestoreSchema = `
create function refuse_audit_truncate() returns trigger language plpgsql as $$
begin
  if exists (select 1 from audit_entry) then
    raise exception 'the audit log is append-only';
  end if;
  return null;
end
$$;
drop trigger audit_entry_stays_whole on audit_entry;
create trigger audit_entry_stays_whole before truncate on audit_entry
  for each statement execute function refuse_audit_truncate();
`;

/** Indexes that find old entries of one target in an audit log of many years. */
export const auditFiltersSchema = `
create index audit_entry_target on audit_entry (target, seq desc) where target is not null;
create index audit_entry_at on audit_entry (at, seq);
`;
