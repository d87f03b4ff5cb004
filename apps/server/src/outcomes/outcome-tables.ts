/**
 * The reports of outcomes, as they arrive and until retention removes them. A row is the durable acceptance of a report;
 * once its event is found, a record of the log has it, and the row only shows so.
 */
export const outcomesSchema = `
create table outcome_report (
  seq              bigint generated always as identity,
  id               text primary key check (id ~ '^out_[a-z2-7]{16}$'),
  workspace_id     text not null references workspace,
  received_at      timestamptz not null,
  -- When it happened, as the bank said.
  happened_at      timestamptz,
  outcome          text not null,
  author           text not null,
  -- The client; null when the report and its event name none, or the event is not known.
  subject          text,
  -- The body, sealed for the client; null when the client was already erased.
  body             bytea,
  -- Keyed hashes of the reference, as sent and as masked.
  reference_indexes bytea[] not null default '{}',
  -- Keyed hashes of the Idempotency-Key and of the body, for 24 hours.
  idempotency_key  bytea,
  fingerprint      bytea,
  state            text not null check (state in ('waiting', 'matched', 'unmatched')),
  -- Why it is not matched.
  reason           text,
  next_try_at      timestamptz not null,
  tries            integer not null default 0,
  -- The event, as the log numbers it.
  "offset"         bigint,
  epoch            bigint,
  matched_at       timestamptz
) with (fillfactor = 80);

create unique index outcome_report_idempotency on outcome_report (workspace_id, idempotency_key)
  where idempotency_key is not null;
create index outcome_report_due on outcome_report (next_try_at) where state = 'waiting';
-- Earlier reports about a client are tried before later ones.
create index outcome_report_waiting on outcome_report (workspace_id, subject, seq) where state = 'waiting';
create index outcome_report_newest on outcome_report (workspace_id, seq desc);
create index outcome_report_open on outcome_report (workspace_id, state, seq desc) where state <> 'matched';
create index outcome_report_event on outcome_report (workspace_id, "offset", seq desc) where "offset" is not null;
create index outcome_report_age on outcome_report (workspace_id, received_at);
`;
