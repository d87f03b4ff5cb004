/** As `alert_view`, of the lists of events. */
export const eventViewsSchema = `
create table event_view (
  workspace_id text not null references workspace on delete cascade,
  id           text not null check (id ~ '^evw_[a-z2-7]{12}$'),
  name         text not null,
  filters      jsonb not null,
  changed_by   text not null,
  changed_at   timestamptz not null,
  primary key (workspace_id, id)
);
create unique index event_view_name on event_view (workspace_id, lower(name));
`;
