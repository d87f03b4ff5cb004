/** Tables of directives: changes without a new policy version, to lists, suppressions and capped actions. */
export const directivesSchema = `
-- In the order in which they were given; each becomes one record of the log, which is what the engine goes by.
create table directive (
  workspace_id text not null references workspace,
  id           bigint generated always as identity,
  kind         text not null check (kind in ('list', 'suppress', 'held')),
  subject      text,
  -- Sealed under the workspace's data key; the record's payload.
  payload      bytea not null,
  author       text not null,
  comment      text not null,
  made_at      timestamptz not null default now(),
  appended     boolean not null default false,
  primary key (workspace_id, id)
);
create index directive_open on directive (workspace_id, id) where not appended;

-- What live lists hold, for people to look at; the engine keeps its own.
create table list_item (
  workspace_id text not null references workspace,
  list         text not null,
  -- Keyed hash of the item's text, which is sealed.
  item_index   bytea not null,
  sealed       bytea not null,
  author       text not null,
  comment      text not null,
  added_at     timestamptz not null,
  expires_at   timestamptz,
  primary key (workspace_id, list, item_index)
);

create table suppression (
  workspace_id text not null references workspace,
  id           text not null,
  reason       integer not null,
  subject      text,
  -- Sealed under the workspace's data key; of a suppression about a client there is none.
  payee        bytea,
  until        timestamptz not null,
  why          text not null,
  author       text not null,
  made_at      timestamptz not null,
  primary key (workspace_id, id),
  check ((subject is null) <> (payee is null))
);
`;

/** Items get a number and the client whose key encrypts them, and are kept for some time after their end. */
export const listItemsSchema = `
alter table list_item
  add column id bigint generated always as identity,
  add column subject text,
  add column changed_at timestamptz not null default now(),
  add column removed_at timestamptz,
  add column removed_by text;
update list_item set changed_at = added_at;
create unique index list_item_page on list_item (workspace_id, list, id);
create index list_item_subject on list_item (workspace_id, subject) where subject is not null;
`;

/** Steps of the decision about a hold are directives as well. */
export const holdDirectivesSchema = `
alter table directive drop constraint directive_kind_check;
alter table directive add constraint directive_kind_check check (kind in ('list', 'suppress', 'held', 'hold'));
`;
