/**
 * One row for each event, with its decision and what it is found by, in tables for ranges of offsets: old events leave
 * with their table, not row by row.
 *
 *   event                    partitioned by workspace and offset; has no index itself
 *     event_NUMBER_LOW_HIGH  NUMBER of the log's partition, offsets from LOW to before HIGH; its indexes need no workspace
 *
 * A range is as wide as one of the log, or twice, four times ... as wide where many events are kept: a query that may find
 * its rows in every range opens all of them, with their indexes.
 *
 * A database with events of an earlier release keeps them in `event_before` and `event_entity_before` until
 * `carry-over.ts` has moved them; meanwhile the table is named `event_ranges`, and `event` is a view of all.
 */

/** In the order of the table: numbers first, so that they need no padding. */
const eventColumns = [
  '"offset" bigint not null',
  'epoch bigint not null',
  'logged_at timestamptz not null',
  'event_at timestamptz',
  'decided_at timestamptz',
  'repeat_of bigint',
  'channel_id integer',
  'policy_version integer',
  'matched boolean',
  'workspace_id text not null',
  'kind text not null',
  `status text not null check (status in ('waiting', 'decided', 'repeat', 'unreadable', 'quarantined'))`,
  'subject text',
  'session_index bytea',
  'mismatch text',
  `fired integer[] not null default '{}'`,
  `shadow integer[] not null default '{}'`,
  'detail bytea',
] as const;

/** Keyed hashes of what an event names, 16 bytes each, and what else it can be found by. */
const entityColumns = [
  'device bytea',
  'ip bytea',
  'account bytea',
  'payee bytea',
  'reference bytea',
  'sent_reference bytea', // several references may look the same after a card number in them was masked
  'amount numeric',
  'currency text',
  'warnings text[]', // those in the event itself
] as const;

/** Of what is kept, a range has at most this part. */
const rangesKept = 16;

const nameOf = (column: string): string => column.slice(0, column.indexOf(' '));
const columnsOfEvent = eventColumns.map(nameOf);
const columnsOfEntity = entityColumns.map(nameOf);
const all = [...columnsOfEvent, ...columnsOfEntity].join(', ');

/** Rows of the earlier tables, in the form of today's; `e` and `n` name them. */
const before = [...columnsOfEvent.map((name) => `e.${name}`), ...columnsOfEntity.map((name) => `n.${name}`)].join(', ');

/** Every condition also occurs in a query: a partial index serves only those. */
const indexes = [
  '(subject, "offset") where subject is not null',
  '(session_index, "offset") where session_index is not null',
  `(status, "offset") where status <> 'decided'`,
  `(kind, "offset") where kind <> 'operation'`,
  `("offset") where fired <> '{}' or shadow <> '{}'`,
  '(channel_id, "offset") where channel_id is not null',
  '(device, "offset") where device is not null',
  '(ip, "offset") where ip is not null',
  '(account, "offset") where account is not null',
  '(payee, "offset") where payee is not null',
  '(reference, "offset") where reference is not null',
  '(sent_reference, "offset") where sent_reference is not null',
  '(currency, "offset") where currency is not null',
  '(amount) where amount is not null',
] as const;

/** Moves some events of the earlier tables; `chosen` selects their workspaces and offsets. Their ranges exist. */
export const moveEvents = (chosen: string): string => `
  with chosen as materialized (${chosen}),
       e as (delete from event_before b using chosen c
              where b.workspace_id = c.workspace_id and b."offset" = c."offset" returning b.*),
       n as (delete from event_entity_before b using chosen c
              where b.workspace_id = c.workspace_id and b."offset" = c."offset" returning b.*)
  insert into event_ranges (${all})
  select ${before} from e left join n on n.workspace_id = e.workspace_id and n."offset" = e."offset"`;

/** In the transaction that finds the earlier tables empty. */
export const endCarryOver = 'select event_end_carry_over()';

/** Events that wait for their login are moved at once: the engine changes their rows. */
const moveWaiting = `
perform event_make_range_at(e.workspace_id, e."offset")
   from event_before e join log_partition p on p.partition = e.workspace_id where e.status = 'waiting';
${moveEvents(`select workspace_id, "offset" from event_before where status = 'waiting'`)};
`;

export const eventRangesSchema = `
alter table event rename to event_before;
alter table event_entity rename to event_entity_before;
create table event_ranges (${[...eventColumns, ...entityColumns].join(', ')}) partition by range (workspace_id, "offset");

-- Attached after it was made: to create it as a part would wait for all readers, and make others wait.
create function event_make_range(workspace text, number integer, low bigint, high bigint) returns void
language plpgsql as $event_make_range$
declare
  made text := format('event_%s_%s_%s', number, low, high);
  parent text := case when to_regclass('event_ranges') is null then 'event' else 'event_ranges' end;
begin
  perform pg_advisory_xact_lock(hashtextextended('ringfence.event_range', 0));
  if to_regclass(made) is not null then return; end if;
  execute format('create table %I (like %I including defaults including constraints, primary key ("offset"))', made, parent);
  ${indexes.map((on) => `execute format($f$create index on %I ${on}$f$, made);`).join('\n  ')}
  execute format('alter table %I attach partition %I for values from (%L, %s) to (%L, %s)',
                 parent, made, workspace, low, workspace, high);
end
$event_make_range$;

create function event_ranges_of(number integer) returns table (name text, low bigint, high bigint) language sql stable as $event_ranges_of$
  select relname::text, split_part(relname, '_', 3)::bigint, split_part(relname, '_', 4)::bigint
    from pg_class
   where relname like format('event\\_%s\\_%%', number) and relnamespace = current_schema()::regnamespace and relispartition;
$event_ranges_of$;

-- The range of an offset. Makes it when it is missing.
create function event_make_range_at(workspace text, at bigint, out low bigint, out high bigint)
language plpgsql as $event_make_range_at$
declare
  head log_partition;
  size bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('ringfence.event_range', 0));
  select * into strict head from log_partition p where p.partition = workspace;
  select r.low, r.high into low, high from event_ranges_of(head.number) r where r.low <= at and at < r.high;
  if low is not null then return; end if;
  size := head.range_records;
  while size * 2 * ${rangesKept} <= greatest(head.end_offset, at) - head.start_offset loop size := size * 2; end loop;
  -- Who lacks the owner's rights may only have the next range made.
  if session_user <> current_user and not at between 0 and head.end_offset + size then
    raise exception 'offset % is not one of workspace %', at, workspace;
  end if;
  low := greatest(at / size * size, (select max(r.high) from event_ranges_of(head.number) r where r.high <= at));
  high := least(at / size * size + size, (select min(r.low) from event_ranges_of(head.number) r where r.low > at));
  perform event_make_range(workspace, head.number, low, high);
end
$event_make_range_at$;

do $$ begin
  if exists (select from event_before) then
    ${moveWaiting}
    create view event as
      select ${all} from event_ranges
      union all
      select ${before} from event_before e
        left join event_entity_before n on n.workspace_id = e.workspace_id and n."offset" = e."offset";
  else
    drop table event_before, event_entity_before;
    alter table event_ranges rename to event;
  end if;
end $$;
`;

/** By which people also find events; those of earlier releases have neither. */
export const payeeBankAndCountry = `
do $$ begin
  if to_regclass('event_ranges') is null then
    alter table event add column payee_bank text, add column country text;
  else
    alter table event_ranges add column payee_bank text, add column country text;
    create or replace view event as
      select ${all}, payee_bank, country from event_ranges
      union all
      select ${before}, null::text, null::text from event_before e
        left join event_entity_before n on n.workspace_id = e.workspace_id and n."offset" = e."offset";
  end if;
end $$;
`;

/** Rules that did not act because of a control group; events of earlier releases have none. */
export const controlColumn = `
do $$ begin
  if to_regclass('event_ranges') is null then
    alter table event add column control integer[];
  else
    alter table event_ranges add column control integer[];
    create or replace view event as
      select ${all}, payee_bank, country, control from event_ranges
      union all
      select ${before}, null::text, null::text, null::integer[] from event_before e
        left join event_entity_before n on n.workspace_id = e.workspace_id and n."offset" = e."offset";
  end if;
end $$;
`;

/** What a process does to tables while it runs, as functions: `runtime-role.ts` lets roles call them that may not do it. */
export const eventRangeFunctions = `
create function event_drop_range(workspace text, range_name text) returns void language plpgsql as $event_drop_range$
begin
  if session_user <> current_user and not exists
     (select from log_partition p, event_ranges_of(p.number) r
       where p.partition = workspace and r.name = range_name and r.high <= p.start_offset) then
    raise exception '% is not a range before the start of the log of %', range_name, workspace;
  end if;
  execute format('drop table %I', range_name);
end
$event_drop_range$;

create function event_end_carry_over() returns void language plpgsql as $event_end_carry_over$
begin
  if exists (select from event_before) then raise exception 'events of an earlier release are left'; end if;
  drop view event;
  drop table event_before, event_entity_before;
  alter table event_ranges rename to event;
end
$event_end_carry_over$;
`;
