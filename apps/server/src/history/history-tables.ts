/**
 * Imported history, for backtests; never part of the live log. A segment is filled block by block, becomes visible when
 * complete, and never changes afterwards. Blocks contain events sealed under their clients' keys.
 */
export const historySchema = `
create table history_segment (
  id           integer generated always as identity primary key,
  workspace_id text not null references workspace,
  name         text not null,
  -- 'gone': nobody sees it, and its blocks are being deleted.
  state        text not null check (state in ('importing', 'complete', 'gone')),
  -- Names of the files that it was made of.
  source       text[] not null,
  author       text not null,
  made_at      timestamptz not null default now(),
  -- Counts, once it is complete.
  totals       jsonb,
  from_ms      bigint,
  to_ms        bigint
);
create unique index history_segment_name on history_segment (workspace_id, name) where state <> 'gone';

create table history_block (
  segment_id integer not null references history_segment,
  number     integer not null,
  -- Times of its first and last event; blocks of one segment may overlap.
  from_ms    bigint not null,
  to_ms      bigint not null,
  events     integer not null,
  content    bytea not null,
  primary key (segment_id, number)
);
alter table history_block alter column content set storage external; -- sealed: compressing it is lost work
`;
