/** The queue of alerts. An alert combines decisions of one client. */
export const alertsSchema = `
create table alert (
  workspace_id  text not null,
  id            text not null check (id ~ '^alr_[a-z2-7]{12}$'),
  seq           bigint generated always as identity,
  -- null: the events named no client; each is an alert of its own.
  subject       text,
  state         text not null default 'open' check (state in ('open', 'closed')),
  -- The place in the queue: the greatest first. See rank.ts.
  rank          bigint not null,
  risk          integer not null,
  amount        numeric,
  currency      text,
  decisions     integer not null,
  reasons       integer[] not null,
  first_offset  bigint not null,
  last_offset   bigint not null,
  opened_at     timestamptz not null,
  last_at       timestamptz not null,
  -- Whoever works on it, and until when nobody else gets it.
  claimed_by    text references account on delete set null,
  claimed_until timestamptz,
  claimed_at    timestamptz,
  outcome       text check (outcome in ('fraud', 'legitimate', 'suppressed')),
  closed_by     text,
  closed_at     timestamptz,
  primary key (workspace_id, id),
  check ((state = 'closed') = (outcome is not null))
);
create unique index alert_open_client on alert (workspace_id, subject) where state = 'open' and subject is not null;
create index alert_queue on alert (workspace_id, rank desc) where state = 'open';
create index alert_list on alert (workspace_id, seq desc);
create index alert_closed on alert (workspace_id, closed_at) where state = 'closed';
create index alert_subject on alert (workspace_id, subject, seq desc) where subject is not null;
create index alert_claimed on alert (claimed_by) where state = 'open' and claimed_by is not null;

create table alert_event (
  workspace_id text not null,
  alert_id     text not null,
  "offset"     bigint not null,
  primary key (workspace_id, alert_id, "offset"),
  foreign key (workspace_id, alert_id) references alert on delete cascade
);

create table alert_comment (
  workspace_id text not null,
  alert_id     text not null,
  seq          bigint generated always as identity,
  at           timestamptz not null,
  author       text not null,
  -- Sealed: people write about people.
  sealed       bytea not null,
  primary key (workspace_id, alert_id, seq),
  foreign key (workspace_id, alert_id) references alert on delete cascade
);

-- No alerts of this client, of one rule or of all, for a while. The rules go on acting.
create table alert_suppression (
  workspace_id text not null,
  id           text not null check (id ~ '^sup_[a-z2-7]{12}$'),
  subject      text not null,
  reason       integer,
  until        timestamptz not null,
  why          text not null,
  made_by      text not null,
  made_at      timestamptz not null,
  primary key (workspace_id, id)
);
create index alert_suppression_subject on alert_suppression (workspace_id, subject, until);
`;

/** What an alert is about. Without it, in alerts of older releases: the last event. */
export const riskiestEventSchema = `
alter table alert add column riskiest_offset bigint;
`;

/** What the queue can be filtered by and sorted by, and what is told to whom an alert is handed over. */
export const alertQueueSchema = `
alter table alert add column channels integer[] not null default '{}';
update alert a set channels = found.channels
  from (select e.workspace_id, e.alert_id, array_agg(distinct v.channel_id order by v.channel_id) as channels
          from alert_event e
          join event v on v.workspace_id = e.workspace_id and v."offset" = e."offset" and v.channel_id is not null
         group by e.workspace_id, e.alert_id) found
 where a.workspace_id = found.workspace_id and a.id = found.alert_id;

-- Who handed it over, until it is released or claimed by another. The name stays when the account is removed.
alter table alert add column handed_by text references account on delete set null;
alter table alert add column handed_by_name text;
alter table alert add column handed_at timestamptz;
-- Sealed: people write about people.
alter table alert add column handed_note bytea;

-- One index for each order of the queue; \`seq\` decides between equals. See alert-orders.ts.
drop index alert_queue;
create index alert_queue on alert (workspace_id, rank, seq) where state = 'open';
create index alert_by_risk on alert (workspace_id, risk, rank, seq) where state = 'open';
create index alert_by_money on alert (workspace_id, (coalesce(currency, '')), (coalesce(amount, -1)), seq) where state = 'open';
create index alert_by_age on alert (workspace_id, opened_at, seq) where state = 'open';
drop index alert_list;
drop index alert_closed;
create index alert_closed on alert (workspace_id, closed_at, seq) where state = 'closed';
`;

/** Filters of the queue that the people of a workspace share. */
export const alertViewsSchema = `
create table alert_view (
  workspace_id text not null references workspace on delete cascade,
  id           text not null check (id ~ '^avw_[a-z2-7]{12}$'),
  name         text not null,
  filters      jsonb not null,
  changed_by   text not null,
  changed_at   timestamptz not null,
  primary key (workspace_id, id)
);
create unique index alert_view_name on alert_view (workspace_id, lower(name));
`;

/** Decided alerts by their last event, to be removed with it. Each entry is written once, when the alert is decided. */
export const agedAlertsIndex = `
create index alert_aged on alert (workspace_id, last_offset) where state = 'closed';
`;

/** `inconclusive` is neither fraud nor legitimate; of fraud, its type and what it cost. */
export const alertVerdictsSchema = `
alter table alert add column fraud_type text, add column loss numeric, add column recovered numeric,
                  add column loss_currency text, drop constraint alert_outcome_check;
-- Not validated: no row had another value before, and reading all of them would block writers.
alter table alert add constraint alert_outcome_check
  check (outcome in ('fraud', 'legitimate', 'inconclusive', 'suppressed')) not valid;
`;
