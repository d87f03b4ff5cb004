/** Search index and counts of the console, written by the feed after the engine. */
export const consoleSchema = `
-- Keyed hashes of what an event names, 16 bytes each; amounts, so that events can be found by them.
create table event_entity (
  workspace_id text not null,
  "offset"     bigint not null,
  device       bytea,
  ip           bytea,
  account      bytea,
  payee        bytea,
  reference    bytea,
  amount       numeric,
  currency     text,
  primary key (workspace_id, "offset")
);
create index event_entity_device on event_entity (workspace_id, device, "offset" desc) where device is not null;
create index event_entity_ip on event_entity (workspace_id, ip, "offset" desc) where ip is not null;
create index event_entity_account on event_entity (workspace_id, account, "offset" desc) where account is not null;
create index event_entity_payee on event_entity (workspace_id, payee, "offset" desc) where payee is not null;
create index event_entity_reference on event_entity (workspace_id, reference, "offset" desc) where reference is not null;
create index event_entity_amount on event_entity (workspace_id, amount) where amount is not null;

-- For what was decided in a time.
create index action_decided on action (workspace_id, decided_at);

-- By minute and by hour, as of the time at which the event was stored.
create table console_count (
  workspace_id text not null,
  span         integer not null check (span in (60, 3600)),
  at           timestamptz not null,
  name         text not null,
  key          text not null,
  count        bigint not null,
  primary key (workspace_id, span, at, name, key)
);

-- Banks that accounts were named with: an account can be looked for by its number alone.
create table console_bank (
  workspace_id text not null,
  bank         text not null,
  primary key (workspace_id, bank)
);

-- How far the feed is, and the events that it met while they waited for their login.
create table console_position (
  workspace_id text primary key,
  next_offset  bigint not null default 0
);
create table console_waiting (
  workspace_id text not null,
  "offset"     bigint not null,
  primary key (workspace_id, "offset")
);
`;

/** Indexes for the filters of the list of events: a filter without matches needs no scan. */
export const consoleFiltersSchema = `
alter table event_entity add column channel integer;
update event_entity n set channel = e.channel_id
  from event e where e.workspace_id = n.workspace_id and e."offset" = n."offset";
create index event_entity_channel on event_entity (workspace_id, channel, "offset" desc) where channel is not null;
create index event_entity_currency on event_entity (workspace_id, currency, "offset" desc) where currency is not null;

-- Sealed for the client: a page of the queue opens as many names as it has rows, and reads no events for it.
alter table alert add column client bytea;
`;

/** The last event of each warning for integrators; the number is counted with the rest. */
export const consoleWarningsSchema = `
create table console_warning (
  workspace_id text not null,
  code         text not null,
  at           timestamptz not null,
  "offset"     bigint not null,
  epoch        bigint not null,
  primary key (workspace_id, code)
);
`;

/**
 * Hours in which a rule fired, so that its events are searched only there: each hour is one entry, however often it is
 * incremented. Actions of a period are counted in the index alone; changes of their state affect all other indexes as
 * well.
 */
export const consoleRulesSchema = `
create index console_count_rule on console_count (workspace_id, key, at) where span = 3600 and name in ('rule', 'shadow');
drop index action_decided;
create index action_decided on action (workspace_id, decided_at, state);
`;

/**
 * The deciding thread writes rows of `event_entity` with its decisions, because it has the events decrypted. The
 * warnings are those in the event itself; additional counts wait here for the feed.
 */
export const consoleSeenSchema = `
alter table event_entity add column warnings text[];
create table console_seen (
  workspace_id text not null,
  "offset"     bigint not null, -- of the first event of its batch
  at           timestamptz not null, -- a minute
  name         text not null,
  key          text not null,
  count        integer not null
);
create index console_seen_offset on console_seen (workspace_id, "offset");
`;

/** Several references may look the same after a card number in them was masked. Null unless one was. */
export const sentReferenceSchema = `
alter table event_entity add column sent_reference bytea;
create index event_entity_sent_reference on event_entity (workspace_id, sent_reference, "offset" desc)
  where sent_reference is not null;
`;

/**
 * Counts of actions by period and state, maintained by the statements that write actions: changes wait in
 * `console_action` until the feed adds them to the counts. All states of actions under way count as one, so that
 * sending one writes here only when it ends. Actions removed because of their age stay counted, like events.
 */
export const consoleActionsSchema = `
create table console_action (
  workspace_id text not null,
  at           timestamptz not null, -- the minute of the decisions
  state        text not null,
  count        bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create function console_action_state(state text) returns text language sql immutable as $$
  select case when state in ('waiting', 'due', 'leased') then 'open' else state end
$$;

create function count_new_actions() returns trigger language plpgsql as $$
begin
  insert into console_action (workspace_id, at, state, count)
  select workspace_id, date_bin('1 minute', decided_at, 'epoch'), console_action_state(state), count(*) from came group by 1, 2, 3;
  return null;
end
$$;
create trigger action_came after insert on action referencing new table as came
  for each statement execute function count_new_actions();

create function count_changed_actions() returns trigger language plpgsql as $$
begin
  insert into console_action (workspace_id, at, state, count)
  select workspace_id, date_bin('1 minute', decided_at, 'epoch'), console_action_state(state), sum(count)
    from (select workspace_id, decided_at, state, 1 as count from now_so
          union all select workspace_id, decided_at, state, -1 from before) changed
   group by 1, 2, 3 having sum(count) <> 0;
  return null;
end
$$;
create trigger action_changed after update on action referencing old table as before new table as now_so
  for each statement execute function count_changed_actions();

-- Behind the triggers, which keep others from writing until the commit.
insert into console_count (workspace_id, span, at, name, key, count)
select workspace_id, span, date_bin(make_interval(secs => span), decided_at, 'epoch'), 'action', console_action_state(state), count(*)
  from action, (values (60, interval '3 days'), (3600, interval '400 days')) as s(span, kept)
 where decided_at >= now() - kept
 group by 1, 2, 3, 5;
`;
