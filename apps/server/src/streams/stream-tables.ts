/**
 * How far each stream has come. A stream reads what is stored anyway, behind its cursors: nothing is written for it when
 * an event is decided.
 */
export const streamsSchema = `
create table stream (
  name          text primary key,
  -- Where it goes to, for people.
  target        text not null,
  -- How long a fact may wait by the clock.
  interval_ms   bigint not null,
  -- When it was first sent, or sent again from an earlier place: what is older was not late before.
  began_at      timestamptz not null default now(),
  -- When a process that has it in its configuration last looked.
  looked_at     timestamptz not null,
  -- Of the last attempts, if they failed.
  failing_since timestamptz,
  error         text
);

create table stream_cursor (
  stream       text not null references stream (name) on delete cascade,
  -- '' for the entries of the audit log, which is one for the installation.
  workspace_id text not null,
  kind         text not null check (kind in ('decisions', 'alerts', 'actions', 'outcomes', 'audit')),
  -- Everything before it has left: an offset of the log, or a number of the table that is read.
  position     bigint not null,
  -- Where the file ends that is being published: after a crash the same file is written again.
  planned      bigint,
  -- Everything up to this time has left.
  through      timestamptz not null,
  sent         bigint not null default 0,
  -- When retention removed something that had not left.
  lost_at      timestamptz,
  primary key (stream, workspace_id, kind)
);
`;
