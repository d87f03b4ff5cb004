/** Destinations of notifications, what each person wants to get, and the outbox that both share. */
export const notificationsSchema = `
create table notification_destination (
  id           text primary key check (id ~ '^ntd_[a-z2-7]{12}$'),
  workspace_id text not null references workspace,
  seq          bigint generated always as identity,
  name         text not null,
  kind         text not null check (kind in ('http', 'slack', 'teams', 'email')),
  -- Sealed: a URL often contains a secret.
  address      bytea not null,
  settings     jsonb not null,
  paused_at    timestamptz,
  created_at   timestamptz not null,
  created_by   text not null
);
create index notification_destination_list on notification_destination (workspace_id, seq);

-- What a person wants to get by e-mail. Without a row: nothing.
create table notification_choice (
  account_id text primary key references account on delete cascade,
  settings   jsonb not null
);

-- A message to one destination or person. Things are added to it until it is leased for the first time.
create table notification (
  id           text primary key check (id ~ '^ntf_[a-z2-7]{20}$'),
  seq          bigint generated always as identity,
  workspace_id text not null references workspace,
  -- The id of a destination, or of an account.
  destination  text not null,
  kind         text not null check (kind in ('http', 'slack', 'teams', 'email')),
  state        text not null default 'due' check (state in ('due', 'leased', 'sent', 'dead', 'dropped')),
  made_at      timestamptz not null,
  -- When it may be leased: the next attempt's time, or the end of its lease. So a lost lease is due by itself.
  due_at       timestamptz not null,
  expires_at   timestamptz not null,
  attempts     integer not null default 0,
  token        bigint not null default 0,
  finished_at  timestamptz,
  -- Why the last attempt failed.
  failure      text
) with (fillfactor = 80);
create index notification_queue on notification (destination, due_at, seq) where state in ('due', 'leased');
create index notification_newest on notification (destination, seq desc);
create index notification_dead on notification (kind) where state = 'dead';
create index notification_finished on notification (finished_at) where finished_at is not null;

create table notification_item (
  notification_id text not null references notification on delete cascade,
  position        integer not null,
  event           text not null,
  -- The client that it is about; it is removed when that client is erased.
  subject         text,
  sealed          bytea not null,
  primary key (notification_id, position)
);
create index notification_item_subject on notification_item (subject) where subject is not null;

-- What was told and is not over yet: it is not told again.
create table notification_condition (
  destination  text not null,
  key          text not null,
  workspace_id text not null references workspace,
  event        text not null,
  since        timestamptz not null,
  primary key (destination, key)
);

-- The circuit breaker of each destination.
create table notification_endpoint (
  destination   text primary key,
  state         text not null default 'closed' check (state in ('closed', 'open', 'disabled')),
  opened_at     timestamptz,
  probe_at      timestamptz,
  failing_since timestamptz,
  failures      bigint not null default 0,
  slot_at       bigint[] not null default '{}',
  slot_answered integer[] not null default '{}',
  slot_failed   integer[] not null default '{}'
);
`;

/**
 * What happened and was not looked at yet. A row is written with the change that it is about, and removed with the
 * notifications of it: none is missed and none is told twice, whenever a process ends.
 */
export const notificationSourcesSchema = `
create table notification_source (
  id           bigint generated always as identity primary key,
  workspace_id text not null,
  kind         text not null check (kind in ('alert', 'comment', 'assignment')),
  alert_id     text not null,
  -- Of a comment.
  comment_seq  bigint,
  -- Of an assignment: to whom, and by whom.
  account_id   text,
  author       text
);

-- Alerts change with every decision about their client: they are noted only where something may be told of them.
create function note_alerts() returns trigger language plpgsql as $$
begin
  insert into notification_source (workspace_id, kind, alert_id)
  select c.workspace_id, 'alert', c.id from changed c
   where exists (select 1 from notification_destination d where d.workspace_id = c.workspace_id and d.settings -> 'events' ? 'alert')
   order by c.id;
  return null;
end
$$;
create trigger alert_came after insert on alert referencing new table as changed
  for each statement execute function note_alerts();
create trigger alert_changed after update on alert referencing new table as changed
  for each statement execute function note_alerts();

create function note_comments() returns trigger language plpgsql as $$
begin
  insert into notification_source (workspace_id, kind, alert_id, comment_seq, author)
  select workspace_id, 'comment', alert_id, seq, author from written;
  return null;
end
$$;
create trigger alert_commented after insert on alert_comment referencing new table as written
  for each statement execute function note_comments();
`;
